package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * What an arm cost.
 *
 * @param arm which
 * @param load level of the open loop, else null
 * @param answers good answers
 * @param perSecond good answers per second of the arm's time
 * @param nodeSeconds node seconds per good answer
 * @param source how node seconds were found: {@code told by the endpoint} or {@code devices x time}
 */
public record ArmCost(
    Arm arm,
    @Nullable Double load,
    long answers,
    @Nullable Double perSecond,
    @Nullable Double nodeSeconds,
    String source) {}

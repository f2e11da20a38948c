package io.servedrift.monitors.testkit;

import java.time.Instant;

/**
 * What a monitor said, reduced to what is scored.
 *
 * @param detectedAt when it could have been known
 * @param metric of the finding
 * @param cause of its verdict, the last one when it was refined
 * @param alerts whether it pages or tickets; false: recorded and shown only
 */
public record Outcome(Instant detectedAt, String metric, CauseLabel cause, boolean alerts) {}

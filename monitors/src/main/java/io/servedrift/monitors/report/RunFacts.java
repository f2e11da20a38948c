package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.policy.Policy;
import java.time.Instant;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What a report says about the run itself.
 *
 * @param madeAt when the report was written
 * @param partial whether the run was interrupted before its end
 * @param command the command line that gives this report again
 * @param versions of the product and what it stands on, by name
 * @param policy what was judged by
 * @param settings those in force that are no default, by key; no secrets
 * @param summary what was read and counted
 * @param names id of a configuration or model to what people call it
 * @param links to outputs
 */
public record RunFacts(
    Instant madeAt,
    boolean partial,
    String command,
    Map<String, String> versions,
    Policy policy,
    Map<String, String> settings,
    ObjectNode summary,
    UnaryOperator<String> names,
    OutputLinks links) {}

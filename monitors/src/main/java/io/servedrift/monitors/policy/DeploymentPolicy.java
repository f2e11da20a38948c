package io.servedrift.monitors.policy;

import java.util.OptionalDouble;

/**
 * What a deployment has of its own. Immutable.
 *
 * @param falseAlarmsPerMonth its budget, empty for the common one
 * @param metrics rules over the common ones
 */
public record DeploymentPolicy(OptionalDouble falseAlarmsPerMonth, MetricRules metrics) {}

package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;

/**
 * What all deployments of a judge share.
 *
 * @param policyHash of the policy; named in every finding
 * @param pace how fast the time of the judge passes
 * @param axes what is known of configurations
 * @param output where findings go
 */
record JudgeParts(
    Policy policy,
    String policyHash,
    Pace pace,
    PaneSettings settings,
    MetricLayouts layouts,
    ConfigAxes axes,
    Judge.Output output,
    Tally tally) {}

/**
 * What an installation judges by: how many false alarms it accepts, which shifts of which metric
 * matter and to whom, what counts as normal, and when nobody wants to be told. One YAML text in,
 * one immutable {@link io.servedrift.monitors.policy.Policy} out; the file is opened elsewhere.
 * Called by the judge, by {@code gate} for the text of its own policy, and by the command line; may
 * import {@code pane} (layouts of metrics) and {@code text}; no Kafka, no clock, no file.
 */
@NullMarked
package io.servedrift.monitors.policy;

import org.jspecify.annotations.NullMarked;

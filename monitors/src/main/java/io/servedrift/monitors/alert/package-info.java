/**
 * Findings and missing data on their way to Alertmanager: {@link
 * io.servedrift.monitors.alert.AlertBook} decides what is to be sent, without Kafka, clock and
 * HTTP; {@link io.servedrift.monitors.alert.AlertForwarder} runs it, {@link
 * io.servedrift.monitors.alert.AlertmanagerClient} speaks HTTP. Composed by the command line, shown
 * by {@code ops}; may import {@code policy} and {@code pane} of this module, the schemas, Jackson
 * and the plain Kafka clients.
 */
@NullMarked
package io.servedrift.monitors.alert;

import org.jspecify.annotations.NullMarked;

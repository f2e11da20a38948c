/**
 * How the monitor shows its own state: Prometheus metrics and the health endpoints. Composed by the
 * command line, fed by suppliers; imports Javalin, the Prometheus client, Jackson and Kafka's admin
 * client, nothing of ours.
 */
@NullMarked
package io.servedrift.monitors.ops;

import org.jspecify.annotations.NullMarked;

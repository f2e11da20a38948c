/**
 * How the monitor shows its own state: Prometheus metrics and the health endpoints. Composed by the
 * command line, fed by suppliers; imports Javalin, the Prometheus client and Jackson, of ours only
 * the status of {@code alert}, and Kafka's admin client.
 */
@NullMarked
package io.servedrift.monitors.ops;

import org.jspecify.annotations.NullMarked;

/**
 * The demonstration: a serving node in a process of its own, its clients and their prompts, and the
 * policy of the story; and for the synthetic variant a seeded traffic model of one image deployment
 * on two serving configurations with its driver; the table on the terminal for both. Called by the
 * command line; may import the schemas, {@code page} and the names of causes, never {@code ingest}
 * or Kafka: events leave through a sink given by the caller, and the node publishes its own.
 */
@NullMarked
package io.servedrift.monitors.demo;

import org.jspecify.annotations.NullMarked;

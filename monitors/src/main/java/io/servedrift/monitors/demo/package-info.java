/**
 * The demonstration: a seeded traffic model of one image deployment on two serving configurations,
 * its driver and the table on the terminal. Called by the command line; may import the schemas and
 * {@code page}, never {@code ingest} or Kafka: events leave through a sink given by the caller.
 */
@NullMarked
package io.servedrift.monitors.demo;

import org.jspecify.annotations.NullMarked;

/**
 * Ranges of the input topics as Avro object container files with a manifest: written from Kafka,
 * verified, and read back record by record. Called by the command line ({@code archive}, {@code
 * replay --file}) and by {@code replay}; may import the schemas module, Avro, Jackson and the Kafka
 * clients. Judges nothing.
 */
@NullMarked
package io.servedrift.monitors.archive;

import org.jspecify.annotations.NullMarked;

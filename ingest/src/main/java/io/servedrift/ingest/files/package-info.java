/**
 * Files into events: NDJSON and CSV, plain or gzip, one or many, sorted by event time, with every
 * row that could not be used accounted for; and the import of such history into Kafka. Called by
 * the command line ({@code import}, {@code replay --file}). May import the schemas module, Jackson,
 * Avro, the topic provisioner and the Kafka clients; only {@code HistoryImport} and its writer
 * touch Kafka.
 */
@NullMarked
package io.servedrift.ingest.files;

import org.jspecify.annotations.NullMarked;

/**
 * What serving runtimes say about themselves, turned into events of the contract: one adapter per
 * format, line in, public JSON out. A field that the source does not give stays absent. Called by
 * {@code files} ({@code import}, {@code replay --format}) and by the following of files. May import
 * {@code schemas}, {@code capture}, {@code literal} and Jackson; knows no file, clock, thread,
 * Kafka or HTTP. No adapter throws for what a line says.
 */
@NullMarked
package io.servedrift.ingest.adapters;

import org.jspecify.annotations.NullMarked;

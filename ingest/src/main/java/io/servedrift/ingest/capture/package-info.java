/**
 * What a runtime says about its configuration, turned into the {@code config} and {@code model}
 * objects of the contract, and what changed between two looks. Called by {@code adapters}, {@code
 * gateway} and the command line. May import {@code schemas}, {@code literal}, Jackson and YAML;
 * knows no file, clock, thread, Kafka or HTTP.
 */
@NullMarked
package io.servedrift.ingest.capture;

import org.jspecify.annotations.NullMarked;

/**
 * Files that are still being written, followed line by line into events: over rotation, truncation
 * and restarts, with a small state file that remembers the place. Called by the command line
 * ({@code import --follow}); {@code consume} follows topics with the same delivery. May import
 * {@code schemas}, {@code adapters}, {@code publish} and Jackson; knows no Kafka.
 */
@NullMarked
package io.servedrift.ingest.follow;

import org.jspecify.annotations.NullMarked;

/**
 * A topic that others fill, followed record by record into events: over restarts, with offsets
 * committed only for what the broker has and what waits for a partner kept readable. Called by the
 * command line ({@code import --from-topic}). May import {@code schemas}, {@code adapters}, {@code
 * follow}, {@code publish}, {@code topics}, Kafka's consumer and, for the group, its admin client.
 */
@NullMarked
package io.servedrift.ingest.consume;

import org.jspecify.annotations.NullMarked;

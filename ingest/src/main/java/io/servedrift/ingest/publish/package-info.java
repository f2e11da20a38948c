/**
 * The publisher library: events to Kafka without ever making the caller wait. Called by serving
 * nodes, the HTTP endpoint and the traffic model of the demo. May import {@code schemas} and
 * Kafka's producer.
 */
@NullMarked
package io.servedrift.ingest.publish;

import org.jspecify.annotations.NullMarked;

/**
 * The measuring gateway: a streaming reverse proxy before a serving runtime that publishes an event
 * for each request and changes none. Called by the command line. May import {@code schemas}, {@code
 * publish}, {@code capture}, the prompt hash of {@code adapters}, Jetty's server, client, proxy and
 * HTTP/2; knows nothing of Kafka.
 */
@NullMarked
package io.servedrift.ingest.gateway;

import org.jspecify.annotations.NullMarked;

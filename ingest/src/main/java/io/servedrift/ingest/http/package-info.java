/**
 * {@code POST /v1/events} and OTLP over HTTP, their guards (host check, bearer token) and the HTTP
 * server they run in. Called by the command line, which adds the page and the API to the same
 * server. May import {@code schemas}, {@code publish}, {@code adapters}, Javalin and Jetty; knows
 * nothing of Kafka.
 */
@NullMarked
package io.servedrift.ingest.http;

import org.jspecify.annotations.NullMarked;

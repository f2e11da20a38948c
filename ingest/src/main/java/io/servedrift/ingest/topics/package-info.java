/**
 * Creates and checks the topics of the catalogue on a Kafka cluster. Called by the command line
 * ({@code topics}, {@code run}, {@code demo}, {@code import}) and by integration tests. May import
 * the topic catalogue of {@code schemas} and Kafka's clients.
 */
@NullMarked
package io.servedrift.ingest.topics;

import org.jspecify.annotations.NullMarked;

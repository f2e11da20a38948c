/**
 * Assembles the event of a request while it runs. Called by a serving node's API, batcher, caches
 * and engine; hands the event to an {@code EventSink}. May import {@code schemas} and the publisher
 * of {@code ingest}; knows no engine.
 */
@NullMarked
package io.servedrift.serving.recorder;

import org.jspecify.annotations.NullMarked;

package io.servedrift.monitors.ops;

import java.time.Instant;

/**
 * The latest serving event of one kind.
 *
 * @param kind in lower case, for example {@code deploy}
 */
public record LatestServingEvent(String deployment, String kind, Instant at) {}

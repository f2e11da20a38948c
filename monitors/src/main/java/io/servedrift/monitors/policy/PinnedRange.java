package io.servedrift.monitors.policy;

import java.time.Instant;
import java.util.Optional;

/**
 * A time range whose traffic counts as normal by decision. Immutable.
 *
 * @param deployment of the series
 * @param configId of the series, {@code *} for the deployment-wide one, empty for every series
 * @param modelId of the series, empty for any
 * @param from first instant
 * @param to end, not included; after {@code from}
 */
public record PinnedRange(
    String deployment,
    Optional<String> configId,
    Optional<String> modelId,
    Instant from,
    Instant to) {}

package io.servedrift.monitors.ops;

/**
 * The human names behind one {@code config_id}, as labels of {@code servedrift_config_info}; empty
 * where not known.
 */
public record ConfigLabels(
    String configId,
    String runtime,
    String runtimeVersion,
    String precision,
    String batching,
    String cache,
    String hardware) {}

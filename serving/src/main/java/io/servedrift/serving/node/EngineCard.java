package io.servedrift.serving.node;

import org.jspecify.annotations.Nullable;

/**
 * What the configuration record says about the engine.
 *
 * @param torch version of PyTorch; {@code null} when the engine is another one
 * @param hardware what computes: {@code cpu} or {@code gpu}; never which GPU of the machine, which
 *     is no property of what is served, and the engine tells no device's name
 * @param devices how many of it are used
 * @param threads threads of one operation on the CPU; {@code null} on a GPU
 * @param weights precision of the weights: {@code fp32}, {@code bf16} or {@code int8}
 * @param activations precision of the activations
 * @param quantisation method that made the weights small; {@code null} when none did
 * @param sampler the sampler's name
 * @param cacheBytes capacity of the conditioning cache in bytes; 0 when it is off
 * @param stepReuseThreshold relative change below which a denoiser call is skipped; 0 when off
 */
public record EngineCard(
    @Nullable String torch,
    String hardware,
    int devices,
    @Nullable Integer threads,
    String weights,
    String activations,
    @Nullable String quantisation,
    String sampler,
    long cacheBytes,
    double stepReuseThreshold) {}

package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * What an endpoint can do: declared by its operator, or read from the endpoint. What it cannot do
 * makes a check insufficient; only what its kind cannot have at all makes one not applicable.
 *
 * @param modality what it makes
 * @param batches false: a single-request pipeline, which has no production batch
 * @param caches false: its kind has no cache
 * @param seed takes a seed
 * @param cacheBypass can be told to recompute
 * @param flush can be told to empty its cache
 * @param weightsDigest tells the digest of its weights
 * @param deterministic promises equal outputs for equal prompt and seed at batch 1
 * @param devices accelerators (or nodes) behind it, for cost
 */
public record EndpointProfile(
    Modality modality,
    boolean batches,
    boolean caches,
    boolean seed,
    boolean cacheBypass,
    boolean flush,
    boolean weightsDigest,
    boolean deterministic,
    @Nullable Integer devices) {}

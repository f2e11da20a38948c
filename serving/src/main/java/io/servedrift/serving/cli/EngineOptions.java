package io.servedrift.serving.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the model is to run.
 *
 * @param model model directory
 * @param precision {@code fp32}, {@code bf16} or {@code int8}
 * @param sampler its name; {@code null} for the model's own
 * @param cacheBytes capacity of the conditioning cache, bytes; 0 switches it off
 * @param stepReuseThreshold relative change below which a denoiser call is skipped; 0 never skips
 */
record EngineOptions(
    Path model,
    String precision,
    @Nullable String sampler,
    long cacheBytes,
    double stepReuseThreshold) {}

package io.servedrift.serving.engine;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the engine runs.
 *
 * @param model the pipeline directory
 * @param precision arithmetic of the modules; components without a variant of their own stay at
 *     fp32
 * @param device {@code auto}, {@code cpu}, {@code gpu} or {@code gpu:N}
 * @param threads threads of one operation on the CPU
 * @param conditioningCacheBytes capacity of the conditioning cache; 0 switches it off
 * @param reuseThreshold share of change of a latent below which the denoiser's last output is used
 *     again; 0 switches it off. It changes images
 * @param sampler the sampler; {@code null} takes the model's default
 */
public record EngineSettings(
    Path model,
    Precision precision,
    String device,
    int threads,
    long conditioningCacheBytes,
    double reuseThreshold,
    @Nullable SamplerKind sampler) {

  private static final long DEFAULT_CACHE_BYTES = 64L << 20;

  public EngineSettings {
    if (conditioningCacheBytes < 0) {
      throw new IllegalArgumentException(
          "conditioningCacheBytes=" + conditioningCacheBytes + ": must not be negative");
    }
    if (!(reuseThreshold >= 0 && reuseThreshold < 1)) {
      throw new IllegalArgumentException(
          "reuseThreshold=" + reuseThreshold + ": must be at least 0 and below 1");
    }
  }

  /** fp32 on the best device, one thread, a cache of 64 MiB, no reuse of steps. */
  public static EngineSettings defaults(Path model) {
    return new EngineSettings(model, Precision.FP32, "auto", 1, DEFAULT_CACHE_BYTES, 0, null);
  }

  /** The same at another precision. */
  public EngineSettings withPrecision(Precision other) {
    return new EngineSettings(
        model, other, device, threads, conditioningCacheBytes, reuseThreshold, sampler);
  }

  /** The same with another capacity of the conditioning cache. */
  public EngineSettings withConditioningCacheBytes(long bytes) {
    return new EngineSettings(model, precision, device, threads, bytes, reuseThreshold, sampler);
  }

  /** The same with another threshold of step reuse. */
  public EngineSettings withReuseThreshold(double threshold) {
    return new EngineSettings(
        model, precision, device, threads, conditioningCacheBytes, threshold, sampler);
  }

  /** The same with another sampler. */
  public EngineSettings withSampler(SamplerKind other) {
    return new EngineSettings(
        model, precision, device, threads, conditioningCacheBytes, reuseThreshold, other);
  }
}

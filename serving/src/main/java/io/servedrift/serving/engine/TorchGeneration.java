package io.servedrift.serving.engine;

import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import org.jspecify.annotations.Nullable;

/**
 * A request between noise and image. The latent and the sampler's history are plain arrays of the
 * heap, the conditioning is leased device memory. Not thread-safe.
 */
final class TorchGeneration implements Generation {

  private final ImageRequest request;
  private final RequestRecorder recorder;
  private final NoiseLevel[] path;
  private final Sampler sampler;
  private final StepReuse reuse;
  private final Conditioned prompt;
  private final @Nullable Conditioned negative;
  private final long evictionsBefore;
  private final float[] latent;
  private float[] output = new float[0];
  private int step;

  TorchGeneration(
      ImageRequest request,
      RequestRecorder recorder,
      NoiseLevel[] path,
      Sampler sampler,
      StepReuse reuse,
      Conditioned prompt,
      @Nullable Conditioned negative,
      long evictionsBefore,
      float[] noise) {
    this.request = request;
    this.recorder = recorder;
    this.path = path;
    this.sampler = sampler;
    this.reuse = reuse;
    this.prompt = prompt;
    this.negative = negative;
    this.evictionsBefore = evictionsBefore;
    this.latent = noise;
  }

  @Override
  public ImageRequest request() {
    return request;
  }

  @Override
  public int remainingSteps() {
    return path.length - 1 - step;
  }

  RequestRecorder recorder() {
    return recorder;
  }

  /** The prompt's conditioning. */
  Conditioned prompt() {
    return prompt;
  }

  /** What to keep away from; {@code null} without guidance. */
  @Nullable Conditioned negative() {
    return negative;
  }

  /** {@code [C, h, w]}, row by row; not copied. */
  float[] latent() {
    return latent;
  }

  /** The timestep of the next step, as the denoiser is told. */
  float timestep() {
    return (float) path[step].timestep();
  }

  /** Evictions of the conditioning cache before this request began. */
  long evictionsBefore() {
    return evictionsBefore;
  }

  /** Whether the next step uses the last output of the denoiser again. */
  boolean reusesOutput() {
    return reuse.reuses(latent, remainingSteps() == 1);
  }

  /** What the denoiser predicts for the present latent. */
  void predicted(float[] prediction) {
    reuse.computes(latent);
    output = prediction;
  }

  /** Moves the latent one step on, by the last prediction. */
  void advance() {
    sampler.advance(latent, output, step);
    step++;
  }

  @Override
  public void close() {
    prompt.close();
    if (negative != null) {
      negative.close();
    }
  }
}

package io.servedrift.serving.engine;

/** See {@link SamplerKind#DDIM}. */
final class DdimSampler implements Sampler {

  private final NoiseLevel[] path;
  private final Prediction prediction;

  DdimSampler(NoiseLevel[] path, Prediction prediction) {
    this.path = path;
    this.prediction = prediction;
  }

  /** {@code x' = alpha' x0 + sigma' eps}. */
  @Override
  public void advance(float[] latent, float[] output, int step) {
    NoiseLevel from = path[step];
    NoiseLevel to = path[step + 1];
    for (int i = 0; i < latent.length; i++) {
      double clean = prediction.clean(latent[i], output[i], from);
      double noise = prediction.noise(latent[i], output[i], from);
      latent[i] = (float) (to.alpha() * clean + to.sigma() * noise);
    }
  }
}

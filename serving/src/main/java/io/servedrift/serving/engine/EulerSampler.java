package io.servedrift.serving.engine;

/** See {@link SamplerKind#EULER}. */
final class EulerSampler implements Sampler {

  private final NoiseLevel[] path;
  private final Prediction prediction;

  EulerSampler(NoiseLevel[] path, Prediction prediction) {
    this.path = path;
    this.prediction = prediction;
  }

  /** With {@code y = x / alpha} and {@code s = sigma / alpha}: {@code y += (s' - s) dy/ds}. */
  @Override
  public void advance(float[] latent, float[] output, int step) {
    NoiseLevel from = path[step];
    NoiseLevel to = path[step + 1];
    double s = from.sigma() / from.alpha();
    double ds = to.sigma() / to.alpha() - s;
    for (int i = 0; i < latent.length; i++) {
      double y = latent[i] / from.alpha();
      // dy/ds = (y - D(y; s)) / s with the denoised value D (Karras et al. 2022, eq. 1 and 3).
      double slope = (y - prediction.clean(latent[i], output[i], from)) / s;
      latent[i] = (float) (to.alpha() * (y + ds * slope));
    }
  }
}

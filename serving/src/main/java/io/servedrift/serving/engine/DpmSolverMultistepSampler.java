package io.servedrift.serving.engine;

/**
 * See {@link SamplerKind#DPMPP_2M}. The first step has no history and the last has no end to its
 * lambda axis; both are of first order, as in the authors' code.
 */
final class DpmSolverMultistepSampler implements Sampler {

  private final NoiseLevel[] path;
  private final Prediction prediction;
  private double[] lastClean = new double[0];

  DpmSolverMultistepSampler(NoiseLevel[] path, Prediction prediction) {
    this.path = path;
    this.prediction = prediction;
  }

  /**
   * {@code x' = sigma'/sigma x - alpha' (exp(-h) - 1) D} with {@code h = lambda' - lambda}, {@code
   * D = (1 + 1/2r) x0 - 1/2r x0_last} and {@code r = h_last / h}.
   */
  @Override
  public void advance(float[] latent, float[] output, int step) {
    NoiseLevel from = path[step];
    NoiseLevel to = path[step + 1];
    double h = to.lambda() - from.lambda();
    double halfOverR = correction(step, h);
    double keep = to.sigma() / from.sigma();
    double gain = -to.alpha() * Math.expm1(-h);
    double[] clean = new double[latent.length];
    for (int i = 0; i < latent.length; i++) {
      clean[i] = prediction.clean(latent[i], output[i], from);
      double extrapolated =
          halfOverR == 0 ? clean[i] : clean[i] + halfOverR * (clean[i] - lastClean[i]);
      latent[i] = (float) (keep * latent[i] + gain * extrapolated);
    }
    lastClean = clean;
  }

  /** {@code 1/2r}; 0 makes the step one of first order. */
  private double correction(int step, double h) {
    if (step == 0 || Double.isInfinite(h)) {
      return 0;
    }
    return h / (2 * (path[step].lambda() - path[step - 1].lambda()));
  }
}

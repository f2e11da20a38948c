package io.servedrift.serving.engine;

/** The noise levels a denoiser was trained at. Immutable. */
final class NoiseSchedule {

  private final double[] alphaBars;

  NoiseSchedule(double[] betas) {
    alphaBars = new double[betas.length];
    double product = 1;
    for (int t = 0; t < betas.length; t++) {
      product *= 1 - betas[t];
      alphaBars[t] = product;
    }
  }

  static NoiseSchedule of(PipelineManifest.Schedule schedule) {
    return new NoiseSchedule(
        schedule
            .betas()
            .betas(schedule.trainTimesteps(), schedule.betaStart(), schedule.betaEnd()));
  }

  /** {@code prod(1 - beta)} up to and including timestep t (Ho et al. 2020, eq. 4). */
  double alphaBar(int t) {
    return alphaBars[t];
  }

  /**
   * The levels of a path of so many steps, from the noisiest to {@link NoiseLevel#CLEAN}: {@code
   * steps + 1} of them. "Trailing" timesteps, {@code round(T - i T / steps) - 1}: the only usual
   * spacing that starts at the level of pure noise for any number of steps (Lin et al. 2024, table
   * 2).
   *
   * @param steps 1 to the number of training timesteps
   */
  NoiseLevel[] path(int steps) {
    if (steps < 1 || steps > alphaBars.length) {
      throw new IllegalArgumentException(
          "steps=" + steps + ": must be between 1 and " + alphaBars.length);
    }
    NoiseLevel[] levels = new NoiseLevel[steps + 1];
    for (int i = 0; i < steps; i++) {
      int t = (int) Math.rint(alphaBars.length - (double) i * alphaBars.length / steps) - 1;
      levels[i] = NoiseLevel.of(t, alphaBars[t]);
    }
    levels[steps] = NoiseLevel.CLEAN;
    return levels;
  }
}

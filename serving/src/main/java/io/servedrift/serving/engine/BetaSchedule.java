package io.servedrift.serving.engine;

import java.util.Locale;

/** How much noise each training timestep adds; the names and formulas are those of diffusers. */
public enum BetaSchedule {
  /** {@code beta} evenly spaced (Ho et al. 2020, section 4). */
  LINEAR,
  /** {@code sqrt(beta)} evenly spaced (latent diffusion, Rombach et al. 2022). */
  SCALED_LINEAR,
  /** From a squared cosine, at most 0.999 (Nichol and Dhariwal 2021, eq. 17). */
  SQUAREDCOS_CAP_V2;

  private static final double COSINE_OFFSET = 0.008;
  private static final double MAX_BETA = 0.999;

  /** Its name in {@code pipeline.json}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The betas of {@code timesteps} timesteps; start and end do not matter to the cosine. */
  double[] betas(int timesteps, double start, double end) {
    double[] betas = new double[timesteps];
    for (int i = 0; i < timesteps; i++) {
      double share = timesteps == 1 ? 0 : (double) i / (timesteps - 1);
      betas[i] =
          switch (this) {
            case LINEAR -> start + share * (end - start);
            case SCALED_LINEAR -> {
              double root = Math.sqrt(start) + share * (Math.sqrt(end) - Math.sqrt(start));
              yield root * root;
            }
            case SQUAREDCOS_CAP_V2 ->
                Math.min(
                    1 - cosine((i + 1.0) / timesteps) / cosine((double) i / timesteps), MAX_BETA);
          };
    }
    return betas;
  }

  private static double cosine(double share) {
    double root = Math.cos((share + COSINE_OFFSET) / (1 + COSINE_OFFSET) * Math.PI / 2);
    return root * root;
  }
}

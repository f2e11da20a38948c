package io.servedrift.monitors.stats;

/**
 * e-LOND: decisions made one after the other, for ever, with a false discovery rate of at most
 * alpha under any dependence. The t-th hypothesis is rejected when e_t &gt;= 1 / alpha_t, alpha_t =
 * alpha gamma_t (D_{t-1} + 1), gamma_t = 6 / (pi^2 t^2), D = rejections so far. Xu &amp; Ramdas,
 * AISTATS 2024. Immutable.
 *
 * @param alpha false discovery rate, inside (0, 1)
 * @param decisions decisions so far
 * @param rejections those of them that rejected
 */
public record ELond(double alpha, long decisions, long rejections) {
  /** Checks the arguments. */
  public ELond {
    Arguments.requireInside("alpha", alpha);
    Arguments.requireAtLeast("decisions", decisions, 0L);
    Arguments.requireCount("rejections", rejections, decisions);
  }

  /** Before the first decision. */
  public static ELond start(double alpha) {
    return new ELond(alpha, 0, 0);
  }

  /** alpha_t of the next decision. */
  public double level() {
    double t = decisions + 1.0;
    return alpha * (6 / (Math.PI * Math.PI * t * t)) * (rejections + 1.0);
  }

  /** Whether the next decision rejects at this e-value, not negative. */
  public boolean rejects(double e) {
    if (!(e >= 0)) {
      throw new IllegalArgumentException("e=" + e + ": must not be negative");
    }
    return e >= 1 / level();
  }

  /** After the decision at this e-value. */
  public ELond next(double e) {
    return new ELond(alpha, decisions + 1, rejections + (rejects(e) ? 1 : 0));
  }
}

package io.servedrift.monitors.stats;

/**
 * Evidence for linear explanations of residuals: d ~ N(X theta, V) with theta ~ N(0, s0^2 I) on
 * some columns of X, against theta = 0. V = diag(v) + tau^2 1 1': independent errors and a movement
 * common to all cells.
 *
 * <p>With A = X' V^-1 X and b = X' V^-1 d, ln BF = 1/2 b'(A + I/s0^2)^-1 b - 1/2 ln det(I + s0^2
 * A), on the columns of the explanation. By Woodbury's identity V^-1 = diag(1/v) - q (1/v)(1/v)', q
 * = tau^2 / (1 + tau^2 sum 1/v), so A and b are computed once, in one pass over the cells, and each
 * explanation costs a matrix of its own size. Immutable.
 */
public final class LogBayesFactor {
  private final double[][] a;
  private final double[] b;

  /**
   * Prepares A and b.
   *
   * @param x a row for each cell, a column for each feature
   * @param d residual mean of each cell
   * @param v variance of each residual mean, above 0
   * @param tau2 variance of the common movement, 0 or more
   */
  public LogBayesFactor(double[][] x, double[] d, double[] v, double tau2) {
    Arguments.requireSameLength("d", d.length, "x", x.length);
    Arguments.requireSameLength("v", v.length, "x", x.length);
    Arguments.requireAtLeast("tau2", tau2, 0.0);
    int features = x.length == 0 ? 0 : x[0].length;
    a = new double[features][features];
    b = new double[features];
    double[] columns = new double[features];
    double weights = 0;
    double weighted = 0;
    for (int row = 0; row < x.length; row++) {
      Arguments.requireSameLength("row of x", x[row].length, "first row", features);
      Arguments.requireAbove("v", v[row], 0);
      double w = 1 / v[row];
      weights += w;
      weighted += w * d[row];
      for (int i = 0; i < features; i++) {
        double wx = w * x[row][i];
        columns[i] += wx;
        b[i] += wx * d[row];
        for (int j = 0; j <= i; j++) {
          a[i][j] += wx * x[row][j];
        }
      }
    }
    double q = tau2 / (1 + tau2 * weights);
    for (int i = 0; i < features; i++) {
      b[i] -= q * columns[i] * weighted;
      for (int j = 0; j <= i; j++) {
        a[i][j] -= q * columns[i] * columns[j];
        a[j][i] = a[i][j];
      }
    }
  }

  /**
   * Fits an explanation.
   *
   * @param s0 prior standard deviation of each coefficient, above 0
   * @param features different columns of x; none is the null, with ln BF = 0
   */
  public Fit fit(double s0, int... features) {
    Arguments.requireAbove("s0", s0, 0);
    int size = features.length;
    double[][] precision = new double[size][size];
    double[] moment = new double[size];
    for (int i = 0; i < size; i++) {
      moment[i] = b[features[i]];
      for (int j = 0; j < size; j++) {
        precision[i][j] = a[features[i]][features[j]] + (i == j ? 1 / (s0 * s0) : 0);
      }
    }
    return new Fit(precision, moment, s0);
  }

  /**
   * An explanation fitted: its evidence and the normal posterior of its coefficients. Immutable.
   */
  public static final class Fit {
    /** Below this share of its size a pivot is rounding. */
    private static final double SINGULAR = 1e-13;

    private final double logBayesFactor;
    private final double[] mean;
    private final double[][] covariance;

    private Fit(double[][] precision, double[] moment, double s0) {
      int size = moment.length;
      double[][] root = cholesky(precision);
      double logDeterminant = 0;
      for (int i = 0; i < size; i++) {
        logDeterminant += 2 * StrictMath.log(root[i][i] * s0);
      }
      mean = solve(root, moment);
      double gain = 0;
      for (int i = 0; i < size; i++) {
        gain += moment[i] * mean[i];
      }
      logBayesFactor = (gain - logDeterminant) / 2;
      covariance = new double[size][];
      for (int i = 0; i < size; i++) {
        double[] unit = new double[size];
        unit[i] = 1;
        covariance[i] = solve(root, unit);
      }
    }

    /** ln BF against the null, in nats. */
    public double logBayesFactor() {
      return logBayesFactor;
    }

    /** Posterior mean of a coefficient, by its place among the features of the fit. */
    public double mean(int feature) {
      return mean[feature];
    }

    /** Posterior covariance of two coefficients. */
    public double covariance(int feature, int other) {
      return covariance[feature][other];
    }

    /** Lower triangular L with L L' = m, m positive definite. */
    private static double[][] cholesky(double[][] m) {
      double[][] root = new double[m.length][m.length];
      for (int i = 0; i < m.length; i++) {
        for (int j = 0; j <= i; j++) {
          double rest = m[i][j];
          for (int k = 0; k < j; k++) {
            rest -= root[i][k] * root[j][k];
          }
          if (i != j) {
            root[i][j] = rest / root[j][j];
          } else if (rest > SINGULAR * m[i][i]) {
            root[i][i] = Math.sqrt(rest);
          } else {
            throw new IllegalArgumentException(
                "s0: too large for features that coincide, the precision is singular");
          }
        }
      }
      return root;
    }

    private static double[] solve(double[][] root, double[] right) {
      int size = right.length;
      double[] x = right.clone();
      for (int i = 0; i < size; i++) {
        for (int k = 0; k < i; k++) {
          x[i] -= root[i][k] * x[k];
        }
        x[i] /= root[i][i];
      }
      for (int i = size - 1; i >= 0; i--) {
        for (int k = i + 1; k < size; k++) {
          x[i] -= root[k][i] * x[k];
        }
        x[i] /= root[i][i];
      }
      return x;
    }
  }
}

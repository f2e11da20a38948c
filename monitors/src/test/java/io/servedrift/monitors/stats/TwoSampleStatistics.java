package io.servedrift.monitors.stats;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/**
 * Tests of two samples that other monitors use, for comparison with ours: written down here so that
 * the comparison does not depend on a library, and checked against reference values.
 */
public final class TwoSampleStatistics {
  private TwoSampleStatistics() {}

  /** Largest difference of the two empirical distribution functions. */
  public static double ks(double[] x, double[] y) {
    return Math.max(ksAbove(x, y), ksAbove(y, x));
  }

  /** Largest amount by which the distribution function of x lies above that of y. */
  public static double ksAbove(double[] x, double[] y) {
    double[] a = sorted(x);
    double[] b = sorted(y);
    double largest = 0;
    for (double value : a) {
      largest = Math.max(largest, share(a, value) - share(b, value));
    }
    return largest;
  }

  /**
   * P(D &gt;= d) of the two-sample statistic without ties, by counting lattice paths; with both
   * sides or with the upper only.
   */
  public static double ksExactP(double d, int n, int m, boolean twoSided) {
    double[] inside = new double[m + 1];
    double bound = d - 1e-9;
    for (int i = 0; i <= n; i++) {
      for (int j = 0; j <= m; j++) {
        double difference = (double) i / n - (double) j / m;
        boolean out = (twoSided ? Math.abs(difference) : difference) >= bound;
        if (out) {
          inside[j] = 0;
        } else if (i == 0 && j == 0) {
          inside[j] = 1;
        } else {
          // Probability that a random path through (i, j) came here without leaving.
          double down = i == 0 ? 0 : inside[j] * i / (i + j);
          double left = j == 0 ? 0 : inside[j - 1] * j / (i + j);
          inside[j] = down + left;
        }
      }
    }
    return 1 - inside[m];
  }

  /** P(D_n &gt;= d) of the one-sample statistic; Marsaglia, Tsang &amp; Wang (2003). */
  public static double kolmogorovP(double d, int n) {
    int k = (int) Math.ceil(n * d);
    int size = 2 * k - 1;
    double h = k - n * d;
    double[][] matrix = new double[size][size];
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        matrix[i][j] = i - j + 1 < 0 ? 0 : 1;
      }
    }
    for (int i = 0; i < size; i++) {
      matrix[i][0] -= Math.pow(h, i + 1);
      matrix[size - 1][i] -= Math.pow(h, size - i);
    }
    matrix[size - 1][0] += 2 * h - 1 > 0 ? Math.pow(2 * h - 1, size) : 0;
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        for (int g = 1; g <= i - j + 1; g++) {
          matrix[i][j] /= g;
        }
      }
    }
    double[] row = new double[size];
    row[k - 1] = 1;
    for (int i = 1; i <= n; i++) {
      double[] next = new double[size];
      for (int a = 0; a < size; a++) {
        for (int b = 0; b < size; b++) {
          next[b] += row[a] * matrix[a][b] * i / n;
        }
      }
      row = next;
    }
    return 1 - row[k - 1];
  }

  /** P(sqrt(n) D &gt; x) in the limit of large n. */
  public static double kolmogorovLimitP(double x) {
    double sum = 0;
    for (int k = 1; k <= 100; k++) {
      sum += (k % 2 == 1 ? 2 : -2) * Math.exp(-2.0 * k * k * x * x);
    }
    return sum;
  }

  /** Mann and Whitney's U of x: pairs in which x is larger, ties by half. */
  public static double mannWhitney(double[] x, double[] y) {
    double u = 0;
    for (double a : x) {
      for (double b : y) {
        u += a > b ? 1 : a == b ? 0.5 : 0;
      }
    }
    return u;
  }

  /** Two-sided exact p of U without ties, by counting arrangements. */
  public static double mannWhitneyExactP(double u, int n, int m) {
    double[][] previous = new double[m + 1][n * m + 1];
    for (int j = 0; j <= m; j++) {
      previous[j][0] = 1;
    }
    for (int i = 1; i <= n; i++) {
      double[][] counts = new double[m + 1][n * m + 1];
      counts[0][0] = 1;
      for (int j = 1; j <= m; j++) {
        for (int v = 0; v <= i * j; v++) {
          // The largest is an x, above all j of y, or a y.
          counts[j][v] = (v >= j ? previous[j][v - j] : 0) + counts[j - 1][v];
        }
      }
      previous = counts;
    }
    double total = Arrays.stream(previous[m]).sum();
    int larger = (int) Math.max(u, (double) n * m - u);
    double tail = Arrays.stream(previous[m], larger, n * m + 1).sum() / total;
    return Math.min(1, 2 * tail);
  }

  /** Mann and Whitney's z with the variance corrected for ties, without continuity correction. */
  public static ZScore mannWhitneyScore(double[] x, double[] y, double continuity) {
    double n = x.length;
    double m = y.length;
    double total = n + m;
    double difference = mannWhitney(x, y) - n * m / 2;
    double[] all = sorted(DoubleStream.concat(Arrays.stream(x), Arrays.stream(y)).toArray());
    double ties = 0;
    for (double value : Arrays.stream(all).distinct().toArray()) {
      double tied = Arrays.stream(all).filter(v -> v == value).count();
      ties += tied * tied * tied - tied;
    }
    double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
    double reduced = Math.copySign(Math.abs(difference) - continuity, difference);
    return new ZScore(reduced / Math.sqrt(variance));
  }

  /** Two-sample statistic of Cramer and von Mises; Anderson (1962). */
  public static double cramerVonMises(double[] x, double[] y) {
    double[] a = sorted(x);
    double[] b = sorted(y);
    double n = x.length;
    double m = y.length;
    double[] all = sorted(DoubleStream.concat(Arrays.stream(x), Arrays.stream(y)).toArray());
    double u = n * squaredRankShift(a, all) + m * squaredRankShift(b, all);
    double t = u / (n * m * (n + m)) - (4 * n * m - 1) / (6 * (n + m));
    return t;
  }

  private static double squaredRankShift(double[] sample, double[] all) {
    double sum = 0;
    for (int i = 0; i < sample.length; i++) {
      double value = sample[i];
      double below = Arrays.stream(all).filter(v -> v < value).count();
      double equal = Arrays.stream(all).filter(v -> v == value).count();
      double shift = below + (equal + 1) / 2 - (i + 1);
      sum += shift * shift;
    }
    return sum;
  }

  /** p of the statistic by its limit law, after matching mean and variance; Anderson (1962). */
  public static double cramerVonMisesP(double t, int n, int m) {
    double total = n + m;
    double product = (double) n * m;
    double mean = (1 + 1 / total) / 6;
    double variance =
        (total + 1)
            * (4 * product * total - 3 * ((double) n * n + (double) m * m) - 2 * product)
            / (45 * total * total * 4 * product);
    return 1 - cramerVonMisesLimit(1.0 / 6 + (t - mean) / Math.sqrt(45 * variance));
  }

  /** Limit law of W^2; Csorgo &amp; Faraway (1996), equation 1.3. */
  private static double cramerVonMisesLimit(double x) {
    double sum = 0;
    double coefficient = 1;
    for (int k = 0; k < 40; k++) {
      double y = 4 * k + 1;
      double q = y * y / (16 * x);
      sum += coefficient * Math.sqrt(y) * besselQuarter(q) * Math.exp(-q);
      // Gamma(k + 1/2) / (Gamma(1/2) k!) of the next k.
      coefficient *= (k + 0.5) / (k + 1);
    }
    return sum / (Math.PI * Math.sqrt(x));
  }

  /**
   * Modified Bessel function K of order 1/4, by the trapezoidal rule, which converges fast here.
   */
  private static double besselQuarter(double x) {
    double step = 0.005;
    double sum = 0.5 * Math.exp(-x);
    for (int i = 1; i < 3000; i++) {
      double s = i * step;
      sum += Math.exp(-x * Math.cosh(s)) * Math.cosh(s / 4);
    }
    return sum * step;
  }

  /** Distance of Wasserstein of order 1: area between the distribution functions. */
  public static double wasserstein(double[] x, double[] y) {
    return wasserstein(x, ones(x.length), y, ones(y.length));
  }

  /** The same for weighted values. */
  public static double wasserstein(double[] x, double[] wx, double[] y, double[] wy) {
    return overGaps(x, wx, y, wy, Math::abs);
  }

  /** Energy distance: sqrt(2 times the integral of the squared difference). */
  public static double energy(double[] x, double[] y) {
    return Math.sqrt(2 * overGaps(x, ones(x.length), y, ones(y.length), d -> d * d));
  }

  private static double overGaps(
      double[] x, double[] wx, double[] y, double[] wy, DoubleUnaryOperator of) {
    double[] all =
        DoubleStream.concat(Arrays.stream(x), Arrays.stream(y)).sorted().distinct().toArray();
    double sum = 0;
    for (int i = 1; i < all.length; i++) {
      double difference = weightUpTo(all[i - 1], x, wx) - weightUpTo(all[i - 1], y, wy);
      sum += of.applyAsDouble(difference) * (all[i] - all[i - 1]);
    }
    return sum;
  }

  private static double weightUpTo(double value, double[] x, double[] weights) {
    double below = 0;
    double total = 0;
    for (int i = 0; i < x.length; i++) {
      total += weights[i];
      below += x[i] <= value ? weights[i] : 0;
    }
    return below / total;
  }

  /** Population stability index: sum (q - p) ln(q / p). */
  public static double psi(double[] p, double[] q) {
    return kullbackLeibler(p, q) + kullbackLeibler(q, p);
  }

  /** PSI of counts; shares below the floor are raised to it, without normalising again. */
  public static double psi(double[] reference, double[] current, double floor) {
    double[] p = floored(reference, floor);
    double[] q = floored(current, floor);
    double sum = 0;
    for (int i = 0; i < p.length; i++) {
      sum += (q[i] - p[i]) * Math.log(q[i] / p[i]);
    }
    return sum;
  }

  private static double[] floored(double[] counts, double floor) {
    double total = Arrays.stream(counts).sum();
    return Arrays.stream(counts).map(c -> Math.max(floor, c / total)).toArray();
  }

  /** sum p ln(p / q), in nats. */
  public static double kullbackLeibler(double[] p, double[] q) {
    double sum = 0;
    for (int i = 0; i < p.length; i++) {
      sum += p[i] == 0 ? 0 : p[i] * Math.log(p[i] / q[i]);
    }
    return sum;
  }

  /** Distance of Jensen and Shannon: root of the divergence in bits. */
  public static double jensenShannon(double[] p, double[] q) {
    double[] middle = new double[p.length];
    Arrays.setAll(middle, i -> (p[i] + q[i]) / 2);
    double nats = (kullbackLeibler(p, middle) + kullbackLeibler(q, middle)) / 2;
    return Math.sqrt(nats / Math.log(2));
  }

  /** Distance of Hellinger. */
  public static double hellinger(double[] p, double[] q) {
    double sum = 0;
    for (int i = 0; i < p.length; i++) {
      double difference = Math.sqrt(p[i]) - Math.sqrt(q[i]);
      sum += difference * difference;
    }
    return Math.sqrt(sum / 2);
  }

  private static double[] ones(int n) {
    double[] ones = new double[n];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static double[] sorted(double[] values) {
    double[] copy = values.clone();
    Arrays.sort(copy);
    return copy;
  }

  /** Share of sorted values up to a value. */
  private static double share(double[] ascending, double value) {
    int low = 0;
    int high = ascending.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ascending[middle] <= value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return (double) low / ascending.length;
  }
}

package io.servedrift.monitors.stats;

import java.util.List;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Exceedances of window and reference compared within strata: is the common odds ratio 1? Cochran
 * (1954), Mantel &amp; Haenszel (1959); interval by Robins, Breslow &amp; Greenland (1986). It
 * supposes independent requests: its p-value is shown, never used to alarm. Immutable.
 *
 * @param chi (sum a - sum E[a]) / sqrt(sum Var[a]), without continuity correction: its square is
 *     the chi-squared statistic, its sign the direction
 * @param corrected the same with |sum a - sum E[a]| less 1/2
 * @param oddsRatio common odds ratio of Mantel and Haenszel; 0, infinite or NaN where there are no
 *     exceedances, or nothing else
 * @param logOddsRatio interval for its logarithm; without limits where it cannot be had
 */
public record CochranMantelHaenszel(
    ZScore chi, ZScore corrected, double oddsRatio, Interval logOddsRatio) {

  /**
   * Counts of one stratum, all 0 or more.
   *
   * @param windowBeyond exceedances in the window
   * @param windowWithin the other requests of the window
   * @param referenceBeyond exceedances in the reference
   * @param referenceWithin the other requests of the reference
   */
  public record Table(
      long windowBeyond, long windowWithin, long referenceBeyond, long referenceWithin) {
    /** Checks the counts. */
    public Table {
      Arguments.requireAtLeast("windowBeyond", windowBeyond, 0L);
      Arguments.requireAtLeast("windowWithin", windowWithin, 0L);
      Arguments.requireAtLeast("referenceBeyond", referenceBeyond, 0L);
      Arguments.requireAtLeast("referenceWithin", referenceWithin, 0L);
    }
  }

  /**
   * The test over strata. A stratum with an empty margin says nothing and changes nothing.
   *
   * @param strata any number
   * @param level of the interval, inside (0, 1)
   */
  public static CochranMantelHaenszel of(List<Table> strata, double level) {
    Arguments.requireInside("level", level);
    double difference = 0;
    double variance = 0;
    Odds odds = new Odds();
    for (Table table : strata) {
      double a = table.windowBeyond;
      double b = table.windowWithin;
      double c = table.referenceBeyond;
      double d = table.referenceWithin;
      double n = a + b + c + d;
      if (n > 1) {
        difference += a - (a + b) * (a + c) / n;
        variance += (a + b) * (c + d) / n * (a + c) / n * (b + d) / (n - 1);
        odds.add((a + d) / n, (b + c) / n, a * d / n, b * c / n);
      }
    }
    double reduced = Math.copySign(Math.max(0, Math.abs(difference) - 0.5), difference);
    double sd = Math.sqrt(variance);
    return new CochranMantelHaenszel(
        new ZScore(sd > 0 ? difference / sd : 0),
        new ZScore(sd > 0 ? reduced / sd : 0),
        odds.r / odds.s,
        odds.interval(level));
  }

  /** chi squared, with one degree of freedom. */
  public double chiSquared() {
    return chi.z() * chi.z();
  }

  /** Its p-value, two-sided. */
  public double p() {
    return chi.twoSided();
  }

  /** Sums of Robins, Breslow and Greenland, in their letters. */
  private static final class Odds {
    private double r;
    private double s;
    private double pr;
    private double psAndQr;
    private double qs;

    void add(double p, double q, double ad, double bc) {
      r += ad;
      s += bc;
      pr += p * ad;
      psAndQr += p * bc + q * ad;
      qs += q * bc;
    }

    Interval interval(double level) {
      if (!(r > 0 && s > 0)) {
        return new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
      }
      double variance = pr / (2 * r * r) + psAndQr / (2 * r * s) + qs / (2 * s * s);
      double z = NormalDistribution.of(0, 1).inverseSurvivalProbability((1 - level) / 2);
      double log = StrictMath.log(r / s);
      double half = z * Math.sqrt(variance);
      return new Interval(log - half, log + half);
    }
  }
}

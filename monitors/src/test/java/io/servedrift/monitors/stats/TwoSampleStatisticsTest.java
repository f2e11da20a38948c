package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.junit.jupiter.api.Test;

/** {@link TwoSampleStatistics} against reference values. */
class TwoSampleStatisticsTest {
  private static double[] in(RefValues.Case reference, String name) {
    return RefValues.numbers(reference.inputs().get(name));
  }

  @Test
  void agreesOnKolmogorovAndSmirnov_whenComparedWithReferenceValues() {
    RefValues.Case exact = RefValues.named("ks2_exact");
    double[] x = in(exact, "x");
    double[] y = in(exact, "y");
    double d = TwoSampleStatistics.ks(x, y);
    exact.check(d, exact.expected().get("D"));
    exact.check(
        TwoSampleStatistics.ksExactP(d, x.length, y.length, true), exact.expected().get("p"));

    double effective = (double) x.length * y.length / (x.length + y.length);
    RefValues.Case asymptotic = RefValues.named("ks2_asymp");
    asymptotic.check(
        TwoSampleStatistics.kolmogorovP(d, (int) Math.round(effective)),
        asymptotic.expected().get("p"));
    RefValues.Case limit = RefValues.named("ks2_limit");
    limit.check(
        TwoSampleStatistics.kolmogorovLimitP(d * Math.sqrt(effective)), limit.expected().get("p"));

    RefValues.Case above = RefValues.named("ks2_greater");
    x = in(above, "x");
    y = in(above, "y");
    d = TwoSampleStatistics.ksAbove(x, y);
    above.check(d, above.expected().get("D"));
    above.check(
        TwoSampleStatistics.ksExactP(d, x.length, y.length, false), above.expected().get("p"));
  }

  @Test
  void agreesOnMannAndWhitney_whenComparedWithReferenceValues() {
    RefValues.Case exact = RefValues.named("mwu_exact");
    double[] x = in(exact, "x");
    double[] y = in(exact, "y");
    double u = TwoSampleStatistics.mannWhitney(x, y);
    exact.check(u, exact.expected().get("U"));
    exact.check(
        TwoSampleStatistics.mannWhitneyExactP(u, x.length, y.length), exact.expected().get("p"));

    RefValues.Case corrected = RefValues.named("mwu_ties_cc");
    x = in(corrected, "x");
    y = in(corrected, "y");
    corrected.check(TwoSampleStatistics.mannWhitney(x, y), corrected.expected().get("U"));
    corrected.check(
        TwoSampleStatistics.mannWhitneyScore(x, y, 0.5).twoSided(), corrected.expected().get("p"));
    RefValues.Case less = RefValues.named("mwu_ties_less");
    less.check(
        TwoSampleStatistics.mannWhitneyScore(in(less, "x"), in(less, "y"), 0).lower(),
        less.expected().get("p"));
  }

  @Test
  void agreesOnCramerAndVonMises_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("cvm2");
    double[] x = in(reference, "x");
    double[] y = in(reference, "y");
    double t = TwoSampleStatistics.cramerVonMises(x, y);
    reference.check(t, reference.expected().get("T"));
    reference.check(
        TwoSampleStatistics.cramerVonMisesP(t, x.length, y.length),
        reference.expected().get("p_asymptotic"));
  }

  @Test
  void agreesOnDistances_whenComparedWithReferenceValues() {
    RefValues.Case plain = RefValues.named("wasserstein");
    plain.check(TwoSampleStatistics.wasserstein(in(plain, "x"), in(plain, "y")), plain.expected());
    RefValues.Case weighted = RefValues.named("wasserstein_weighted");
    weighted.check(
        TwoSampleStatistics.wasserstein(
            in(weighted, "x"), in(weighted, "wx"), in(weighted, "y"), in(weighted, "wy")),
        weighted.expected());
    RefValues.Case energy = RefValues.named("energy");
    energy.check(TwoSampleStatistics.energy(in(energy, "x"), in(energy, "y")), energy.expected());
  }

  @Test
  void agreesOnHistograms_whenComparedWithReferenceValues() {
    RefValues.Case psi = RefValues.named("psi");
    double[] p = in(psi, "p");
    double[] q = in(psi, "q");
    psi.check(TwoSampleStatistics.psi(p, q), psi.expected());
    RefValues.Case kl = RefValues.named("kl");
    kl.check(TwoSampleStatistics.kullbackLeibler(p, q), kl.expected());
    RefValues.Case js = RefValues.named("js_distance");
    js.check(TwoSampleStatistics.jensenShannon(p, q), js.expected());
    RefValues.Case hellinger = RefValues.named("hellinger");
    hellinger.check(TwoSampleStatistics.hellinger(p, q), hellinger.expected());

    RefValues.Case empty = RefValues.named("psi_zero_bin");
    double floor = empty.inputs().get("floor").doubleValue();
    empty.check(
        TwoSampleStatistics.psi(in(empty, "ref_counts"), in(empty, "cur_counts"), floor),
        empty.expected());
    RefValues.Case threshold = RefValues.named("psi_null_threshold");
    JsonNode given = threshold.inputs();
    double scale = 1 / given.get("N").doubleValue() + 1 / given.get("M").doubleValue();
    double degrees = given.get("B").doubleValue() - 1;
    threshold.check(scale * degrees, threshold.expected().get("mean"));
    threshold.check(
        scale
            * ChiSquaredDistribution.of(degrees)
                .inverseCumulativeProbability(given.get("level").doubleValue()),
        threshold.expected().get("q"));
  }

  @Test
  void isOneStratumOfVanElteren_whenCountedInBins() {
    RefValues.Case less = RefValues.named("mwu_ties_less");
    double[] x = in(less, "x");
    double[] y = in(less, "y");
    long[][] window = new long[1][101];
    long[][] reference = new long[1][101];
    for (double value : x) {
      window[0][(int) Math.round(value * 100)]++;
    }
    for (double value : y) {
      reference[0][(int) Math.round(value * 100)]++;
    }
    less.check(VanElteren.of(window, reference).lower(), less.expected().get("p"));
    assertThat(VanElteren.of(window, reference).z()).isPositive();
  }
}

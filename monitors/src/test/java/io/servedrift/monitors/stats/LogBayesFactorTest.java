package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.StreamSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

class LogBayesFactorTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("log_bayes_factor");
    JsonNode in = reference.inputs();
    double[][] x =
        StreamSupport.stream(in.get("X").spliterator(), false)
            .map(RefValues::numbers)
            .toArray(double[][]::new);
    LogBayesFactor evidence =
        new LogBayesFactor(
            x,
            RefValues.numbers(in.get("d")),
            RefValues.numbers(in.get("v")),
            in.get("tau2").doubleValue());
    double s0 = in.get("s0").doubleValue();
    for (Map.Entry<String, JsonNode> model : in.get("models").properties()) {
      int[] features =
          Arrays.stream(RefValues.numbers(model.getValue())).mapToInt(f -> (int) f).toArray();
      reference.check(
          evidence.fit(s0, features).logBayesFactor(), reference.expected().get(model.getKey()));
    }
  }

  @Property(tries = 100)
  void isTheRatioOfTheDensities_whenTheMatricesAreWrittenOut(
      @ForAll @IntRange(min = 1, max = 12) int cells,
      @ForAll @IntRange(min = 1, max = 4) int features,
      @ForAll @Scale(3) @DoubleRange(min = 0, max = 2) double tau2,
      @ForAll @Scale(3) @DoubleRange(min = 0.05, max = 3) double s0,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] x = new double[cells][];
    double[][] v = new double[cells][cells];
    double[] variances = random.doubles(cells, 0.1, 2).toArray();
    double[] d = random.doubles(cells, -3, 3).toArray();
    double[][] withEffect = new double[cells][cells];
    for (int i = 0; i < cells; i++) {
      x[i] = random.doubles(features, -1, 1).toArray();
    }
    int[] all = new int[features];
    Arrays.setAll(all, i -> i);
    for (int i = 0; i < cells; i++) {
      for (int j = 0; j < cells; j++) {
        v[i][j] = tau2 + (i == j ? variances[i] : 0);
        withEffect[i][j] = v[i][j];
        for (int k = 0; k < features; k++) {
          withEffect[i][j] += s0 * s0 * x[i][k] * x[j][k];
        }
      }
    }
    double direct = logDensity(withEffect, d) - logDensity(v, d);
    LogBayesFactor.Fit fit = new LogBayesFactor(x, d, variances, tau2).fit(s0, all);
    assertThat(fit.logBayesFactor())
        .isCloseTo(direct, within(1e-8 * Math.max(1, Math.abs(direct))));
  }

  /** ln N(d; 0, v) without its constant, by Gaussian elimination. */
  private static double logDensity(double[][] v, double[] d) {
    int n = d.length;
    double[][] m = new double[n][];
    double[] y = d.clone();
    for (int i = 0; i < n; i++) {
      m[i] = v[i].clone();
    }
    double log = 0;
    for (int i = 0; i < n; i++) {
      log -= (Math.log(m[i][i]) + y[i] * y[i] / m[i][i]) / 2;
      for (int r = i + 1; r < n; r++) {
        double factor = m[r][i] / m[i][i];
        y[r] -= factor * y[i];
        for (int c = i; c < n; c++) {
          m[r][c] -= factor * m[i][c];
        }
      }
    }
    return log;
  }

  @Test
  void shrinksTheMeanTowardsZero_whenOneCellIsAllThereIs() {
    // One cell, d = 2 with variance 1, prior variance 4: mean 2 * 4/5, variance 4/5.
    LogBayesFactor evidence =
        new LogBayesFactor(new double[][] {{1}}, new double[] {2}, new double[] {1}, 0);
    LogBayesFactor.Fit fit = evidence.fit(2, 0);
    assertThat(fit.mean(0)).isCloseTo(1.6, within(1e-12));
    assertThat(fit.covariance(0, 0)).isCloseTo(0.8, within(1e-12));
    assertThat(evidence.fit(2).logBayesFactor()).isZero();
  }

  @Test
  void doesNotBelieveACommonMove_whenSuchMovesAreOrdinary() {
    double[][] x = {{1, 0}, {1, 1}, {1, 0}, {1, 1}};
    double[] v = {1e-4, 1e-4, 1e-4, 1e-4};
    double[] all = {0.1, 0.1, 0.1, 0.1};
    assertThat(new LogBayesFactor(x, all, v, 0).fit(0.1, 0).logBayesFactor()).isGreaterThan(50);
    assertThat(new LogBayesFactor(x, all, v, 0.01).fit(0.1, 0).logBayesFactor()).isLessThan(1);
    double[] one = {0, 0.1, 0, 0.1};
    LogBayesFactor.Fit pair = new LogBayesFactor(x, one, v, 0.01).fit(0.1, 0, 1);
    assertThat(pair.mean(1)).isCloseTo(0.1, within(0.01));
    double covariance = pair.covariance(0, 1);
    assertThat(covariance).isNegative();
    assertThat(pair.covariance(1, 0)).isCloseTo(covariance, within(1e-12 * Math.abs(covariance)));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    double[][] x = {{1, 1}, {1, 1}};
    double[] d = {1, 1};
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LogBayesFactor(x, d, new double[] {1, 0}, 0))
        .withMessage("v=0.0: must be finite and above 0.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LogBayesFactor(x, new double[3], d, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new LogBayesFactor(x, d, d, -1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LogBayesFactor(new double[][] {{1, 1}, {1}}, d, d, 0))
        .withMessage("row of x has 1 entries: must be as many as in first row, 2");
    LogBayesFactor evidence = new LogBayesFactor(x, d, d, 0);
    assertThatIllegalArgumentException().isThrownBy(() -> evidence.fit(0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> evidence.fit(1e12, 0, 1))
        .withMessageContaining("coincide");
  }
}

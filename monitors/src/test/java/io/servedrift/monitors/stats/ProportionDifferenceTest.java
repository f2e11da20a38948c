package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

class ProportionDifferenceTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case newcombe = RefValues.named("newcombe");
    Counts in = Counts.of(newcombe.inputs());
    Interval interval = ProportionDifference.newcombe(in.k1, in.n1, in.k2, in.n2, 0.95);
    newcombe.check(interval.lower(), newcombe.expected().get(0));
    newcombe.check(interval.upper(), newcombe.expected().get(1));

    RefValues.Case difference = RefValues.named("score_diff");
    in = Counts.of(difference.inputs());
    ZScore score = ProportionDifference.miettinenNurminen(in.k1, in.n1, in.k2, in.n2, 0);
    difference.check(score.z(), difference.expected().get("z"));
    difference.check(score.twoSided(), difference.expected().get("p"));
  }

  /**
   * The reference for a margin comes from a version of statsmodels that puts the count x0 where
   * Miettinen and Nurminen's cubic has n0, so that its proportions are not the most likely ones,
   * and that multiplied the variance by N / (N - 1) here. With both repeated it is met to all
   * digits; ours differs by 0.08 % and is compared with a search for the most likely proportions
   * below.
   */
  @Test
  void differsOnlyByTheSlipOfItsSource_whenComparedWithTheReferenceForAMargin() {
    RefValues.Case reference = RefValues.named("score_noninferiority");
    Counts in = Counts.of(reference.inputs());
    double margin = reference.inputs().get("margin").doubleValue();
    double n = (double) in.n1 + in.n2;
    double x0 = in.k2;
    double count = (double) in.k1 + in.k2;
    // n p^3 + quadratic p^2 + linear p + constant = 0, at the middle one of its roots, where it
    // falls.
    double quadratic = (in.n1 + 2 * in.n2) * margin - n - count;
    double linear = (x0 * margin - n - 2 * x0) * margin + count;
    double constant = x0 * margin * (1 - margin);
    double lower = 0.005;
    double upper = 0.015;
    for (int i = 0; i < 100; i++) {
      double p = (lower + upper) / 2;
      if (((n * p + quadratic) * p + linear) * p + constant > 0) {
        lower = p;
      } else {
        upper = p;
      }
    }
    double second = lower;
    double first = second + margin;
    double variance = first * (1 - first) / in.n1 + second * (1 - second) / in.n2;
    double difference = (double) in.k1 / in.n1 - (double) in.k2 / in.n2 - margin;
    ZScore slipped = new ZScore(difference / Math.sqrt(variance * n / (n - 1)));
    reference.check(slipped.z(), reference.expected().get("z"));
    reference.check(slipped.lower(), reference.expected().get("p"));

    ZScore ours = ProportionDifference.farringtonManning(in.k1, in.n1, in.k2, in.n2, margin);
    assertThat(ours.z()).isCloseTo(slipped.z(), within(0.0009 * Math.abs(slipped.z())));
  }

  private record Counts(long k1, long n1, long k2, long n2) {
    static Counts of(JsonNode in) {
      return new Counts(
          in.get("k1").longValue(),
          in.get("n1").longValue(),
          in.get("k2").longValue(),
          in.get("n2").longValue());
    }
  }

  @Property(tries = 300)
  void usesTheMostLikelyProportions_whenTheyAreSearchedFor(
      @ForAll @IntRange(min = 1, max = 200) int n1,
      @ForAll @IntRange(min = 1, max = 200) int n2,
      @ForAll @Scale(4) @DoubleRange(min = 0, max = 1) double share1,
      @ForAll @Scale(4) @DoubleRange(min = 0, max = 1) double share2,
      @ForAll @Scale(4) @DoubleRange(min = -0.9, max = 0.9) double margin) {
    long k1 = Math.round(share1 * n1);
    long k2 = Math.round(share2 * n2);
    double lower = Math.max(0, margin);
    double upper = Math.min(1, 1 + margin);
    for (int i = 0; i < 200; i++) {
      double p = (lower + upper) / 2;
      // The slope of the log likelihood falls from its first to its last value.
      double slope =
          term(k1, p) - term(n1 - k1, 1 - p) + term(k2, p - margin) - term(n2 - k2, 1 - p + margin);
      if (slope > 0) {
        lower = p;
      } else {
        upper = p;
      }
    }
    double p = (lower + upper) / 2;
    double variance = p * (1 - p) / n1 + (p - margin) * (1 - p + margin) / n2;
    double difference = (double) k1 / n1 - (double) k2 / n2 - margin;
    double z = ProportionDifference.farringtonManning(k1, n1, k2, n2, margin).z();
    double right = difference == 0 ? 0 : difference / Math.sqrt(variance);
    assertThat(z).isCloseTo(right, within(1e-6 * Math.max(1, Math.abs(right))));
  }

  private static double term(long count, double p) {
    return count == 0 ? 0 : count / Math.max(p, 1e-300);
  }

  @Test
  void turnsRound_whenSidesAreExchanged() {
    double z = ProportionDifference.farringtonManning(18, 1000, 11, 700, 0.01).z();
    assertThat(ProportionDifference.farringtonManning(11, 700, 18, 1000, -0.01).z())
        .isCloseTo(-z, within(1e-9));
    Interval interval = ProportionDifference.newcombe(18, 1000, 11, 700, 0.9);
    Interval turned = ProportionDifference.newcombe(11, 700, 18, 1000, 0.9);
    assertThat(turned.lower()).isCloseTo(-interval.upper(), within(1e-15));
  }

  @Test
  void isDecided_whenAllOrNothingHappens() {
    assertThat(ProportionDifference.farringtonManning(0, 50, 0, 50, 0).z()).isZero();
    assertThat(ProportionDifference.farringtonManning(50, 50, 50, 50, 0).z()).isZero();
    assertThat(ProportionDifference.farringtonManning(0, 3000, 0, 3000, 0.005).lower())
        .isLessThan(0.05);
    assertThat(ProportionDifference.newcombe(0, 50, 0, 50, 0.95).contains(0)).isTrue();
  }

  @Test
  void coversAsOftenAsItSays_whenNewcombeIsSampled() {
    new IntervalCoverageTester(13, 3000)
        .assertCoverageAtLeast(
            0.94,
            random -> {
              long k1 = random.doubles(400).filter(u -> u < 0.05).count();
              long k2 = random.doubles(300).filter(u -> u < 0.02).count();
              return ProportionDifference.newcombe(k1, 400, k2, 300, 0.95).contains(0.03);
            });
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProportionDifference.farringtonManning(1, 10, 1, 10, 1))
        .withMessage("margin=1.0: must lie between -1 and 1, both excluded");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProportionDifference.farringtonManning(11, 10, 1, 10, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProportionDifference.newcombe(1, 0, 1, 10, 0.95));
  }
}

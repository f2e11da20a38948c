package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.StreamSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link EBenjaminiHochberg}, {@link ELond} and {@link EMerge}. */
class MultiplicityTest {
  static List<RefValues.Case> selections() {
    return RefValues.startingWith("ebh_");
  }

  @ParameterizedTest
  @MethodSource("selections")
  void rejectsTheSame_whenComparedWithReferenceValues(RefValues.Case reference) {
    int[] rejected =
        EBenjaminiHochberg.reject(
            RefValues.numbers(reference.inputs().get("e")),
            reference.inputs().get("alpha").doubleValue());
    int[] right =
        StreamSupport.stream(reference.expected().spliterator(), false)
            .mapToInt(node -> node.intValue())
            .toArray();
    assertThat(rejected).isEqualTo(right);
  }

  @Property(tries = 300)
  void takesTheLargestSetThatPasses_whenComparedWithItsDefinition(
      @ForAll @Size(max = 30) List<@DoubleRange(min = 0, max = 100) Double> values) {
    double[] e = values.stream().mapToDouble(x -> x).toArray();
    int most = 0;
    for (int k = 1; k <= e.length; k++) {
      double bound = 50.0 / k;
      if (Arrays.stream(e).filter(x -> x >= bound).count() >= k) {
        most = k;
      }
    }
    int[] selected = EBenjaminiHochberg.select(e, 50);
    assertThat(selected).hasSize(most).isSorted();
    for (int i : selected) {
      assertThat(e[i]).isGreaterThanOrEqualTo(50.0 / most);
    }
  }

  /**
   * Five of ten true nulls, e = 1/p-like heavy tails; the mean false share is checked at 4.75 se.
   */
  @Test
  void keepsTheShareOfFalseOnes_whenHalfOfTheHypothesesAreTrue() {
    SplittableRandom random = new SplittableRandom(5);
    int runs = 20_000;
    double sum = 0;
    double squares = 0;
    for (int run = 0; run < runs; run++) {
      double[] e = new double[10];
      double shared = random.nextDouble();
      for (int i = 0; i < 10; i++) {
        // The worst law: all or nothing, and the true nulls all together.
        e[i] = i < 5 ? (shared < 0.02 ? 50 : 0) : 1000;
      }
      long falseOnes = Arrays.stream(EBenjaminiHochberg.reject(e, 0.1)).filter(i -> i < 5).count();
      double share = falseOnes / (falseOnes + 5.0);
      sum += share;
      squares += share * share;
    }
    double mean = sum / runs;
    double error = Math.sqrt((squares / runs - mean * mean) / runs);
    assertThat(mean).isPositive().isLessThan(0.1 + 4.75 * error);
  }

  @Test
  void decidesTheSame_whenComparedWithTheReferenceSequence() {
    RefValues.Case reference = RefValues.named("elond");
    double[] e = RefValues.numbers(reference.inputs().get("e"));
    ELond lond = ELond.start(reference.inputs().get("alpha").doubleValue());
    for (int i = 0; i < e.length; i++) {
      reference.check(lond.level(), reference.expected().get("alpha_t").get(i));
      boolean right = reference.expected().get("reject").get(i).booleanValue();
      assertThat(lond.rejects(e[i])).as("decision %d", i).isEqualTo(right);
      lond = lond.next(e[i]);
    }
    assertThat(lond.decisions()).isEqualTo(e.length);
  }

  @Test
  void spendsNoMoreThanAlpha_whenNothingIsRejected() {
    ELond lond = ELond.start(0.1);
    double spent = 0;
    for (int t = 0; t < 100_000; t++) {
      spent += lond.level();
      lond = lond.next(0);
    }
    assertThat(spent).isBetween(0.0999, 0.1);
  }

  @Test
  void merges_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("e_merge");
    double[] e = RefValues.numbers(reference.inputs().get("e"));
    reference.check(EMerge.mean(e), reference.expected().get("mean"));
    reference.check(EMerge.product(e), reference.expected().get("product"));
    reference.check(EMerge.pValue(EMerge.mean(e)), reference.expected().get("p"));
  }

  @Property(tries = 300)
  void isTheLogOfTheMean_whenGivenLogs(
      @ForAll @Size(min = 1, max = 20) List<@DoubleRange(min = 0, max = 1e6) Double> values) {
    double[] e = values.stream().mapToDouble(x -> x).toArray();
    double[] logs = Arrays.stream(e).map(Math::log).toArray();
    double[] weights = new double[e.length];
    Arrays.fill(weights, 3);
    double direct = EMerge.mean(e);
    assertThat(Math.exp(EMerge.logMean(logs))).isCloseTo(direct, within(1e-9 * direct));
    assertThat(Math.exp(EMerge.logMean(logs, weights))).isCloseTo(direct, within(1e-9 * direct));
  }

  @Test
  void weighsComponents_whenWeightsDiffer() {
    double[] logs = {Math.log(2), Math.log(8), Double.NEGATIVE_INFINITY};
    double mean = Math.exp(EMerge.logMean(logs, new double[] {1, 2, 3}));
    assertThat(mean).isCloseTo(3, within(1e-12));
    double first = Math.exp(EMerge.logMean(logs, new double[] {1, 0, 0}));
    assertThat(first).isCloseTo(2, within(1e-12));
    assertThat(EMerge.logMean(new double[] {800, 800})).isCloseTo(800, within(1e-12));
  }

  @Test
  void calibrates_whenGivenP() {
    assertThat(EMerge.ofP(0.01)).isCloseTo(5, within(1e-12));
    assertThat(EMerge.ofP(0)).isInfinite();
    assertThat(EMerge.pValue(0.5)).isEqualTo(1);
    // The integral over p, by the midpoint rule in sqrt(p).
    double integral = 0;
    int steps = 1000;
    for (int i = 0; i < steps; i++) {
      double root = (i + 0.5) / steps;
      integral += EMerge.ofP(root * root) * 2 * root / steps;
    }
    assertThat(integral).isCloseTo(1, within(1e-9));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThat(EBenjaminiHochberg.reject(new double[0], 0.1)).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EBenjaminiHochberg.select(new double[] {1, Double.NaN}, 3))
        .withMessage("e=NaN: must not be negative");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EBenjaminiHochberg.select(new double[] {-1}, 3));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EBenjaminiHochberg.reject(new double[] {1}, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> ELond.start(0.1).next(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> new ELond(0.1, 2, 3));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EMerge.mean(new double[0]))
        .withMessage("number of e-values=0: must be at least 1");
    assertThatIllegalArgumentException().isThrownBy(() -> EMerge.product(new double[] {-1}));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EMerge.logMean(new double[] {1}, new double[] {0}));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EMerge.logMean(new double[] {1}, new double[] {1, 2}))
        .withMessage("weights has 2 entries: must be as many as in logs, 1");
    assertThatIllegalArgumentException().isThrownBy(() -> EMerge.ofP(1.5));
  }
}

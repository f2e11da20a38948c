package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MeanIntervalTest {
  @Test
  void agrees_whenComparedWithTheReferenceIntervalOfPairedDifferences() {
    RefValues.Case reference = RefValues.named("paired_t");
    JsonNode x = reference.inputs().get("x");
    JsonNode y = reference.inputs().get("y");
    double[] differences = new double[x.size()];
    for (int i = 0; i < differences.length; i++) {
      differences[i] = x.get(i).doubleValue() - y.get(i).doubleValue();
    }

    Interval interval = of(differences, 0.90);

    reference.check(interval.lower(), reference.expected().get("ci90").get(0));
    reference.check(interval.upper(), reference.expected().get("ci90").get(1));
  }

  private static Interval of(double[] values, double level) {
    double mean = Arrays.stream(values).average().orElseThrow();
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    return MeanInterval.of(values.length, mean, Math.sqrt(squares / (values.length - 1)), level);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5, 60})
  void coversAsOftenAsItSays_whenValuesAreNormal(int n) {
    new IntervalCoverageTester(5, 4000)
        .assertCoverage(
            0.95,
            random -> {
              double[] sample = new double[n];
              for (int i = 0; i < n; i++) {
                sample[i] = 3 + 2 * random.nextGaussian();
              }
              return of(sample, 0.95).contains(3);
            });
  }

  @Test
  void isAPoint_whenNothingVaries() {
    assertThat(MeanInterval.of(10, 3.5, 0, 0.95)).isEqualTo(new Interval(3.5, 3.5));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MeanInterval.of(1, 0, 1, 0.95))
        .withMessage("n=1: must be at least 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MeanInterval.of(5, 0, -1, 0.95))
        .withMessage("sd=-1.0: must not be negative");
    assertThatIllegalArgumentException().isThrownBy(() -> MeanInterval.of(5, 0, 1, 0));
  }
}

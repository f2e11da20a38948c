package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MeanDifferenceTest {
  private static Moments moments(double... values) {
    Moments all = Moments.NONE;
    for (double value : values) {
      all = all.merge(new Moments(1, value, 0));
    }
    return all;
  }

  /** The sleep data of Student (1908); the interval is that of {@code t.test} in the R manual. */
  @Test
  void givesTheIntervalOfTheTextbook() {
    Moments first = moments(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0);
    Moments second = moments(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4);
    Interval interval = MeanDifference.welch(first, second, 0.95);
    assertThat(interval.lower()).isCloseTo(-3.3654832, within(1e-7));
    assertThat(interval.upper()).isCloseTo(0.2054832, within(1e-7));
  }

  @Test
  void isAPoint_whenNothingVaries() {
    Interval interval = MeanDifference.welch(moments(2, 2, 2), moments(1, 1), 0.95);
    assertThat(interval).isEqualTo(new Interval(1, 1));
  }

  @Test
  void refusesWhatHasNoVariance() {
    assertThatThrownBy(() -> MeanDifference.welch(moments(1), moments(1, 2), 0.95))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("n1=1");
  }
}

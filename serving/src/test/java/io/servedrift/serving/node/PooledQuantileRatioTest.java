package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PooledQuantileRatioTest {

  @Test
  void isTheNearestRank() {
    double[] hundred = IntStream.rangeClosed(1, 100).asDoubleStream().toArray();
    assertThat(PooledQuantileRatio.quantile(hundred, 0.99)).isEqualTo(99);
    assertThat(PooledQuantileRatio.quantile(hundred, 0.5)).isEqualTo(50);
    assertThat(PooledQuantileRatio.quantile(new double[] {3}, 0.99)).isEqualTo(3);
  }

  @Test
  void looksAtAllRoundsTogether_notAtTheLargestOfEach() {
    PooledQuantileRatio ratio = new PooledQuantileRatio(0.9);
    for (int i = 0; i < 10; i++) {
      double[] one = {2, 2, 2, 2, 2, 2, 2, 2, 2, i == 0 ? 100 : 2};
      ratio.add(one, new double[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    }
    assertThat(ratio.ratio()).isEqualTo(2);
    // Not even ten draws of the round with the outlier bring it to the 90th of a hundred.
    assertThat(ratio.interval()).containsExactly(2, 2);
  }
}

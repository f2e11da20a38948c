package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoadBucketsTest {
  @Test
  void averagesTheLastFifteenPanes_whenThereAreMore() {
    double[] arrivals = IntStream.range(0, 20).mapToDouble(i -> i).toArray();
    double[] loads = LoadBuckets.loads(arrivals);
    assertThat(loads[0]).isEqualTo(0);
    assertThat(loads[3]).isEqualTo(1.5);
    assertThat(loads[14]).isEqualTo(7);
    assertThat(loads[19]).isEqualTo(12);
  }

  @Test
  void putsAnEdgeBelow_whenLoadEqualsIt() {
    LoadBuckets buckets = new LoadBuckets(List.of(1.0, 2.0));
    assertThat(buckets.bucket(1)).isZero();
    assertThat(buckets.bucket(1.5)).isEqualTo(1);
    assertThat(buckets.bucket(9)).isEqualTo(2);
    assertThat(buckets.size()).isEqualTo(3);
  }

  @Test
  void keepsTheLastBucketForTheUnseen_whenCutFromAReference() {
    double[] loads = IntStream.rangeClosed(1, 101).mapToDouble(i -> i).toArray();
    LoadBuckets buckets = LoadBuckets.of(loads);
    assertThat(buckets.edges())
        .containsExactly(16.0, 31.0, 46.0, 61.0, 76.0, 88.5, 96.0, 100.0, 101.0);
    assertThat(buckets.bucket(101)).isEqualTo(buckets.size() - 2);
    assertThat(buckets.bucket(101.1)).isEqualTo(buckets.size() - 1);
  }

  @Test
  void countsLoadsAsSeen_whenWithinChanceOfTheHighest() {
    // 15 minutes at 240 a minute are 3600 requests: three standard deviations are 5 %
    assertThat(new LoadBuckets(List.of(100.0, 240.0)).highestSeen()).isEqualTo(252);
    assertThat(new LoadBuckets(List.of(100.0, 2400.0)).highestSeen()).isEqualTo(2520);
    // 15 requests: 77 %
    assertThat(new LoadBuckets(List.of(1.0)).highestSeen()).isBetween(1.774, 1.775);
    assertThat(new LoadBuckets(List.of(0.0)).highestSeen()).isZero();
  }

  @Test
  void rejectsEdges_whenTheyDoNotAscend() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LoadBuckets(List.of(2.0, 1.0)))
        .withMessageContaining("must ascend");
    assertThatIllegalArgumentException().isThrownBy(() -> LoadBuckets.of(new double[0]));
  }
}

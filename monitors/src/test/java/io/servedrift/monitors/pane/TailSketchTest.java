package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.tdunning.math.stats.Centroid;
import com.tdunning.math.stats.MergingDigest;
import com.tdunning.math.stats.ScaleFunction;
import io.servedrift.monitors.pane.ValueDistribution.Detail;
import io.servedrift.monitors.stats.NearestRank;
import io.servedrift.monitors.stats.RefValues;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TailSketchTest {
  private static final HistogramLayout LAYOUT = HistogramLayout.DURATIONS;

  private static double[] lognormal(Random random, int n) {
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = 5 * Math.exp(0.5 * random.nextGaussian());
    }
    return values;
  }

  private static TailSketch sketch(double... values) {
    return TailSketch.of(ValueDistribution.of(LAYOUT, values));
  }

  @Test
  void isNeutral_whenNothingWasSeen() {
    assertThat(TailSketch.empty().n()).isZero();
    assertThat(TailSketch.empty().quantile(0.5)).isNaN();
    assertThat(sketch()).isSameAs(TailSketch.empty());
    assertThat(TailSketch.merge(List.of())).isSameAs(TailSketch.empty());
    TailSketch one = sketch(3);
    assertThat(TailSketch.merge(List.of(TailSketch.empty(), one, TailSketch.empty())))
        .isEqualTo(one);
    assertThat(one.quantile(0)).isEqualTo(3);
    assertThat(one.quantile(1)).isEqualTo(3);
    assertThat(TailSketch.fromBytes(TailSketch.empty().toBytes())).isSameAs(TailSketch.empty());
  }

  @Property(tries = 100)
  void isTheSame_whenPartsComeInAnotherOrder(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int parts) {
    Random random = new Random(seed);
    List<TailSketch> sketches = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      double[] values = lognormal(random, random.nextInt(900));
      if (random.nextBoolean()) {
        values = Arrays.stream(values).map(Math::rint).toArray();
      }
      sketches.add(TailSketch.of(ValueDistribution.of(LAYOUT, values)));
    }
    TailSketch merged = TailSketch.merge(sketches);
    Collections.shuffle(sketches, random);

    assertThat(TailSketch.merge(sketches)).isEqualTo(merged);
    assertThat(TailSketch.merge(sketches).toBytes()).isEqualTo(merged.toBytes());
    assertThat(merged.n()).isEqualTo(sketches.stream().mapToLong(TailSketch::n).sum());
    assertThat(TailSketch.fromBytes(merged.toBytes())).isEqualTo(merged);
  }

  @Property(tries = 50)
  void answersTheSame_whenAskedAgainAndInAnyOrder(@ForAll long seed) {
    double[] values = lognormal(new Random(seed), 5000);
    TailSketch sketch = sketch(values);
    byte[] before = sketch.toBytes();
    double p99 = sketch.quantile(0.99);

    double[] several = sketch.atRanks(1, 2500, 4950, 5000);

    assertThat(several).isSorted();
    assertThat(several[2]).isEqualTo(p99).isEqualTo(sketch.quantile(0.99));
    assertThat(several[0]).isEqualTo(Arrays.stream(values).min().orElseThrow());
    assertThat(several[3]).isEqualTo(Arrays.stream(values).max().orElseThrow());
    assertThat(sketch.toBytes()).isEqualTo(before);
  }

  @Property(tries = 50)
  void isTheDigestOfTheLibrary_whenAllSinglesAreCompressedAtOnce(@ForAll long seed) {
    double[] values = lognormal(new Random(seed), ValueDistribution.VALUE_LIMIT);
    Arrays.sort(values);
    MergingDigest library = new MergingDigest(200, 8 * values.length);
    library.setScaleFunction(ScaleFunction.K_2);
    for (double value : values) {
      library.add(value);
    }
    List<Centroid> theirs = List.copyOf(library.centroids());

    ByteBuffer ours = ByteBuffer.wrap(sketch(values).toBytes());

    assertThat(ours.get()).isEqualTo((byte) 1);
    assertThat(ours.getInt()).isEqualTo(theirs.size());
    for (Centroid centroid : theirs) {
      assertThat(ours.getDouble()).isCloseTo(centroid.mean(), within(1e-12 * centroid.mean()));
      assertThat(ours.getLong()).isEqualTo(centroid.count());
    }
  }

  @Test
  void usesTheScaleOfTheReference_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("tdigest_scale");
    JsonNode in = reference.inputs();
    double normalizer =
        ScaleFunction.K_2.normalizer(in.get("delta").doubleValue(), in.get("n").doubleValue());
    for (int i = 0; i < in.get("q").size(); i++) {
      double k = ScaleFunction.K_2.k(in.get("q").get(i).doubleValue(), normalizer);
      reference.check(k, reference.expected().get("k2").get(i));
    }
  }

  @Test
  void staysSmallAndNear_whenADayOfMinutesIsMerged() {
    double[] quantiles = {0.5, 0.9, 0.99, 0.999};
    double[] worst = new double[quantiles.length];
    double[] worstInSteps = new double[quantiles.length];
    for (int seed = 0; seed < 8; seed++) {
      Random random = new Random(seed);
      List<TailSketch> minutes = new ArrayList<>();
      double[] all = new double[1440 * 100];
      for (int minute = 0; minute < 1440; minute++) {
        double[] values = lognormal(random, 100);
        System.arraycopy(values, 0, all, minute * 100, 100);
        minutes.add(sketch(values));
      }
      Arrays.sort(all);
      TailSketch day = TailSketch.merge(minutes);
      TailSketch inSteps = TailSketch.merge(mergedBy(12, mergedBy(5, minutes)));
      assertThat(day.toBytes()).hasSizeLessThan(2000);
      for (int i = 0; i < quantiles.length; i++) {
        double exact = all[(int) NearestRank.of(quantiles[i], all.length) - 1];
        worst[i] = Math.max(worst[i], Math.abs(day.quantile(quantiles[i]) / exact - 1));
        worstInSteps[i] =
            Math.max(worstInSteps[i], Math.abs(inSteps.quantile(quantiles[i]) / exact - 1));
      }
    }
    System.out.printf(
        "day of 1440 x 100: worst relative error of p50, p90, p99, p99.9: %s; merged by 5 minutes"
            + " and hours: %s%n",
        Arrays.toString(worst), Arrays.toString(worstInSteps));
    assertThat(worst[0]).isLessThan(0.005);
    assertThat(worst[1]).isLessThan(0.005);
    assertThat(worst[2]).isLessThan(0.005);
    assertThat(worst[3]).isLessThan(0.015);
  }

  private static List<TailSketch> mergedBy(int size, List<TailSketch> parts) {
    List<TailSketch> merged = new ArrayList<>();
    for (int at = 0; at < parts.size(); at += size) {
      merged.add(TailSketch.merge(parts.subList(at, Math.min(parts.size(), at + size))));
    }
    return merged;
  }

  @Property(tries = 30)
  void neverHoldsMoreCentroidsThanTheLibraryReads_whenSizesVary(@ForAll long seed) {
    Random random = new Random(seed);
    List<TailSketch> parts = new ArrayList<>();
    int count = 1 + random.nextInt(300);
    int size = 1 + random.nextInt(600);
    for (int i = 0; i < count; i++) {
      double[] values = lognormal(random, 1 + random.nextInt(size));
      parts.add(TailSketch.of(ValueDistribution.of(LAYOUT, values, Detail.BINS)));
      parts.add(TailSketch.of(ValueDistribution.of(LAYOUT, values)));
    }
    TailSketch merged = TailSketch.merge(parts);
    int centroids = ByteBuffer.wrap(merged.toBytes()).getInt(1);
    assertThat(centroids).isLessThanOrEqualTo(TailSketch.MOST_CENTROIDS);
    assertThat(merged.quantile(0.5)).isBetween(2.0, 12.0);
  }

  @Test
  void keepsTheExtremes_whenMadeFromBins() {
    double[] values = lognormal(new Random(3), 10_000);
    TailSketch sketch = TailSketch.of(ValueDistribution.of(LAYOUT, values));
    Arrays.sort(values);

    assertThat(sketch.n()).isEqualTo(10_000);
    assertThat(sketch.quantile(0)).isEqualTo(values[0]);
    assertThat(sketch.quantile(1)).isEqualTo(values[9999]);
    assertThat(sketch.quantile(0.99) / values[9899] - 1).isCloseTo(0, within(0.02));
    for (double[] few : new double[][] {{7}, {7, 7}, {7, 7, 7}, {0, 0, 9}}) {
      TailSketch small = TailSketch.of(ValueDistribution.of(LAYOUT, few, Detail.BINS));
      assertThat(small.n()).isEqualTo(few.length);
      assertThat(small.quantile(0)).isEqualTo(few[0]);
      assertThat(small.quantile(1)).isEqualTo(few[few.length - 1]);
    }
  }

  @Test
  void countsBeyondInts_whenSketchesAreMergedOften() {
    TailSketch sketch = TailSketch.of(ValueDistribution.of(LAYOUT, lognormal(new Random(4), 1000)));
    double median = sketch.quantile(0.5);
    for (int i = 0; i < 30; i++) {
      sketch = TailSketch.merge(List.of(sketch, sketch));
    }
    assertThat(sketch.n()).isEqualTo(1000L << 30);
    assertThat(sketch.quantile(0.5) / median - 1).isCloseTo(0, within(0.05));
    assertThat(TailSketch.fromBytes(sketch.toBytes())).isEqualTo(sketch);
  }

  @Test
  void refuses_whenBytesAreNoSketch() {
    byte[] good = sketch(1, 2, 3).toBytes();
    byte[] version = good.clone();
    version[0] = 9;
    byte[] count = ByteBuffer.wrap(good.clone()).putInt(1, -1).array();
    byte[] many = ByteBuffer.wrap(good.clone()).putInt(1, Integer.MAX_VALUE).array();
    byte[] nan = ByteBuffer.wrap(good.clone()).putDouble(5, Double.NaN).array();
    byte[] descending = ByteBuffer.wrap(good.clone()).putDouble(5, 2.5).array();
    byte[] weightless = ByteBuffer.wrap(good.clone()).putLong(13, 0).array();
    for (byte[] bad :
        List.of(
            new byte[0],
            Arrays.copyOf(good, good.length - 1),
            Arrays.copyOf(good, good.length + 1),
            version,
            count,
            many,
            nan,
            descending,
            weightless)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> TailSketch.fromBytes(bad))
          .withMessageStartingWith("tail sketch");
    }
  }

  @Test
  void refuses_whenARankDoesNotExist() {
    TailSketch sketch = sketch(1, 2, 3);
    for (long bad : new long[] {0, 4}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> sketch.atRanks(1, bad))
          .withMessage("rank " + bad + ": must be between 1 and n=3");
    }
  }
}

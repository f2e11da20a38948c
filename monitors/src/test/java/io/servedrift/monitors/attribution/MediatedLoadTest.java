package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.attribution.Attribution.Contribution;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A higher load empties the cache, and misses score lower and take longer than hits. */
class MediatedLoadTest {
  private static final CellAxes AXES =
      new CellAxes(
          2,
          List.of("a", "b"),
          List.of("miss", "hit"),
          List.of("1", "2-3"),
          List.of("no", "yes"),
          List.of("*"));
  private static final double[] HIT_SHARE = {.8, .3};

  private static CellCube traffic(double... atLoad) {
    CellCube.Builder builder = CellCube.over(AXES);
    for (int load = 0; load < atLoad.length; load++) {
      for (String group : AXES.classes()) {
        double hits = Math.rint(atLoad[load] / 2 * HIT_SHARE[load]);
        add(builder, load, group, "hit", hits, .32);
        add(builder, load, group, "miss", atLoad[load] / 2 - hits, .29);
      }
    }
    return builder.build();
  }

  private static void add(
      CellCube.Builder to, int load, String group, String cache, double n, double mean) {
    to.add(load, group, cache, "1", "no", "*", n, n * mean, n * (mean * mean + .0009));
  }

  private static Attribution found(Measure measure) {
    return new Attributor()
        .attribute(
            new AttributionInput(
                traffic(20_000, 6_000),
                List.of(traffic(2_000, 600), traffic(2_000, 600), traffic(2_000, 600)),
                traffic(500, 3_500),
                List.of(traffic(250, 1_750), traffic(250, 1_750)),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                measure,
                Changes.NONE,
                Map.of()));
  }

  @Test
  void saysCacheExposureWithLoadContributing_whenMetricIsAScore() {
    Attribution found = found(Measure.scoreMean());
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.CACHE);
    assertThat(found.verdict().mechanism()).isEqualTo(Mechanism.EXPOSURE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("cache", "miss"));
    assertThat(found.contributing()).extracting(Contribution::cause).containsExactly(Cause.LOAD);
    assertThat(found.contributing().get(0).share()).isGreaterThan(.8);
  }

  @Test
  void saysLoadWithItsMediator_whenMetricIsALatency() {
    Attribution found = found(Measure.latencyMean());
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.LOAD);
    assertThat(found.verdict().why()).contains("through cache -0.009");
    double total = found.split().total();
    assertThat(found.split().mediatedLoad().get(Cause.CACHE)).isCloseTo(total, within(.0005));
    assertThat(found.split().directLoad()).isCloseTo(0, within(.0005));
  }
}

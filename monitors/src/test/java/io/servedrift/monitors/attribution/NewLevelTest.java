package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests are put back where hardly any were before: shares of slow requests, by batch. */
class NewLevelTest {
  private static final CellAxes AXES =
      new CellAxes(
          2,
          List.of("a", "b"),
          List.of("miss"),
          List.of("1", "2-3", "4-7", "8-15"),
          List.of("no", "yes"),
          List.of("*"));
  private static final double[] SLOW = {.01, .01, .02, .02};

  /**
   * Traffic of 8000 requests times the size.
   *
   * @param preempted share of them
   * @param slow share of the preempted that is slow; the others are as slow as ever
   */
  private static CellCube traffic(int load, double size, double preempted, double slow) {
    CellCube.Builder builder = CellCube.over(AXES);
    for (String group : AXES.classes()) {
      for (int batch = 0; batch < SLOW.length; batch++) {
        double yes = Math.rint(1000 * size * preempted);
        add(builder, load, group, batch, "yes", yes, slow);
        add(builder, load, group, batch, "no", 1000 * size - yes, SLOW[batch]);
      }
    }
    return builder.build();
  }

  private static void add(
      CellCube.Builder to, int load, String group, int batch, String put, double n, double slow) {
    double sum = Math.rint(n * slow);
    to.add(load, group, "miss", AXES.batches().get(batch), put, "*", n, sum, sum);
  }

  private static Attribution found(CellCube reference, CellCube block, CellCube window) {
    return new Attributor()
        .attribute(
            new AttributionInput(
                reference,
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                Measure.latencyExceedance().adjusted(1).withUnevenness(.3),
                Changes.NONE,
                Map.of()));
  }

  private static NewLevel level(CellCube reference, CellCube window) {
    return NewLevel.preempted(reference, window, ReferenceMeans.of(reference, true), true);
  }

  @Test
  void saysScheduling_whenRequestsPutBackAreNewAndSlow() {
    Attribution found =
        found(traffic(0, 3, .001, .33), traffic(0, .3, 0, 0), traffic(0, 1, .12, .95));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.SCHEDULING);
    assertThat(found.verdict().where()).isEqualTo(Map.of("preempted", "yes"));
    assertThat(found.share(Cause.SCHEDULING).orElseThrow().share()).isGreaterThan(.9);
  }

  @Test
  void comparesWithOthersOfTheSameCell_whenNew() {
    CellCube reference = traffic(0, 3, 0, 0);
    NewLevel level = level(reference, traffic(0, 1, .12, .95));
    assertThat(level.share()).isEqualTo(.12);
    // expected alike of both: .95 less the mean of the others, .015
    assertThat(level.apart()).isBetween(.92, .95);
    assertThat(level.standardError()).isBetween(.005, .02);
  }

  @Test
  void findsNothing_whenTheReferenceKnowsSuchRequests() {
    assertThat(level(traffic(0, 3, .05, .95), traffic(0, 1, .12, .95))).isEqualTo(NewLevel.NONE);
  }

  @Test
  void doesNotSayScheduling_whenRequestsPutBackAreAsFastAsTheOthers() {
    Attribution found = found(traffic(0, 3, 0, 0), traffic(0, .3, 0, 0), traffic(0, 1, .12, .015));
    assertThat(found.verdict().cause()).isNotEqualTo(Cause.SCHEDULING);
  }

  @Test
  void doesNotSayScheduling_whenTheLoadIsOneNeverSeen() {
    Attribution found = found(traffic(0, 3, 0, 0), traffic(0, .3, 0, 0), traffic(1, 1, .12, .95));
    assertThat(found.verdict().cause()).isNotEqualTo(Cause.SCHEDULING);
  }
}

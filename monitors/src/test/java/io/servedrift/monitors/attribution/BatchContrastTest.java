package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nearly all requests share a batch, and what ran alone tells a batch from everything. */
class BatchContrastTest {
  private static final CellAxes AXES =
      new CellAxes(
          1,
          List.of("a"),
          List.of("miss", "hit"),
          List.of("1", "2-3", "4-7"),
          List.of("no"),
          List.of("*"));
  private static final double SD = .03;

  private static CellCube traffic(double size, double alone, double shiftAlone, double shift) {
    CellCube.Builder builder = CellCube.over(AXES);
    for (String cache : AXES.caches()) {
      add(builder, cache, "1", cache.equals("miss") ? alone : 0, .3 + shiftAlone);
      add(builder, cache, "2-3", 5000 * size, .3 + shift);
      add(builder, cache, "4-7", 5000 * size, .3 + shift);
    }
    return builder.build();
  }

  private static void add(CellCube.Builder to, String cache, String batch, double n, double mean) {
    to.add(0, "a", cache, batch, "no", "*", n, n * mean, n * (mean * mean + SD * SD));
  }

  private static Attribution found(CellCube window, Changes changes) {
    CellCube block = traffic(1, 130, 0, 0);
    return new Attributor()
        .attribute(
            new AttributionInput(
                traffic(10, 1300, 0, 0),
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                Measure.scoreMean().adjusted(-1).withUnevenness(.3),
                changes,
                Map.of()));
  }

  @Test
  void saysBatching_whenOnlyRequestsAloneStayed() {
    for (Changes changes : List.of(Changes.NONE, new Changes(true, true, false))) {
      Attribution found = found(traffic(1, 130, 0, -.01), changes);
      assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.BATCHING);
      assertThat(found.verdict().where()).containsOnlyKeys("batch");
      assertThat(found.cleanPath().moved(found.split().within())).isTrue();
    }
  }

  @Test
  void saysUnexplained_whenRequestsAloneMovedToo() {
    Attribution found = found(traffic(1, 130, -.01, -.01), Changes.NONE);
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.UNEXPLAINED);
  }

  @Test
  void doesNotSayBatching_whenTooFewRanAloneToTell() {
    Attribution found = found(traffic(1, 60, 0, -.01), Changes.NONE);
    assertThat(found.verdict().cause()).as(found.verdict().why()).isNotEqualTo(Cause.BATCHING);
  }

  @Test
  void saysModel_whenRequestsAloneMovedByMoreThanHalf() {
    Attribution found = found(traffic(1, 130, -.007, -.01), new Changes(true, false, false));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.MODEL);
  }
}

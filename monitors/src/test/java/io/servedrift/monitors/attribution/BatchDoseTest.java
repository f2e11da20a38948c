package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What grows with the batch, where no batch has the size that is shown as a rule. */
class BatchDoseTest {
  private static final CellAxes AXES =
      new CellAxes(
          1,
          List.of("a"),
          List.of("miss", "hit"),
          List.of("1", "2-3", "4-7", "16+"),
          List.of("no"),
          List.of("*"));
  private static final double SD = .03;

  private static CellCube traffic(double size, double lossOfOneMore) {
    CellCube.Builder builder = CellCube.over(AXES);
    for (String cache : AXES.caches()) {
      for (String batch : AXES.batches()) {
        double n = 1000 * size;
        double mean = .3 - lossOfOneMore * (1.25 * CellAxes.smallestBatch(batch) - 1);
        builder.add(0, "a", cache, batch, "no", "*", n, n * mean, n * (mean * mean + SD * SD));
      }
    }
    return builder.build();
  }

  @Test
  void namesALargeBatch() {
    CellCube block = traffic(1, 0);
    CellCube window = traffic(1, .002);
    Attribution found =
        new Attributor()
            .attribute(
                new AttributionInput(
                    traffic(10, 0),
                    List.of(block, block, block),
                    window,
                    List.of(window),
                    AttributionInput.Basis.SAME_CONFIGURATION,
                    List.of(),
                    Measure.scoreMean().adjusted(-1).withUnevenness(.3),
                    Changes.NONE,
                    Map.of()));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.BATCHING);
    assertThat(found.verdict().where()).isEqualTo(Map.of("batch", "16+"));
  }
}

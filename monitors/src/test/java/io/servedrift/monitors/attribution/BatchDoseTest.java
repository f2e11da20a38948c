package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What grows with the batch: which size names it, and what the numbers beside the name are of. */
class BatchDoseTest {
  private static final double SD = .03;
  private static final double LOSS_OF_ONE_MORE = .002;

  private static CellAxes axes(List<String> batches) {
    return new CellAxes(
        1, List.of("a"), List.of("miss", "hit"), batches, List.of("no"), List.of("*"));
  }

  /** Of a bucket's middle. */
  private static double loss(String batch, double lossOfOneMore) {
    return lossOfOneMore * (1.25 * CellAxes.smallestBatch(batch) - 1);
  }

  private static CellCube traffic(CellAxes axes, double size, double lossOfOneMore) {
    CellCube.Builder builder = CellCube.over(axes);
    for (String cache : axes.caches()) {
      for (String batch : axes.batches()) {
        double n = 1000 * size;
        double mean = .3 - loss(batch, lossOfOneMore);
        builder.add(0, "a", cache, batch, "no", "*", n, n * mean, n * (mean * mean + SD * SD));
      }
    }
    return builder.build();
  }

  private static Attribution.Verdict verdict(List<String> batches) {
    CellAxes axes = axes(batches);
    CellCube block = traffic(axes, 1, 0);
    CellCube window = traffic(axes, 1, LOSS_OF_ONE_MORE);
    return new Attributor()
        .attribute(
            new AttributionInput(
                traffic(axes, 10, 0),
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                Measure.scoreMean().adjusted(-1).withUnevenness(.3),
                Changes.NONE,
                Map.of()))
        .verdict();
  }

  @ParameterizedTest
  @CsvSource({"1 2-3 4-7 16+, 16+", "1 2-3 4-7 8-15 16+, 8-15", "1 2-3 4-7, 4-7"})
  void namesALargeBatch_andSaysWhatThatOneLost(String seen, String named) {
    List<String> batches = List.of(seen.split(" "));
    Attribution.Verdict found = verdict(batches);
    assertThat(found.cause()).as(found.why()).isEqualTo(Cause.BATCHING);
    assertThat(found.where()).isEqualTo(Map.of("batch", named));

    Matcher why =
        Pattern.compile(
                "requests with batch=(\\S+) moved by (\\S+) .* like for like, the others by (\\S+)"
                    + " .*; the more, the larger the batch")
            .matcher(found.why());
    assertThat(why.matches()).as(found.why()).isTrue();
    assertThat(why.group(1)).isEqualTo(named);
    // Three digits are printed.
    Percentage rounding = Percentage.withPercentage(.5);
    assertThat(Double.parseDouble(why.group(2)))
        .isCloseTo(-loss(named, LOSS_OF_ONE_MORE), rounding);
    double others =
        batches.stream()
            .filter(batch -> !batch.equals(named))
            .mapToDouble(batch -> loss(batch, LOSS_OF_ONE_MORE))
            .average()
            .orElseThrow();
    assertThat(Double.parseDouble(why.group(3))).isCloseTo(-others, rounding);
  }

  /** Few run in batches of 8 to 15 when servers are full, and those may have stayed. */
  @ParameterizedTest
  @CsvSource({"0, 16+", ".02, 8-15"})
  void isNamedByTheSmallestLargeBatchThatMoved(double lossOfEight, String named) {
    CellAxes axes = axes(List.of("1", "2-3", "8-15", "16+"));
    CellCube reference = traffic(axes, 10, 0);
    CellCube.Builder builder = CellCube.over(axes);
    for (String batch : axes.batches()) {
      double mean = .3 - (batch.equals("16+") ? .03 : batch.equals("8-15") ? lossOfEight : 0);
      builder.add(0, "a", "miss", batch, "no", "*", 500, 500 * mean, 500 * (mean * mean + SD * SD));
    }
    Measure measure = Measure.scoreMean().adjusted(-1).withUnevenness(.3);
    ResidualCells cells =
        ResidualCells.of(
            reference,
            builder.build(),
            ReferenceMeans.of(reference, false),
            measure,
            AttributionInput.Basis.SAME_CONFIGURATION,
            0);
    Evidence evidence = Evidence.of(cells, axes, true);
    int graded =
        IntStream.range(0, evidence.size()).filter(evidence::graded).findFirst().orElseThrow();
    assertThat(evidence.feature(graded).level()).isEqualTo(named);
    assertThat(cells.estimate(evidence.shown(graded)).mean())
        .isCloseTo(named.equals("16+") ? -.03 : -lossOfEight, within(1e-9));
  }
}

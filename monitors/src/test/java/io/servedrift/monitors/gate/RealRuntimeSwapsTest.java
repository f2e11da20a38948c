package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.QuantileRatio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;

/**
 * Swaps of runtimes that other people measured: one model (SDXL) on 34 systems with the CLIP mean
 * of 5000 prompts each, and the expected latencies and image thresholds of a serving runtime from
 * commit to commit. The files hold means, not requests, so requests are laid out around them: CLIP
 * with the spread of unrelated images (4.2 on the scale of 100, the least favourable pairing),
 * latencies lognormal.
 *
 * <p>Needs mlperf-sdxl and sglang-baselines below the folder of SERVEDRIFT_TEST_DATA (system
 * property or environment); left out, with that reason, when it is not set.
 */
class RealRuntimeSwapsTest {
  private static final String DATA = "SERVEDRIFT_TEST_DATA";

  /** The industry's own gate for this benchmark. */
  private static final Interval INDUSTRY = new Interval(31.68632, 31.81332);

  private static final int PROMPTS = 5000;
  private static final double UNPAIRED_SD = 4.2;

  @Test
  void failsTheOneRunThatIsAnotherModel_andPassesTheRuntimeSwaps() throws IOException {
    GatePolicy policy = GatePolicy.parse("scores: {clip: {margin: 0.3}}", "test");
    List<Map<String, String>> runs = rows("mlperf-sdxl/sdxl_results.csv");
    assertThat(runs).hasSize(71);
    double reference =
        runs.stream()
            .filter(
                r ->
                    r.get("submitter").equals("NVIDIA")
                        && r.get("system").equals("DGX-H100_H100-SXM-80GBx8_TRT")
                        && r.get("scenario").equals("Offline"))
            .mapToDouble(r -> Double.parseDouble(r.get("clip")))
            .findFirst()
            .orElseThrow();
    List<String> failed = new ArrayList<>();

    for (Map<String, String> run : runs) {
      double clip = Double.parseDouble(run.get("clip"));
      double shift = clip - reference;
      double[] differences =
          IntStream.range(0, PROMPTS)
              .mapToDouble(i -> shift + (i % 2 == 0 ? UNPAIRED_SD : -UNPAIRED_SD))
              .toArray();
      Measure m =
          new ScoreTest(policy)
              .judge("clip", run.get("system"), differences, 0.3, policy.score("clip"));
      assertThat(m.state())
          .as("%s: %s", run.get("system"), m)
          .isEqualTo(INDUSTRY.contains(clip) ? MeasureState.PASS : MeasureState.FAIL);
      if (m.state() == MeasureState.FAIL) {
        failed.add(run.get("system"));
      }
    }

    assertThat(failed).containsExactly("H200-SXM-141GBx1_TRT_LCM");
  }

  /** Every change of an expected latency, with 1000 requests on each side. */
  @Test
  void judgesTheLatencyOfRealCommits() throws IOException {
    Map<MeasureState, Integer> counts = new EnumMap<>(MeasureState.class);
    for (Map<String, String> row : rows("sglang-baselines/perf_baseline_changes.csv")) {
      if (row.get("prev_e2e_ms").isEmpty() || row.get("expected_e2e_ms").isEmpty()) {
        continue;
      }
      double before = Double.parseDouble(row.get("prev_e2e_ms"));
      double after = Double.parseDouble(row.get("expected_e2e_ms"));
      Interval interval =
          QuantileRatio.of(latencies(after), latencies(before), 0.99, 1, 1).interval(0.9);
      MeasureState state = Verdicts.atMost(interval.lower(), interval.upper(), 1.1);
      counts.merge(state, 1, Integer::sum);
      double ratio = after / before;
      // With a spread of 10 % and 1000 requests the interval is -3.5 % to +3.5 %.
      if (ratio > 1.15) {
        assertThat(state).as("%s %s", row.get("scenario"), ratio).isEqualTo(MeasureState.FAIL);
      } else if (ratio < 1.05) {
        assertThat(state).as("%s %s", row.get("scenario"), ratio).isEqualTo(MeasureState.PASS);
      }
    }
    assertThat(counts.get(MeasureState.PASS)).isGreaterThan(100);
    assertThat(counts.get(MeasureState.FAIL)).isGreaterThan(10);
  }

  /** Pairs as far apart as the runtime's own thresholds allow are alike only where policy says. */
  @Test
  void findsImagesAlike_onlyWhenThePolicyIsAsWideAsTheThresholds() throws IOException {
    int tested = 0;
    for (Map<String, String> row : rows("sglang-baselines/consistency_threshold_changes.csv")) {
      if (row.get("clip").isEmpty()) {
        continue;
      }
      double threshold = Double.parseDouble(row.get("clip"));
      if (threshold < 0.1 || threshold > 0.9999) {
        continue;
      }
      GatePolicy wide = GatePolicy.parse("outputs: {cosine: " + threshold + "}", "test");
      assertThat(alike(wide, threshold)).isEqualTo(MeasureState.PASS);
      assertThat(alike(GatePolicy.defaults(), threshold))
          .isEqualTo(threshold >= 0.98 ? MeasureState.PASS : MeasureState.FAIL);
      tested++;
    }
    assertThat(tested).isGreaterThan(20);
  }

  private static MeasureState alike(GatePolicy policy, double cosine) {
    ArmPair pair = ArmPair.across(Regime.SINGLE);
    List<Answer> answers = new ArrayList<>();
    List<PairDistance> distances = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      for (Arm arm : List.of(pair.left(), pair.right())) {
        answers.add(
            new Answer(
                arm,
                0,
                null,
                new Answer.Prompt(i, null, null, 1),
                AnswerStatus.OK,
                null,
                new Answer.Timing(0, 0, 1, 1, null),
                null,
                Map.of(),
                Map.of(),
                Answer.Served.unknown()));
      }
      distances.add(new PairDistance(pair, i, 1, false, null, null, cosine, null, null));
    }
    Evidence evidence = GateJudgeTest.with(new SimulatedRun(1).evidence(), answers, distances);
    return new OutputGaps(GateCase.of(evidence, policy)).alike(pair).state();
  }

  private static double[] latencies(double milliseconds) {
    NormalDistribution normal = NormalDistribution.of(0, 0.1);
    return IntStream.range(0, 1000)
        .mapToDouble(
            i -> milliseconds * Math.exp(normal.inverseCumulativeProbability((i + 0.5) / 1000)))
        .toArray();
  }

  private static List<Map<String, String>> rows(String file) throws IOException {
    String data = System.getProperty(DATA, System.getenv(DATA));
    assumeTrue(data != null, "left out: real runtime swaps; " + DATA + " names their folder");
    Path path = Path.of(data, file);
    assumeTrue(Files.exists(path), "left out: " + path + " is not there");
    List<String> lines = Files.readAllLines(path);
    List<String> header = cells(lines.get(0));
    List<Map<String, String>> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      List<String> cells = cells(line);
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < header.size(); i++) {
        row.put(header.get(i), i < cells.size() ? cells.get(i) : "");
      }
      rows.add(row);
    }
    return rows;
  }

  /** Cells of a line; a quoted one may hold commas. */
  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }
}

package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.servedrift.monitors.stats.NearestRank;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The way of a value from pane to the whole range, on 23 days of real image generation traffic, per
 * (model, LoRA or not, images bucket) with 200 or more successful requests: p50 and p99 lie between
 * the two distinct values next to the exact nearest-rank order statistic (times are whole seconds).
 *
 * <p>Needs alibaba-gentd26/request_trace_joined.csv below the folder of SERVEDRIFT_TEST_DATA
 * (system property or environment); left out, with that reason, when it is not set.
 */
class RealTrafficAccuracyTest {
  private static final String DATA = "SERVEDRIFT_TEST_DATA";
  private static final long PANE = 60;
  private static final long[] STEPS = {300, 3600, 86_400, Long.MAX_VALUE};
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private record Row(String series, long finishedAt, double seconds) {}

  private record Part(ValueDistribution values, TailSketch sketch) {}

  @Test
  void keepsP50AndP99BesideTheOrderStatistic_whenRealTrafficIsMergedUpToTheWholeRange()
      throws IOException {
    String data = System.getProperty(DATA, System.getenv(DATA));
    assumeTrue(data != null, "left out: the real traffic; " + DATA + " names its folder");
    Path file = Path.of(data).resolve("alibaba-gentd26/request_trace_joined.csv");
    List<Row> rows = read(file);
    assertThat(rows).hasSize(26_392);
    Map<String, List<Row>> series = new TreeMap<>();
    rows.forEach(row -> series.computeIfAbsent(row.series, s -> new ArrayList<>()).add(row));
    series.values().removeIf(some -> some.size() < 200);
    assertThat(series).hasSizeGreaterThan(10);

    double worstStepped = 0;
    double worstDirect = 0;
    for (Map.Entry<String, List<Row>> entry : series.entrySet()) {
      Map<Long, Part> panes = panes(entry.getValue());
      Part whole = new Part(mergedValues(panes.values()), mergedSketch(panes.values()));
      Part stepped = stepwise(panes);
      assertThat(stepped.values).isEqualTo(whole.values);
      double[] exact = entry.getValue().stream().mapToDouble(Row::seconds).sorted().toArray();
      check(entry.getKey(), exact, WindowStatistics.of(whole.values, whole.sketch));
      check(entry.getKey(), exact, WindowStatistics.of(stepped.values, stepped.sketch));
      worstDirect = Math.max(worstDirect, p99Error(exact, whole.sketch));
      worstStepped = Math.max(worstStepped, p99Error(exact, stepped.sketch));
    }
    System.out.printf(
        "real traffic: %d series; worst p99 error of the digest alone: from panes %.3f %%, in steps"
            + " %.3f %%%n",
        series.size(), 100 * worstDirect, 100 * worstStepped);
    assertThat(worstDirect).isLessThan(0.05);
  }

  private static void check(String series, double[] exact, WindowStatistics numbers) {
    assertThat(numbers.n()).isEqualTo(exact.length);
    checkBeside(series, exact, 0.5, numbers.p50());
    checkBeside(series, exact, 0.99, numbers.p99());
    assertThat(numbers.mean())
        .isCloseTo(Arrays.stream(exact).average().orElseThrow(), within(1e-9));
  }

  private static void checkBeside(String series, double[] exact, double q, double shown) {
    double right = exact[(int) NearestRank.of(q, exact.length) - 1];
    double before = Arrays.stream(exact).filter(x -> x < right).max().orElse(right);
    double after = Arrays.stream(exact).filter(x -> x > right).min().orElse(right);
    assertThat(shown)
        .as("%s q=%s n=%d exact=%s", series, q, exact.length, right)
        .isBetween(before, after);
  }

  private static double p99Error(double[] exact, TailSketch sketch) {
    double right = exact[(int) NearestRank.of(0.99, exact.length) - 1];
    return Math.abs(sketch.quantile(0.99) / right - 1);
  }

  private static Map<Long, Part> panes(List<Row> rows) {
    Map<Long, List<Double>> columns = new TreeMap<>();
    for (Row row : rows) {
      columns.computeIfAbsent(row.finishedAt / PANE, p -> new ArrayList<>()).add(row.seconds);
    }
    Map<Long, Part> panes = new TreeMap<>();
    columns.forEach(
        (pane, column) -> {
          ValueDistribution values =
              ValueDistribution.of(
                  HistogramLayout.DURATIONS,
                  column.stream().mapToDouble(Double::doubleValue).toArray());
          panes.put(pane * PANE, new Part(values, TailSketch.of(values)));
        });
    return panes;
  }

  private static Part stepwise(Map<Long, Part> panes) {
    Map<Long, Part> level = panes;
    for (long step : STEPS) {
      Map<Long, List<Part>> grouped = new TreeMap<>();
      level.forEach(
          (at, part) -> grouped.computeIfAbsent(at / step, w -> new ArrayList<>()).add(part));
      Map<Long, Part> next = new TreeMap<>();
      grouped.forEach(
          (window, parts) ->
              next.put(
                  step == Long.MAX_VALUE ? 0 : window * step,
                  new Part(mergedValues(parts), mergedSketch(parts))));
      level = next;
    }
    return level.values().iterator().next();
  }

  private static ValueDistribution mergedValues(Collection<Part> parts) {
    return ValueDistribution.merge(parts.stream().map(Part::values).toList());
  }

  private static TailSketch mergedSketch(Collection<Part> parts) {
    return TailSketch.merge(parts.stream().map(Part::sketch).toList());
  }

  private static List<Row> read(Path file) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (var lines = Files.lines(file)) {
      lines
          .skip(1)
          .map(line -> line.split(",", -1))
          .filter(fields -> fields[3].equals("SUCCEED"))
          .forEach(fields -> rows.add(row(fields)));
    }
    return rows;
  }

  private static Row row(String[] fields) {
    double seconds = Double.parseDouble(fields[4]);
    long arrived = LocalDateTime.parse(fields[1], TIME).toEpochSecond(ZoneOffset.UTC);
    int images = (int) Double.parseDouble(fields[8]);
    String bucket = images == 1 ? "1" : images < 4 ? "2-3" : "4+";
    String lora = Integer.parseInt(fields[11]) > 0 ? "lora" : "plain";
    return new Row(fields[10] + " " + lora + " " + bucket, arrived + (long) seconds, seconds);
  }
}

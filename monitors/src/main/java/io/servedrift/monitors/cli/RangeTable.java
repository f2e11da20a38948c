package io.servedrift.monitors.cli;

import io.servedrift.schemas.avro.QuantileState;
import io.servedrift.schemas.avro.WindowSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The whole range as a table: one line per series. */
final class RangeTable {

  private static final List<String> HEADER =
      List.of(
          "deployment",
          "model",
          "configuration",
          "metric",
          "n",
          "mean",
          "p50",
          "p90",
          "p99",
          "95 % interval of p99");
  private static final int TEXT_COLUMNS = 4;

  private RangeTable() {}

  /**
   * The table, latency first, and the busiest series first.
   *
   * @param names what ids mean, for those that are known
   */
  static List<String> lines(List<WindowSummary> ranges, ConfigNames names) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    ranges.stream()
        .sorted(
            Comparator.comparing(WindowSummary::getDeployment)
                .thenComparing(window -> !window.getMetric().equals("latency"))
                .thenComparing(WindowSummary::getMetric)
                .thenComparing(WindowSummary::getN, Comparator.reverseOrder()))
        .forEach(window -> rows.add(row(window, names)));
    int[] widths = new int[HEADER.size()];
    for (List<String> row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String align = column < TEXT_COLUMNS ? "-" : "";
      line.append(column == 0 ? "" : "  ");
      line.append(String.format(Locale.ROOT, "%" + align + widths[column] + "s", row.get(column)));
    }
    return line.toString().stripTrailing();
  }

  private static List<String> row(WindowSummary window, ConfigNames names) {
    return List.of(
        window.getDeployment(),
        names.shown(window.getModelId()),
        names.shown(window.getConfigId()),
        window.getMetric(),
        String.valueOf(window.getN()),
        number(window.getMean()),
        number(window.getP50()),
        number(window.getP90()),
        number(window.getP99()),
        interval(window));
  }

  private static String interval(WindowSummary window) {
    if (window.getP99State() == QuantileState.NOT_APPLICABLE) {
      return "-";
    }
    if (window.getP99State() == QuantileState.INSUFFICIENT) {
      return "insufficient";
    }
    return "[" + number(window.getP99Lower()) + ", " + number(window.getP99Upper()) + "]";
  }

  /** Four significant digits: more would pretend to more than a sample can say. */
  private static String number(@Nullable Double value) {
    if (value == null) {
      return "-";
    }
    double size = Math.abs(value);
    int decimals = size == 0 ? 0 : (int) Math.max(0, 3 - Math.floor(Math.log10(size)));
    return String.format(Locale.ROOT, "%." + Math.min(decimals, 9) + "f", value);
  }
}

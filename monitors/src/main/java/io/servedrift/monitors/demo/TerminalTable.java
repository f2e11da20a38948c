package io.servedrift.monitors.demo;

import io.servedrift.monitors.page.ConfigText;
import io.servedrift.monitors.page.ReadModel;
import io.servedrift.monitors.page.StoredWindow;
import io.servedrift.monitors.page.WindowLength;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.QuantileState;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The table of configurations on a terminal: the latest closed window of each, redrawn in place on
 * a terminal, written as plain lines otherwise. Not thread-safe.
 */
public final class TerminalTable {
  private static final String[] HEADER = {
    "configuration", "model", "n", "p50", "p90", "p99 [95 % interval]", "errors", "clip"
  };
  private static final int TEXT_COLUMNS = 2;
  private static final int LONGEST_NAME = 44;
  private static final String GAP = "  ";
  private static final String WRAP_OFF = "\u001b[?7l";
  private static final String WRAP_ON = "\u001b[?7h";

  private final PrintStream out;
  private final boolean redraw;
  private final boolean color;
  private int drawn;

  /**
   * A table on this stream.
   *
   * @param out where to
   * @param terminal whether it is a terminal, on which the table is redrawn in place
   * @param noColor whether {@code NO_COLOR} asks for no colours
   */
  public TerminalTable(PrintStream out, boolean terminal, boolean noColor) {
    this.out = out;
    this.redraw = terminal;
    this.color = terminal && !noColor;
  }

  /**
   * Draws the latest windows of a length.
   *
   * @param model where from
   * @param window one of the model's window lengths
   * @param note a last line, e.g. where the same numbers are served; empty for none
   */
  public void draw(ReadModel model, Duration window, String note) {
    List<String> lines = lines(model, window, color);
    if (!note.isEmpty()) {
      lines.add(clean(note));
    }
    draw(lines);
  }

  /**
   * Draws all that a configuration has served, as far as windows of a length are kept and closed.
   *
   * @param window one of the model's window lengths
   */
  public void drawOverall(ReadModel model, Duration window) {
    Map<RowKey, Map<String, WindowStatistics>> rows = new LinkedHashMap<>();
    model.overall(window).forEach((series, numbers) -> add(rows, series, numbers));
    draw(table(model, rows, color));
  }

  private void draw(List<String> lines) {
    StringBuilder text = new StringBuilder();
    if (redraw) {
      // A line that wrapped would take two rows, and the next redraw would start one row too low.
      text.append(WRAP_OFF).append(drawn > 0 ? "\u001b[" + drawn + "A\u001b[J" : "");
    }
    lines.forEach(line -> text.append(line).append('\n'));
    text.append(redraw ? WRAP_ON : "\n");
    drawn = lines.size();
    out.print(text);
    out.flush();
  }

  private record RowKey(String deployment, String configId, String modelId) {}

  /** The table as lines. */
  static List<String> lines(ReadModel model, Duration window, boolean color) {
    Map<RowKey, Map<String, WindowStatistics>> rows = new LinkedHashMap<>();
    Instant newest = Instant.MIN;
    for (StoredWindow latest : model.latest(window)) {
      add(rows, latest.series(), latest.numbers());
      newest = latest.end().isAfter(newest) ? latest.end() : newest;
    }
    List<String> lines = new ArrayList<>();
    if (rows.isEmpty()) {
      lines.add("no " + WindowLength.text(window) + " window has closed yet");
      return lines;
    }
    lines.add(
        WindowLength.text(window)
            + " windows, latest to "
            + newest.truncatedTo(ChronoUnit.SECONDS));
    lines.addAll(table(model, rows, color));
    return lines;
  }

  private static void add(
      Map<RowKey, Map<String, WindowStatistics>> rows, SeriesKey key, WindowStatistics numbers) {
    rows.computeIfAbsent(
            new RowKey(key.deployment(), key.configId(), key.modelId()), k -> new LinkedHashMap<>())
        .put(key.metric(), numbers);
  }

  private static List<String> table(
      ReadModel model, Map<RowKey, Map<String, WindowStatistics>> rows, boolean color) {
    List<String[]> cells = new ArrayList<>();
    cells.add(HEADER);
    rows.entrySet().stream()
        .sorted(
            Comparator.comparing(
                    (Map.Entry<RowKey, Map<String, WindowStatistics>> row) ->
                        row.getKey().deployment())
                .thenComparing(row -> -count(row.getValue()))
                .thenComparing(row -> row.getKey().configId()))
        .forEach(row -> cells.add(cells(model, row.getKey(), row.getValue())));
    return align(cells, color);
  }

  private static long count(Map<String, WindowStatistics> metrics) {
    WindowStatistics latency = metrics.get("latency");
    return latency == null ? 0 : latency.n();
  }

  private static String[] cells(
      ReadModel model, RowKey key, Map<String, WindowStatistics> metrics) {
    WindowStatistics latency = metrics.get("latency");
    WindowStatistics errors = metrics.get("error_ratio");
    WindowStatistics clip = metrics.get("clip");
    return new String[] {
      configuration(model, key.configId()),
      modelName(model, key.modelId()),
      latency == null ? "0" : Long.toString(latency.n()),
      latency == null ? "-" : seconds(latency.p50()),
      latency == null ? "-" : seconds(latency.p90()),
      latency == null ? "-" : p99(latency),
      errors == null || errors.mean() == null
          ? "-"
          : String.format(Locale.ROOT, "%.2f %%", 100 * errors.mean()),
      clip == null || clip.mean() == null ? "-" : String.format(Locale.ROOT, "%.4f", clip.mean())
    };
  }

  private static String configuration(ReadModel model, String configId) {
    if (configId.equals(SeriesKey.ALL)) {
      return "all configurations";
    }
    ReadModel.KnownConfig known = model.config(configId);
    String name = known == null ? "" : ConfigText.shortName(known.record());
    String id = clean(configId);
    return name.isEmpty()
        ? cut(id)
        : cut(name) + " (" + id.substring(0, Math.min(8, id.length())) + ")";
  }

  private static String modelName(ReadModel model, String modelId) {
    ConfigRecord record = model.model(modelId);
    String name = record == null ? "" : ConfigText.modelName(record);
    return cut(name.isEmpty() ? modelId : name);
  }

  private static String p99(WindowStatistics w) {
    Double p99 = w.p99();
    Double lower = w.p99Lower();
    Double upper = w.p99Upper();
    if (w.p99State() == QuantileState.LOWER_BOUND && lower != null) {
      return ">= " + seconds(lower) + " (n=" + w.n() + ")";
    }
    if (p99 == null || lower == null || upper == null) {
      return "insufficient (n=" + w.n() + ")";
    }
    return seconds(p99) + " [" + seconds(lower) + ".." + seconds(upper) + "]";
  }

  private static String seconds(@Nullable Double value) {
    if (value == null) {
      return "-";
    }
    return String.format(
        Locale.ROOT, value >= 100 ? "%.0f s" : value >= 10 ? "%.1f s" : "%.2f s", value);
  }

  private static String cut(String name) {
    String text = clean(name);
    return text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME - 3) + "..." : text;
  }

  // Names come from the traffic; a control character in one must not reach the terminal.
  private static String clean(String text) {
    return text.replaceAll("\\p{C}", "?");
  }

  private static List<String> align(List<String[]> rows, boolean color) {
    int[] widths = new int[HEADER.length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String pad = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? "" : GAP).append(i < TEXT_COLUMNS ? row[i] + pad : pad + row[i]);
      }
      String text = line.toString().stripTrailing();
      lines.add(color && row == HEADER ? "\u001b[1m" + text + "\u001b[0m" : text);
    }
    return lines;
  }
}

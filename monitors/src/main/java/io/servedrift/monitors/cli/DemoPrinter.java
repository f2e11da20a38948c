package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.demo.LoadNumbers;
import io.servedrift.monitors.demo.TerminalTable;
import io.servedrift.monitors.page.ReadModel;
import io.servedrift.schemas.avro.Finding;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** Writes the story: what is found on stdout, how it goes on stderr. Not thread-safe. */
final class DemoPrinter {
  private static final Duration EVERY = Duration.ofSeconds(10);

  private final Terminal terminal;
  private final boolean quiet;
  private Duration next = EVERY;

  DemoPrinter(Terminal terminal, boolean quiet) {
    this.terminal = terminal;
    this.quiet = quiet;
  }

  /** A line about how it goes. */
  void say(String line) {
    if (!quiet) {
      terminal.err().println(line);
    }
  }

  /** A part of the story with its lines. */
  void tell(String heading, List<String> lines) {
    PrintWriter out = terminal.out();
    out.println();
    out.println(terminal.color() ? "\u001b[1m" + heading + "\u001b[0m" : heading);
    lines.forEach(line -> out.println("  " + line));
    out.flush();
  }

  /** An act begins: its progress counts from 0. */
  void act(String heading, List<String> lines) {
    tell(heading, lines);
    next = EVERY;
  }

  /** A line each ten seconds, for who watches. */
  void progress(Duration since, LoadNumbers numbers) {
    if (due(since)) {
      next = next.plus(EVERY);
      say(
          String.format(
              Locale.ROOT,
              "  %d:%02d  %s",
              since.toMinutes(),
              since.toSecondsPart(),
              text(numbers, since)));
    }
  }

  /** Whether {@link #progress} would write a line now. */
  boolean due(Duration since) {
    return terminal.errInteractive() && since.compareTo(next) >= 0;
  }

  /** What clients saw, in a line. */
  static String text(LoadNumbers numbers, Duration since) {
    StringJoiner line = new StringJoiner(", ");
    line.add(numbers.images() + " images");
    line.add(String.format(Locale.ROOT, "%.1f/s", numbers.images() / (since.toMillis() / 1000.0)));
    line.add("mean " + seconds(numbers.mean()));
    line.add("p99 " + seconds(numbers.p99()));
    if (numbers.failures() > 0) {
      line.add(numbers.failures() + " failed, the latest: " + numbers.failure());
    }
    return line.toString();
  }

  private static String seconds(double value) {
    return Double.isNaN(value)
        ? "-"
        : String.format(Locale.ROOT, value < 1 ? "%.3f s" : "%.2f s", value);
  }

  /** How a number moved, in plain words. */
  static String moved(String what, double before, double after) {
    if (Double.isNaN(before) || Double.isNaN(after)) {
      return what + " insufficient";
    }
    String verb = after < .97 * before ? "fell" : after > 1.03 * before ? "rose" : "stayed";
    return what + " " + verb + ": " + seconds(before) + " -> " + seconds(after);
  }

  /** What each configuration has served, from windows of a length. */
  void table(ReadModel model, Duration window) {
    tell("What the monitor saw, by configuration", List.of());
    new TerminalTable(terminal.stdout(), false, !terminal.color()).drawOverall(model, window);
  }

  /** The finding, where it is and what it is not. */
  void finding(Finding finding, Duration after, String weights) {
    JsonNode body = JsonOutput.parse(finding.getBody());
    if (body == null) {
      throw new IllegalStateException("finding " + finding.getFindingId() + ": no JSON");
    }
    tell(
        String.format(
            Locale.ROOT,
            "The finding, after %d:%02d of act two",
            after.toMinutes(),
            after.toSecondsPart()),
        FindingTable.lines(List.of(body)));
    PrintWriter out = terminal.out();
    StringJoiner where = new StringJoiner(", ");
    for (Map.Entry<String, JsonNode> part : body.at("/verdict/where").properties()) {
      where.add(clean(part.getKey()) + "=" + clean(part.getValue().asText()));
    }
    out.println("       where " + (where.length() == 0 ? "everywhere" : where));
    for (JsonNode one : body.at("/verdict/ruled_out")) {
      boolean model = one.path("cause").asText().equals("model");
      out.println(
          "       not   "
              + clean(one.path("cause").asText())
              + ": "
              + clean(one.path("because").asText())
              + (model ? " (weights " + clean(weights) + " in both acts)" : ""));
    }
    out.flush();
  }

  private static String clean(String text) {
    return text.replaceAll("\\p{C}", "?");
  }
}

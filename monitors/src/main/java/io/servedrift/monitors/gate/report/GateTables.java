package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.ArmCost;
import io.servedrift.monitors.gate.ArmTail;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.RegimeCoverage;
import io.servedrift.monitors.gate.RunSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables below the checks: what the verdict rests on. Pure functions. */
final class GateTables {
  private GateTables() {}

  /** What runs on both sides, and what differs. */
  static void configurations(Html page, GateResult result) {
    page.text("h2", "", "Configurations");
    List<List<String>> rows = new ArrayList<>();
    for (EndpointFacts side : List.of(result.oldSide(), result.newSide())) {
      rows.add(
          List.of(
              side.side().label(),
              side.url(),
              known(side.configId()),
              known(side.modelId()),
              known(side.weightsDigest())));
    }
    table(page, List.of("side", "address", "configuration", "model", "weights"), rows, 0);
    page.text("p", "", "Weights: " + GateText.words(result.changed().weights()) + ".");
    list(page, "What differs", result.changed().changes());
    list(page, "One change at a time", result.changed().plan());
    for (EndpointFacts side : List.of(result.oldSide(), result.newSide())) {
      list(page, "What could not be read of the " + side.side().label() + " side", side.problems());
    }
  }

  /** Latencies of every arm. */
  static void tails(Html page, GateResult result) {
    if (result.tails().isEmpty()) {
      return;
    }
    page.text("h2", "", "Latency of each arm");
    List<List<String>> rows = new ArrayList<>();
    for (ArmTail tail : result.tails()) {
      rows.add(
          List.of(
              GateText.words(tail.arm().label()),
              load(tail.load()),
              Long.toString(tail.n()),
              Long.toString(tail.errors()),
              seconds(tail.p50()),
              seconds(tail.p90()),
              TailText.p99(tail),
              seconds(tail.max())));
    }
    table(
        page,
        List.of("arm", "load", "n", "errors", "p50", "p90", "p99 [95 %]", "longest"),
        rows,
        2);
    page.text(
        "p",
        "soft small",
        "Latency counts from the scheduled arrival where arrivals are scheduled, so a queue that"
            + " builds up is in it.");
  }

  /** What the arms cost. */
  static void costs(Html page, GateResult result) {
    if (result.costs().isEmpty()) {
      return;
    }
    page.text("h2", "", "Cost of each arm");
    List<List<String>> rows = new ArrayList<>();
    for (ArmCost cost : result.costs()) {
      rows.add(
          List.of(
              GateText.words(cost.arm().label()),
              load(cost.load()),
              Long.toString(cost.answers()),
              cost.perSecond() == null ? "not known" : GateText.number(cost.perSecond(), ""),
              seconds(cost.nodeSeconds()),
              cost.source()));
    }
    table(
        page,
        List.of("arm", "load", "answers", "answers per second", "node time per answer", "source"),
        rows,
        2);
  }

  /** Which share of live traffic the gate exercised. */
  static void coverage(Html page, GateResult result) {
    page.text("h2", "", "Coverage of live traffic");
    RegimeCoverage coverage = result.coverage();
    if (coverage == null) {
      page.text(
          "p", "", "Not known: no live traffic was given, so nothing says which of it was tried.");
      return;
    }
    page.text(
        "p",
        "",
        GateText.number(coverage.share(), "share")
            + " of "
            + coverage.live()
            + " live requests ("
            + coverage.source()
            + ") lie in cells that the gate exercised.");
    List<List<String>> rows = new ArrayList<>();
    for (RegimeCoverage.Cell cell : coverage.cells()) {
      rows.add(
          List.of(
              cell.cell().batch(),
              cell.cell().cache(),
              cell.cell().concurrency(),
              Long.toString(cell.live()),
              Long.toString(cell.exercised()),
              cell.covered() ? "yes" : "no"));
    }
    table(
        page,
        List.of("batch", "cache", "concurrency", "live requests", "gate's answers", "covered"),
        rows,
        3);
  }

  /** What watches afterwards. */
  static void readiness(Html page, GateResult result) {
    if (result.readiness().items().isEmpty()) {
      return;
    }
    page.text("h2", "", "Ready for afterwards");
    List<List<String>> rows = new ArrayList<>();
    for (Readiness.Item item : result.readiness().items()) {
      rows.add(List.of(item.name(), GateText.words(item.state()), item.detail()));
    }
    table(page, List.of("what", "state", "seen"), rows, 0);
  }

  /** How it was measured, and what lies beside the page. */
  static void run(Html page, GateResult result, boolean sheet) {
    RunSettings run = result.settings();
    page.text("h2", "", "How it was measured");
    List<String> lines = new ArrayList<>();
    lines.add(
        "run " + run.runId() + ", started " + run.startedAt() + ", policy " + result.policy());
    lines.add(run.prompts() + " prompts, seed " + run.seed());
    lines.add(run.concurrency() + " in flight in the production and fixed-concurrency arms");
    if (run.peakPerSecond() != null) {
      lines.add(
          "open loop: peak "
              + GateText.number(run.peakPerSecond(), "")
              + " requests per second, loads "
              + String.join(
                  ", ", run.loads().stream().map(load -> GateText.number(load, "")).toList())
              + ", "
              + run.blocks()
              + " blocks per side and load of "
              + GateText.number(run.blockSeconds(), "s")
              + ", of which the first "
              + GateText.number(run.warmUpSeconds(), "s")
              + " are dropped");
    }
    page.element("ul", "", list -> lines.forEach(line -> list.text("li", "", line)));
    page.element(
        "p",
        "soft small",
        line -> {
          line.text("The same numbers for programs: ");
          link(line, GateReport.DOCUMENT);
          line.text(", for a test report: ");
          link(line, GateReport.JUNIT);
          if (sheet) {
            line.text(". Outputs side by side, unnamed: ");
            link(line, GateReport.SHEET);
          }
          line.text(".");
        });
  }

  private static void link(Html page, String file) {
    page.element("a", List.of("href", file), link -> link.text(file));
  }

  private static void list(Html page, String heading, List<String> items) {
    if (items.isEmpty()) {
      return;
    }
    page.text("p", "", heading + ":");
    page.element("ul", "", list -> items.forEach(item -> list.text("li", "", item)));
  }

  /**
   * A table that scrolls by itself on a narrow screen.
   *
   * @param numbersFrom column from which on cells are numbers; 0 for none
   */
  private static void table(
      Html page, List<String> header, List<List<String>> rows, int numbersFrom) {
    page.element(
        "div",
        List.of("class", "scroll", "tabindex", "0"),
        scroll ->
            scroll.element(
                "table",
                "",
                table -> {
                  table.element("thead", "", head -> row(head, "th", header, numbersFrom));
                  table.element(
                      "tbody",
                      "",
                      body -> rows.forEach(cells -> row(body, "td", cells, numbersFrom)));
                }));
  }

  private static void row(Html table, String cell, List<String> cells, int numbersFrom) {
    table.element(
        "tr",
        "",
        row -> {
          for (int i = 0; i < cells.size(); i++) {
            row.text(cell, numbersFrom > 0 && i >= numbersFrom ? "number" : "", cells.get(i));
          }
        });
  }

  private static String load(@Nullable Double load) {
    return load == null ? "" : GateText.number(load, "");
  }

  private static String seconds(@Nullable Double value) {
    return GateText.number(value, "s");
  }

  private static String known(@Nullable String value) {
    return value == null ? "not known" : value;
  }
}

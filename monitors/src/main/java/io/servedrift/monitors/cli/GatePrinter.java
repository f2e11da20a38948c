package io.servedrift.monitors.cli;

import io.servedrift.monitors.gate.ArmCost;
import io.servedrift.monitors.gate.ArmTail;
import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.run.LoadEstimate;
import io.servedrift.monitors.gate.run.RunEstimate;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a gate says, for people at a terminal. */
final class GatePrinter {
  private static final int MEASURES = 4;
  private static final String NONE = "-";

  private final PrintWriter out;

  GatePrinter(PrintWriter out) {
    this.out = out;
  }

  /** The whole result. */
  void print(GateResult result) {
    out.println(
        "gate: " + result.outcome().label().toUpperCase(Locale.ROOT) + ": " + clean(result.why()));
    out.println(clean(result.deciding().text()));
    result.deciding().because().forEach(line -> out.println("  " + clean(line)));
    if (result.bar() != null) {
      out.println(clean(result.bar().text()));
    }
    out.println();
    control(result);
    result.checks().forEach(this::check);
    changed(result);
    tails(result.tails());
    costs(result.costs());
    coverage(result);
    readiness(result.readiness());
  }

  /** Text from an endpoint may hold anything: nothing that controls a terminal reaches it. */
  private static String clean(String text) {
    // Cc with C1, Cf (which reorders), and the separators of lines and paragraphs.
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
  }

  private void control(GateResult result) {
    out.printf(
        Locale.ROOT,
        "%-18s %-14s %s%n",
        "a/a control",
        result.control().state().label(),
        clean(result.control().why()));
  }

  private void check(CheckResult check) {
    out.printf(
        Locale.ROOT,
        "%-18s %-14s %s%s%n",
        check.name().label(),
        check.state().label(),
        clean(check.why()),
        check.needed() == null ? "" : "; needs n = " + check.needed());
    check.measures().stream().limit(MEASURES).forEach(this::measure);
    int more = check.measures().size() - MEASURES;
    if (more > 0) {
      out.println("    and " + more + " more numbers, see --json or --report");
    }
  }

  private void measure(Measure measure) {
    String interval =
        measure.low() == null && measure.high() == null
            ? ""
            : " [" + number(measure.low()) + ", " + number(measure.high()) + "]";
    out.printf(
        Locale.ROOT,
        "    %s, %s: %s%s %s, margin %s, n = %d, %s%n",
        clean(measure.name()),
        clean(measure.of()),
        number(measure.value()),
        interval,
        clean(measure.unit()),
        number(measure.margin()),
        measure.n(),
        measure.state().name().toLowerCase(Locale.ROOT));
  }

  private void changed(GateResult result) {
    out.println();
    out.println(
        "weights "
            + result.changed().weights().name().toLowerCase(Locale.ROOT)
            + ", axes that differ: "
            + (result.changed().axes().isEmpty()
                ? "none"
                : clean(String.join(", ", result.changed().axes()))));
    result.changed().plan().forEach(step -> out.println("  plan: " + clean(step)));
  }

  private void tails(List<ArmTail> tails) {
    if (tails.isEmpty()) {
      return;
    }
    out.println();
    out.printf(
        Locale.ROOT,
        "%-24s %5s %7s %7s %9s %9s %9s  %s%n",
        "arm",
        "load",
        "n",
        "errors",
        "p50 s",
        "p90 s",
        "p99 s",
        "95 % interval of p99");
    for (ArmTail tail : tails) {
      out.printf(
          Locale.ROOT,
          "%-24s %5s %7d %7d %9s %9s %9s  %s%n",
          tail.arm().label(),
          number(tail.load()),
          tail.n(),
          tail.errors(),
          number(tail.p50()),
          number(tail.p90()),
          number(tail.p99()),
          tail.p99Interval() == null
              ? NONE
              : number(tail.p99Interval().lower()) + ".." + number(tail.p99Interval().upper()));
    }
  }

  private void costs(List<ArmCost> costs) {
    if (costs.isEmpty()) {
      return;
    }
    out.println();
    out.printf(
        Locale.ROOT,
        "%-24s %5s %11s %23s%n",
        "arm",
        "load",
        "answers/s",
        "node seconds per answer");
    for (ArmCost cost : costs) {
      out.printf(
          Locale.ROOT,
          "%-24s %5s %11s %23s  %s%n",
          cost.arm().label(),
          number(cost.load()),
          number(cost.perSecond()),
          number(cost.nodeSeconds()),
          clean(cost.source()));
    }
  }

  private void coverage(GateResult result) {
    if (result.coverage() != null) {
      out.println();
      out.printf(
          Locale.ROOT,
          "%.0f %% of %d live requests lie in batch x cache x concurrency cells that the gate"
              + " exercised%n",
          100 * result.coverage().share(),
          result.coverage().live());
    }
  }

  private void readiness(Readiness readiness) {
    for (Readiness.Item item : readiness.items()) {
      out.println(
          "afterwards: "
              + clean(item.name())
              + ": "
              + item.state().name().toLowerCase(Locale.ROOT).replace('_', ' ')
              + ", "
              + clean(item.detail()));
    }
  }

  private static String number(@Nullable Double value) {
    if (value == null || value.isNaN()) {
      return NONE;
    }
    if (value.isInfinite()) {
      return value > 0 ? "inf" : "-inf";
    }
    return Math.abs(value) >= 1000
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.4g", value);
  }

  /**
   * What a run will cost, how rough that is, and what it cannot show.
   *
   * @param leastRequests what the policy wants per side and load level
   */
  void print(RunEstimate estimate, long leastRequests) {
    for (RunEstimate.Line line : estimate.lines()) {
      out.printf(
          Locale.ROOT,
          "%-18s about %7d requests, %s%n",
          line.regime().label(),
          line.requests(),
          range(line.leastSeconds(), line.mostSeconds()));
    }
    out.printf(
        Locale.ROOT,
        "%-18s about %7d requests, %s%n",
        "in all",
        estimate.requests(),
        range(estimate.leastSeconds(), estimate.mostSeconds()));
    out.println(
        "  rests on "
            + estimate.probes()
            + " requests to each side, one at a time, the last of which counts: a cold endpoint"
            + " makes it too long, a queue too short");
    estimate.loads().forEach(level -> shortage(level, leastRequests));
  }

  private void shortage(LoadEstimate level, long wanted) {
    if (level.enough(wanted) == LoadEstimate.Enough.YES) {
      return;
    }
    out.printf(
        Locale.ROOT,
        "  p99_under_load %s be insufficient: at load %s about %s requests per side after the"
            + " warm-up, least_requests is %d; needs a peak rate of %.2f/s, or longer or more"
            + " blocks%n",
        level.enough(wanted) == LoadEstimate.Enough.NO ? "will" : "may",
        number(level.load()),
        Math.round(level.leastRequests()) == Math.round(level.mostRequests())
            ? Math.round(level.mostRequests())
            : Math.round(level.leastRequests()) + " to " + Math.round(level.mostRequests()),
        wanted,
        level.peakFor(wanted));
  }

  private static String range(double least, double most) {
    String from = time(least);
    String to = time(most);
    return from.equals(to) ? from : from + " to " + to;
  }

  private static String time(double seconds) {
    Duration time = Duration.ofSeconds((long) Math.ceil(seconds));
    return String.format(
        Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart());
  }
}

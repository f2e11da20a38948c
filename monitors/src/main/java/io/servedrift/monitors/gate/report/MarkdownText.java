package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.ArmTail;
import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.CheckState;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import io.servedrift.monitors.gate.RegimeCoverage;
import java.util.List;
import java.util.Locale;

/**
 * The result as Markdown, for a comment on a pull request: sentence, table of the checks with the
 * number that decides each, what changed, and the tails. Whatever comes from outside is text there:
 * no markup, no link, no mention. Pure functions.
 */
final class MarkdownText {
  /** What Markdown (CommonMark 0.31, with tables) reads as more than itself. */
  private static final String MARKS = "\\`*_{}[]()#+-!|~<>&";

  private MarkdownText() {}

  static String of(GateResult result) {
    StringBuilder out = new StringBuilder();
    out.append("## Release gate: ")
        .append(result.outcome().label().toUpperCase(Locale.ROOT))
        .append("\n\n**")
        .append(escaped(result.deciding().text()))
        .append("**\n\n")
        .append(escaped(result.why()))
        .append("\n");
    if (result.bar() != null) {
      out.append("\n").append(escaped(result.bar().text())).append("\n");
    }
    list(out, "What stands in the way", result.problems());
    checks(out, result);
    changed(out, result);
    tails(out, result.tails());
    coverage(out, result);
    out.append("\nPolicy ")
        .append(escaped(result.policy()))
        .append(", run ")
        .append(escaped(result.settings().runId()))
        .append(", ")
        .append(result.settings().prompts())
        .append(" prompts, seed ")
        .append(result.settings().seed())
        .append(".\n");
    return out.toString();
  }

  private static void checks(StringBuilder out, GateResult result) {
    out.append("\n| check | state | decided by | n | margin |\n|---|---|---|---|---|\n");
    row(
        out,
        "aa_control",
        result.control().state(),
        "",
        result.control().measures(),
        result.control().why());
    for (CheckResult check : result.checks()) {
      row(
          out,
          check.name().label(),
          check.state(),
          check.needed() == null ? "" : ", needs n " + check.needed(),
          check.measures(),
          check.why());
    }
    out.append('\n');
    for (CheckResult check : result.checks()) {
      out.append("- `")
          .append(check.name().label())
          .append("` (")
          .append(check.name().evidence().label())
          .append("): ")
          .append(escaped(check.why()))
          .append("\n");
    }
  }

  private static void row(
      StringBuilder out,
      String name,
      CheckState state,
      String needs,
      List<Measure> measures,
      String why) {
    out.append("| `")
        .append(name)
        .append("` | ")
        .append(GateText.words(state.label()))
        .append(needs)
        .append(" | ");
    if (measures.isEmpty()) {
      out.append(escaped(why)).append(" | | |\n");
      return;
    }
    Measure first = GateText.deciding(state, measures);
    out.append(escaped(first.name() + " (" + first.of() + "): " + GateText.estimate(first)))
        .append(" | ")
        .append(first.n())
        .append(" | ")
        .append(
            first.margin() == null ? "" : escaped(GateText.number(first.margin(), first.unit())))
        .append(" |\n");
  }

  private static void changed(StringBuilder out, GateResult result) {
    out.append("\nWeights: ").append(GateText.words(result.changed().weights())).append(".\n");
    list(out, "What changed in the configuration", result.changed().changes());
    list(out, "One change at a time", result.changed().plan());
  }

  private static void tails(StringBuilder out, List<ArmTail> tails) {
    if (tails.isEmpty()) {
      return;
    }
    out.append("\n| arm | load | n | errors | p50 | p99 [95 %] |\n|---|---|---|---|---|---|\n");
    for (ArmTail tail : tails) {
      out.append("| ")
          .append(escaped(tail.arm().label()))
          .append(" | ")
          .append(tail.load() == null ? "" : GateText.number(tail.load(), ""))
          .append(" | ")
          .append(tail.n())
          .append(" | ")
          .append(tail.errors())
          .append(" | ")
          .append(GateText.number(tail.p50(), "s"))
          .append(" | ")
          .append(escaped(TailText.p99(tail)))
          .append(" |\n");
    }
  }

  private static void coverage(StringBuilder out, GateResult result) {
    RegimeCoverage coverage = result.coverage();
    if (coverage != null) {
      out.append("\nThe gate exercised cells that hold ")
          .append(GateText.number(coverage.share(), "share"))
          .append(" of ")
          .append(coverage.live())
          .append(" live requests (")
          .append(escaped(coverage.source()))
          .append(").\n");
    }
  }

  private static void list(StringBuilder out, String heading, List<String> items) {
    if (items.isEmpty()) {
      return;
    }
    out.append("\n").append(heading).append(":\n\n");
    items.forEach(item -> out.append("- ").append(escaped(item)).append("\n"));
  }

  /** One line of plain text; a mention of a person is broken by a space of no width. */
  static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    for (char c : text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]+", " ").toCharArray()) {
      if (MARKS.indexOf(c) >= 0) {
        out.append('\\');
      }
      out.append(c);
      if (c == '@') {
        out.append('\u200b');
      }
    }
    return out.toString();
  }
}

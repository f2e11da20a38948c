package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.AxisChanges;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.SafeCommand;
import io.servedrift.monitors.ledger.ScoreInterval;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.avro.EvalResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recorded scores for people. What came from outside is printed without control characters. */
final class EvalText {
  private EvalText() {}

  /** Id, name, value with n and interval, configuration and model. */
  static String line(LedgerEntry entry) {
    return printable(
        entry.id()
            + "  "
            + entry.name()
            + "  "
            + value(entry.result())
            + "  on "
            + orDash(entry.configId())
            + "  of "
            + entry.modelName());
  }

  /** {@code 0.71 [0.6865, 0.7335] n=553}; what is not known is said. */
  static String value(EvalResult result) {
    return number(result.getValue())
        + " "
        + interval(result)
        + " n="
        + (result.getN() == null ? "not known" : result.getN());
  }

  /** The 95 % interval of the value. */
  static String interval(EvalResult result) {
    ScoreInterval interval = ScoreInterval.of(result);
    return interval.isKnown()
        ? "[" + number(interval.low()) + ", " + number(interval.high()) + "]"
        : "[insufficient: " + interval.missing() + "]";
  }

  /** Four significant digits: more would pretend to more than a sample can say. */
  static String number(double value) {
    double size = Math.abs(value);
    if (size == 0 || size >= 1e4) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    int decimals = (int) Math.max(0, 3 - Math.floor(Math.log10(size)));
    return String.format(Locale.ROOT, "%." + Math.min(decimals, 9) + "f", value);
  }

  /** What must be known of a record beside its number, a few words each. */
  static List<String> marks(LedgerEntry entry) {
    EvalResult result = entry.result();
    List<String> marks = new ArrayList<>();
    if (entry.configId() == null) {
      marks.add("unconfigured: describes no system that is known");
    }
    if (Boolean.TRUE.equals(result.getSameSystem())) {
      marks.add("same system by construction");
    }
    if (!entry.intendedChanges().isEmpty()) {
      marks.add(
          "resolved otherwise than intended: " + join(AxisChanges.shown(entry.intendedChanges())));
    }
    if (!entry.command().leftOut().isEmpty()) {
      marks.add("left out of the command, may be secret: " + join(entry.command().leftOut()));
    }
    if (result.getSupersedes() != null) {
      marks.add(printable("supersedes " + result.getSupersedes()));
    }
    if (EvalDigest.standing(result) == EvalDigest.Standing.ALTERED) {
      marks.add("altered: the digest does not fit");
    }
    return marks;
  }

  private static String join(List<String> texts) {
    return printable(String.join("; ", texts));
  }

  /** The command in one line, {@code -} when there is none. */
  static String command(LedgerEntry entry) {
    List<String> arguments = entry.command().arguments();
    return arguments.isEmpty() ? "-" : SafeCommand.text(arguments);
  }

  static String orDash(@Nullable Object value) {
    return value == null ? "-" : printable(value.toString());
  }

  /** What is not seen, or turns the text round, must not reach the terminal. */
  static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
  }

  /** Rows with their columns under each other. */
  static List<String> table(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream()
        .map(
            row -> {
              StringBuilder line = new StringBuilder();
              for (int i = 0; i < widths.length; i++) {
                line.append(i == 0 ? "" : "  ").append(row.get(i));
                line.append(" ".repeat(widths[i] - row.get(i).length()));
              }
              return line.toString().stripTrailing();
            })
        .toList();
  }
}

package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.CheckState;
import io.servedrift.monitors.gate.Measure;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers of the result in words for people, the same on every page. Pure functions. */
final class GateText {
  private static final int DIGITS = 4;
  private static final String UNKNOWN = "not known";

  private GateText() {}

  /**
   * A number with its unit: shares as per cent, seconds with {@code s}.
   *
   * @param value null or not finite is said as such
   */
  static String number(@Nullable Double value, String unit) {
    if (value == null || Double.isNaN(value)) {
      return UNKNOWN;
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "no upper limit" : "no lower limit";
    }
    return switch (unit) {
      case "share" -> digits(100 * value) + " %";
      case "s", "dB" -> digits(value) + " " + unit;
      case "equal" -> value == 1 ? "equal" : "not equal";
      default -> digits(value);
    };
  }

  /** Value and interval, as {@code 1.08 [1.02, 1.15]}, or the one limit that there is. */
  static String estimate(Measure measure) {
    String value = number(measure.value(), measure.unit());
    boolean low = finite(measure.low());
    boolean high = finite(measure.high());
    if (low && high) {
      return value
          + " ["
          + number(measure.low(), measure.unit())
          + ", "
          + number(measure.high(), measure.unit())
          + "]";
    }
    if (low) {
      return value + " [at least " + number(measure.low(), measure.unit()) + "]";
    }
    if (high) {
      return value + " [at most " + number(measure.high(), measure.unit()) + "]";
    }
    return measure.low() == null && measure.high() == null ? value : value + " [no limits]";
  }

  private static boolean finite(@Nullable Double limit) {
    return limit != null && Double.isFinite(limit);
  }

  /** The measure that made a check what it is: the first in the same state, else the first. */
  static Measure deciding(CheckState state, List<Measure> measures) {
    return measures.stream()
        .filter(measure -> measure.state().name().equals(state.name()))
        .findFirst()
        .orElseGet(() -> measures.get(0));
  }

  /** How much is behind a measure, and how sure its interval is. */
  static String basis(Measure measure) {
    boolean interval = measure.low() != null || measure.high() != null;
    return "n "
        + measure.n()
        + (interval ? ", " + digits(100 * measure.level()) + " % interval" : "")
        + (measure.test().isEmpty() ? "" : ", " + measure.test());
  }

  /** The margin, or nothing when it is held against none. */
  static String margin(Measure measure) {
    return measure.margin() == null ? "" : "margin " + number(measure.margin(), measure.unit());
  }

  /** {@code not applicable} for {@code not_applicable}. */
  static String words(String label) {
    return label.replace('_', ' ');
  }

  /** Name of an enumeration's value in words. */
  static String words(Enum<?> value) {
    return words(value.name().toLowerCase(Locale.ROOT));
  }

  private static String digits(double value) {
    if (value == 0) {
      return "0";
    }
    BigDecimal rounded =
        new BigDecimal(value).round(new MathContext(DIGITS, RoundingMode.HALF_EVEN));
    double size = Math.abs(value);
    if (size < 1e-4 || size >= 1e9) {
      return String.format(Locale.ROOT, "%.2e", value);
    }
    return rounded.stripTrailingZeros().toPlainString();
  }
}

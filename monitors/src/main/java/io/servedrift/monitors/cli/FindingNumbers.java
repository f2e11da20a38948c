package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers of findings for people: one form everywhere, always with what they count. */
final class FindingNumbers {
  private static final MathContext DIGITS = new MathContext(4, RoundingMode.HALF_EVEN);
  private static final double SMALL = 1e-4;
  private static final double LARGE = 1e7;

  private FindingNumbers() {}

  /** Four significant digits; whole numbers whole; {@code 1.2e-05} where plain would be long. */
  static String number(JsonNode value) {
    return value.isIntegralNumber() ? value.asText() : number(value.asDouble());
  }

  /** As {@link #number(JsonNode)}. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    if (value == 0) {
      return "0";
    }
    BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    double size = Math.abs(value);
    return size < SMALL || size >= LARGE
        ? rounded.round(DIGITS).toString().replace("E", "e")
        : rounded.toPlainString();
  }

  /** With its sign. */
  static String signed(double value) {
    return (value > 0 ? "+" : "") + number(value);
  }

  /**
   * The size of a finding, like for like: {@code +1.9 % (1.2..2.6) of the requests beyond what was
   * p99 (88.6 s then, 147 s now), n=460}.
   */
  static String size(JsonNode finding) {
    return size(finding.path("effect"), finding);
  }

  /** The same where the evidence is strongest, empty when that is everywhere. */
  static String strongest(JsonNode finding) {
    JsonNode strongest = finding.at("/effect/strongest");
    return strongest.isObject()
        ? "in " + FindingTable.text(strongest, "/in") + " " + size(strongest, finding)
        : "";
  }

  private static String size(JsonNode effect, JsonNode finding) {
    if (!effect.path("value").isNumber()) {
      return "-";
    }
    String unit = effect.path("unit").asText();
    boolean percent =
        unit.equals("relative") || unit.equals("ratio") || unit.equals("share of requests");
    double factor = percent ? 100 : 1;
    StringBuilder text = new StringBuilder(signed(factor * effect.path("value").asDouble()));
    text.append(percent ? " %" : "");
    JsonNode interval = effect.path("interval");
    if (interval.path(0).isNumber() && interval.path(1).isNumber()) {
      text.append(" (")
          .append(number(factor * interval.path(0).asDouble()))
          .append("..")
          .append(number(factor * interval.path(1).asDouble()))
          .append(')');
    }
    text.append(meaning(unit, effect, finding));
    return text.append(", n=").append(FindingTable.text(effect, "/n")).toString();
  }

  private static String meaning(String unit, JsonNode effect, JsonNode finding) {
    return switch (unit) {
      case "relative" -> " of what the baseline expects";
      case "ratio" -> " of the requests";
      case "share of requests" ->
          " of the requests beyond what was "
              + FindingTable.text(effect, "/beyond")
              + quantiles(effect, finding);
      default -> "";
    };
  }

  /** What the quantile was and is over all requests, where the finding says it. */
  private static String quantiles(JsonNode effect, JsonNode finding) {
    JsonNode before = finding.at("/baseline/p99");
    JsonNode now = finding.at("/current/p99");
    if (!effect.path("beyond").asText().equals("p99") || !before.isNumber() || !now.isNumber()) {
      return "";
    }
    String unit = isDuration(finding.path("metric").asText()) ? " s" : "";
    return " (" + number(before) + unit + " then, " + number(now) + unit + " now)";
  }

  /** What the numbers inside the verdict of a finding count. */
  static String unitOfVerdict(JsonNode finding) {
    String beyond = FindingTable.text(finding, "/effect/beyond");
    return switch (finding.at("/effect/unit").asText()) {
      case "relative" -> "natural logarithms of the duration: +0.1 is about 10 % longer";
      case "ratio" -> "shares of the requests: +0.01 is one in a hundred more that failed";
      case "share of requests" ->
          "shares of the requests beyond what was "
              + beyond
              + ": +0.01 is one in a hundred more beyond it";
      default -> "units of the score";
    };
  }

  private static boolean isDuration(String metric) {
    return switch (metric) {
      case "latency", "queue", "inference", "time_to_first_token" -> true;
      default -> metric.startsWith("stage:");
    };
  }
}

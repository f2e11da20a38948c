package io.servedrift.monitors.alert;

import java.math.BigDecimal;
import java.math.MathContext;

/** Text as annotations hold it: short, on one line, numbers with three digits. */
final class AnnotationText {
  private static final MathContext DIGITS = new MathContext(3);

  /** Control characters, halves of characters, and what turns or breaks a line in a terminal. */
  private static final String UNSAFE =
      "[\\p{Cntrl}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]";

  private AnnotationText() {}

  /** Without {@link #UNSAFE unsafe} characters, cut at a length in characters. */
  static String oneLine(String text, int longest) {
    return cut(text.replaceAll(UNSAFE, " ").strip(), longest);
  }

  /** The same, line breaks kept. */
  static String lines(String text, int longest) {
    return cut(text.replaceAll("[" + UNSAFE + "&&[^\\n]]", " ").strip(), longest);
  }

  private static String cut(String text, int longest) {
    return text.length() <= longest
        ? text
        : text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, longest - 1)))
            + "\u2026";
  }

  /** Three significant digits; no exponent for what people read as a number. */
  static String number(double value) {
    BigDecimal rounded = new BigDecimal(value).round(DIGITS);
    if (rounded.signum() == 0) {
      return "0";
    }
    double size = Math.abs(value);
    return size >= 1e6 || size < 1e-6
        ? rounded.stripTrailingZeros().toString().replace("E+", "e").replace('E', 'e')
        : rounded.stripTrailingZeros().toPlainString();
  }

  /** The same with its sign. */
  static String signed(double value) {
    return (value > 0 ? "+" : "") + number(value);
  }

  /** A share in percent. */
  static String percent(double share) {
    return number(100 * share) + " %";
  }
}

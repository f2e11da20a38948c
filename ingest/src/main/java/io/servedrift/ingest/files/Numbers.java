package io.servedrift.ingest.files;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Reads numbers from cells of unknown origin. */
final class Numbers {
  /** Longer than any number written by a sane system; keeps the arithmetic cheap. */
  private static final int MAX_CHARACTERS = 64;

  /** Beyond the range of a double. */
  private static final int MAX_SCALE = 400;

  private Numbers() {}

  /** The number, or null when the text is none (NaN and infinities are none). */
  static @Nullable BigDecimal parse(String text) {
    String stripped = text.strip();
    if (stripped.isEmpty() || stripped.length() > MAX_CHARACTERS) {
      return null;
    }
    try {
      BigDecimal number = new BigDecimal(stripped);
      boolean sane =
          Math.abs((long) number.scale()) <= MAX_SCALE && Double.isFinite(number.doubleValue());
      return sane ? number : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}

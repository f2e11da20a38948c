package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.stats.Interval;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Numbers of the document: six significant digits, what is not known is {@code null}. */
final class Numbers {
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private Numbers() {}

  static void put(ObjectNode into, String name, @Nullable Double value) {
    if (value == null || !Double.isFinite(value)) {
      into.putNull(name);
    } else {
      into.put(name, rounded(value));
    }
  }

  static void put(ObjectNode into, String name, @Nullable Interval interval) {
    if (interval == null) {
      into.putNull(name);
      return;
    }
    ArrayNode limits = JsonNodeFactory.instance.arrayNode();
    into.set(name, limits.add(rounded(interval.lower())).add(rounded(interval.upper())));
  }

  static double rounded(double value) {
    double result = new BigDecimal(value).round(DIGITS).doubleValue();
    return result == 0 ? 0 : result;
  }
}

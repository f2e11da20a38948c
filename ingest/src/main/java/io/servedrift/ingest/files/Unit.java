package io.servedrift.ingest.files;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A unit in which a file gives a number, with the factor to the unit of the contract.
 *
 * @param factor multiplied with the number of the file
 */
record Unit(BigDecimal factor) {
  private static final Map<String, Unit> DURATIONS = new LinkedHashMap<>();
  private static final Map<String, Unit> PIXELS = Map.of("px", new Unit(BigDecimal.ONE));
  private static final Map<String, Unit> RATIOS = Map.of("percent", new Unit(decimal("0.01")));

  static {
    DURATIONS.put("s", new Unit(BigDecimal.ONE));
    DURATIONS.put("ms", new Unit(decimal("0.001")));
    DURATIONS.put("us", new Unit(decimal("0.000001")));
    DURATIONS.put("ns", new Unit(decimal("0.000000001")));
    DURATIONS.put("min", new Unit(decimal("60")));
    DURATIONS.put("h", new Unit(decimal("3600")));
  }

  /** True for the fields that hold seconds. */
  static boolean isDuration(String path) {
    return path.endsWith("_seconds") || path.startsWith("stage_seconds.");
  }

  /** The unit of that name, or null when the field cannot be given in it. */
  static @Nullable Unit of(String name, String path) {
    return unitsOf(path).get(name);
  }

  static String allowedFor(String path) {
    return String.join(", ", unitsOf(path).keySet());
  }

  private static Map<String, Unit> unitsOf(String path) {
    if (isDuration(path)) {
      return DURATIONS;
    }
    return path.equals("workload.width") || path.equals("workload.height") ? PIXELS : RATIOS;
  }

  private static BigDecimal decimal(String text) {
    return new BigDecimal(text);
  }
}

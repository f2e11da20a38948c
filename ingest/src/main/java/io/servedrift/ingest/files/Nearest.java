package io.servedrift.ingest.files;

import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a mistyped one most likely meant (Levenshtein distance). Pure. */
public final class Nearest {
  private Nearest() {}

  /** {@code ", did you mean x?"}, or nothing when no name is near. */
  public static String hint(String name, Collection<String> known) {
    String nearest = of(name, known);
    return nearest == null ? "" : ", did you mean " + nearest + "?";
  }

  private static @Nullable String of(String name, Collection<String> known) {
    int reach = Math.max(2, name.length() / 2);
    return known.stream()
        .filter(k -> distance(name, k) <= reach)
        .min(Comparator.<String>comparingInt(k -> distance(name, k)).thenComparing(k -> k))
        .orElse(null);
  }

  static int distance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(substitution, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[b.length()];
  }
}

package io.servedrift.monitors.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that a mistyped one most likely meant. */
public final class NearestKey {

  private NearestKey() {}

  /**
   * The known name with the smallest edit distance (Levenshtein), ties by alphabet; empty when even
   * that one differs in more than half of the longer name, for then it would be a wild guess.
   */
  public static Optional<String> of(String name, Collection<String> known) {
    return known.stream()
        .min(
            Comparator.<String>comparingInt(candidate -> distance(name, candidate))
                .thenComparing(Comparator.naturalOrder()))
        .filter(best -> 2 * distance(name, best) <= Math.max(name.length(), best.length()));
  }

  static int distance(String left, String right) {
    int[] previous = new int[right.length() + 1];
    for (int column = 0; column < previous.length; column++) {
      previous[column] = column;
    }
    for (int row = 1; row <= left.length(); row++) {
      int[] current = new int[previous.length];
      current[0] = row;
      for (int column = 1; column < current.length; column++) {
        int change = left.charAt(row - 1) == right.charAt(column - 1) ? 0 : 1;
        current[column] =
            Math.min(
                previous[column - 1] + change, Math.min(previous[column], current[column - 1]) + 1);
      }
      previous = current;
    }
    return previous[right.length()];
  }
}

package io.servedrift.monitors.gate.run;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How far apart two chat answers are, token by token. Stateless. */
final class TokenDistance {
  private TokenDistance() {}

  /** Tokens of a text whose endpoint tells none: its words. */
  static List<String> words(String text) {
    String stripped = text.strip();
    return stripped.isEmpty() ? List.of() : List.of(stripped.split("\\s+"));
  }

  /** Index of the first token that differs, or that one of them lacks; null when none does. */
  static @Nullable Integer firstDivergence(List<String> a, List<String> b) {
    int shorter = Math.min(a.size(), b.size());
    for (int i = 0; i < shorter; i++) {
      if (!a.get(i).equals(b.get(i))) {
        return i;
      }
    }
    return a.size() == b.size() ? null : shorter;
  }

  /** Share of the positions of the longer one with equal tokens; 1 when both are empty. */
  static double share(List<String> a, List<String> b) {
    int longer = Math.max(a.size(), b.size());
    if (longer == 0) {
      return 1;
    }
    int equal = 0;
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      if (a.get(i).equals(b.get(i))) {
        equal++;
      }
    }
    return (double) equal / longer;
  }
}

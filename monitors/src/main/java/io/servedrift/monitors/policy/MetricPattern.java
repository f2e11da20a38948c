package io.servedrift.monitors.policy;

import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which metrics a rule is for: a name, the beginning of a name followed by {@code *}, {@code *} for
 * all, or all of one kind ({@code all durations}; no metric has a blank in its name). Ordered from
 * the least to the most specific; immutable.
 *
 * @param text as written
 * @param scope how the text is meant
 * @param kind for all of one kind, else null
 */
record MetricPattern(String text, Scope scope, @Nullable MetricKind kind)
    implements Comparable<MetricPattern> {

  static final String ALLOWED =
      "a metric, the beginning of a name with * at the end, *, all durations, all ratios or all"
          + " scores";

  static final MetricPattern ALL = new MetricPattern("*", Scope.ALL, null);

  private static final int LONGEST = 256;

  private static final Comparator<MetricPattern> ORDER =
      Comparator.comparing(MetricPattern::scope)
          .thenComparing(pattern -> pattern.text.length())
          .thenComparing(MetricPattern::text);

  /** From the least to the most specific. */
  enum Scope {
    ALL,
    KIND,
    PREFIX,
    NAME
  }

  /** Reads a pattern; empty when it is none. */
  static Optional<MetricPattern> parse(String text) {
    for (MetricKind kind : MetricKind.values()) {
      if (text.equals(ofKind(kind).text)) {
        return Optional.of(ofKind(kind));
      }
    }
    int star = text.indexOf('*');
    boolean wrong =
        text.isEmpty()
            || text.length() > LONGEST
            || (star >= 0 && star < text.length() - 1)
            || text.chars().anyMatch(c -> Character.isISOControl(c) || Character.isWhitespace(c));
    if (wrong) {
      return Optional.empty();
    }
    return Optional.of(
        text.equals("*")
            ? ALL
            : new MetricPattern(text, star < 0 ? Scope.NAME : Scope.PREFIX, null));
  }

  static MetricPattern ofKind(MetricKind kind) {
    return new MetricPattern("all " + kind.plural(), Scope.KIND, kind);
  }

  static MetricPattern ofName(String metric) {
    return new MetricPattern(metric, Scope.NAME, null);
  }

  /** What names that match begin with, or the name itself. */
  private String stem() {
    return text.endsWith("*") ? text.substring(0, text.length() - 1) : text;
  }

  /**
   * Whether every metric of {@code other} is one of this pattern.
   *
   * @param otherKind the kind of the metrics of {@code other}
   */
  boolean contains(MetricPattern other, MetricKind otherKind) {
    return switch (scope) {
      case ALL -> true;
      case KIND -> kind == otherKind;
      case PREFIX -> other.scope.compareTo(Scope.PREFIX) >= 0 && other.stem().startsWith(stem());
      case NAME -> other.equals(this);
    };
  }

  /** Whether it can match a duration. */
  boolean coversDurations() {
    return switch (scope) {
      case ALL -> true;
      case KIND -> kind == MetricKind.DURATION;
      case PREFIX ->
          stem().startsWith(MetricKind.STAGE_PREFIX)
              || MetricKind.STAGE_PREFIX.startsWith(stem())
              || MetricKind.DURATIONS.stream().anyMatch(name -> name.startsWith(stem()));
      case NAME -> MetricKind.isDuration(text);
    };
  }

  /** Whether it can match a ratio or a score. */
  boolean coversOthers() {
    return switch (scope) {
      case ALL -> true;
      case KIND -> kind != MetricKind.DURATION;
      case PREFIX -> !stem().startsWith(MetricKind.STAGE_PREFIX);
      case NAME -> !MetricKind.isDuration(text);
    };
  }

  /** Whether it can match a ratio. */
  boolean coversRatios() {
    return scope == Scope.KIND ? kind == MetricKind.RATIO : coversOthers();
  }

  @Override
  public int compareTo(MetricPattern other) {
    return ORDER.compare(this, other);
  }
}

package io.servedrift.monitors.baseline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The traffic classes (prompt class and workload) of a reference: the largest by themselves, the
 * rest together. A class the reference never saw has no index: nothing is expected of it. Immutable
 * and thread-safe.
 */
public final class TrafficClasses {
  /** Classes kept apart by default. */
  public static final int MOST = 12;

  /** Instead of an index: all classes together. */
  public static final int ALL = -1;

  /** Name of the rare classes together. */
  public static final String OTHER = "other";

  /** No class has this name: it is no bucket of a covariate. */
  private static final String EVERYTHING = "*";

  private final List<String> kept;
  private final SortedSet<String> pooled;

  private TrafficClasses(List<String> kept, SortedSet<String> pooled) {
    this.kept = List.copyOf(kept);
    this.pooled = new TreeSet<>(pooled);
  }

  /** One class for everything, also for what the reference never saw. */
  static TrafficClasses everything() {
    return new TrafficClasses(List.of(EVERYTHING), new TreeSet<>());
  }

  /** Exactly these, in this order; at least one. */
  public static TrafficClasses of(List<String> names) {
    if (names.isEmpty()) {
      throw new IllegalArgumentException("traffic classes: must be at least one");
    }
    return new TrafficClasses(names, new TreeSet<>());
  }

  /**
   * The largest classes, the rest pooled.
   *
   * @param sizes number of values by name; at least one
   * @param most how many indices there may be, at least 1
   */
  public static TrafficClasses largest(SortedMap<String, Long> sizes, int most) {
    if (most < 1) {
      throw new IllegalArgumentException("most=" + most + ": must be at least 1");
    }
    List<String> bySize =
        sizes.entrySet().stream()
            .sorted(
                Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
            .map(Map.Entry::getKey)
            .toList();
    if (bySize.size() <= most) {
      return of(bySize);
    }
    return new TrafficClasses(
        bySize.subList(0, most - 1), new TreeSet<>(bySize.subList(most - 1, bySize.size())));
  }

  /**
   * The largest classes, the rest pooled, but for those that are too rare to expect anything of.
   * For series whose classes have little in common: what is pooled is expected to stay alike.
   *
   * @param least requests from which a class is known; without any such class, all are
   */
  public static TrafficClasses largest(SortedMap<String, Long> sizes, int most, long least) {
    SortedMap<String, Long> known = new TreeMap<>(sizes);
    known.values().removeIf(size -> size < least);
    return largest(known.isEmpty() ? sizes : known, most);
  }

  /** Number of indices. */
  public int size() {
    return kept.size() + (pooled.isEmpty() ? 0 : 1);
  }

  /** Index of a class; empty when the reference never saw it. */
  public OptionalInt indexOf(String name) {
    if (kept.equals(List.of(EVERYTHING))) {
      return OptionalInt.of(0);
    }
    int at = kept.indexOf(name);
    if (at >= 0) {
      return OptionalInt.of(at);
    }
    return pooled.contains(name) ? OptionalInt.of(kept.size()) : OptionalInt.empty();
  }

  /** Name of an index, {@link #OTHER} for the pooled ones. */
  public String name(int index) {
    return index == kept.size() && !pooled.isEmpty() ? OTHER : kept.get(index);
  }

  void write(Content.Writer out) {
    out.count(kept.size());
    kept.forEach(out::text);
    out.count(pooled.size());
    pooled.forEach(out::text);
  }

  static TrafficClasses read(Content.Reader in) {
    return new TrafficClasses(texts(in), new TreeSet<>(texts(in)));
  }

  private static List<String> texts(Content.Reader in) {
    List<String> texts = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      texts.add(in.text());
    }
    return texts;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TrafficClasses that
        && kept.equals(that.kept)
        && pooled.equals(that.pooled);
  }

  @Override
  public int hashCode() {
    return 31 * kept.hashCode() + pooled.hashCode();
  }

  @Override
  public String toString() {
    return pooled.isEmpty() ? kept.toString() : kept + " and " + pooled + " as " + OTHER;
  }
}

package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.CellPane.JointCell;
import io.servedrift.monitors.baseline.CellPane.MarginCell;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a {@link CellPane}. Keys of cells and margins are numbers of a dictionary that grows
 * with what is encoded. Not thread-safe.
 *
 * <p>The levels of a covariate often hold all values of the pane together. So one that holds them
 * all is one byte, and the largest of several is what the others leave.
 */
final class PaneCodec {
  /** Keys beyond this are pooled: a flood of prompt classes must not fill the memory. */
  static final int MOST_KEYS = 4096;

  private static final int FORMS = 3;
  private static final int EXPLICIT = 0;
  private static final int EVERYTHING = 1;
  private static final int REST = 2;

  private final HistogramLayout layout;
  private final CompactDistribution distributions;
  private final Dictionary cellKeys = new Dictionary();
  private final Dictionary marginKeys = new Dictionary();

  /** Numbers of keys, in the order of their first use. */
  private static final class Dictionary {
    private final Map<List<String>, Integer> numbers = new HashMap<>();
    private final List<List<String>> keys = new ArrayList<>();

    int numberOf(List<String> key, List<String> whenFull) {
      Integer known = numbers.get(key);
      if (known != null) {
        return known;
      }
      List<String> kept = keys.size() < MOST_KEYS ? key : whenFull;
      return numbers.computeIfAbsent(
          kept,
          added -> {
            keys.add(added);
            return keys.size() - 1;
          });
    }

    List<String> key(int number) {
      if (number >= keys.size()) {
        throw new IllegalArgumentException("content: key " + number + " of " + keys.size());
      }
      return keys.get(number);
    }

    void write(Content.Writer out) {
      out.count(keys.size());
      for (List<String> key : keys) {
        key.forEach(out::text);
      }
    }

    void read(Content.Reader in, int parts) {
      for (int left = in.count(); left > 0; left--) {
        List<String> key = new ArrayList<>(parts);
        for (int part = 0; part < parts; part++) {
          key.add(in.text());
        }
        numbers.put(List.copyOf(key), keys.size());
        keys.add(List.copyOf(key));
      }
    }
  }

  PaneCodec(HistogramLayout layout) {
    this.layout = layout;
    distributions = new CompactDistribution(layout);
  }

  /** Whether keys have used up half of the numbers there are. */
  boolean isHalfFull() {
    return Math.max(cellKeys.keys.size(), marginKeys.keys.size()) > MOST_KEYS / 2;
  }

  byte[] encode(CellPane pane) {
    CompactBytes.Sink out = new CompactBytes.Sink();
    List<JointCell> cells = pane.cells().stream().filter(cell -> cell.values().n() > 0).toList();
    out.unsigned(cells.size());
    for (JointCell cell : cells) {
      out.unsigned(
          cellKeys.numberOf(
              List.of(cell.trafficClass(), cell.cache(), cell.batch(), cell.preempted()),
              List.of(TrafficClasses.OTHER, cell.cache(), cell.batch(), cell.preempted())));
      distributions.write(out, cell.values());
    }
    List<MarginCell> margins =
        pane.margins().stream().filter(margin -> margin.values().n() > 0).toList();
    if (!margins.isEmpty()) {
      ValueDistribution total = total(cells);
      for (int at = 0; at < margins.size(); at++) {
        encode(out, margins, at, total);
      }
    }
    return out.bytes();
  }

  private void encode(
      CompactBytes.Sink out, List<MarginCell> margins, int at, ValueDistribution total) {
    MarginCell margin = margins.get(at);
    long key =
        marginKeys.numberOf(
            List.of(margin.covariate(), margin.level()),
            List.of(margin.covariate(), TrafficClasses.OTHER));
    if (CompactDistribution.same(margin.values(), total)) {
      out.unsigned(FORMS * key + EVERYTHING);
    } else if (isRest(margins, at, total)) {
      out.unsigned(FORMS * key + REST);
      distributions.writeExtremes(out, margin.values());
    } else {
      out.unsigned(FORMS * key + EXPLICIT);
      distributions.write(out, margin.values());
    }
  }

  /** Whether a level is the largest of its covariate, the first of equals, and what is left. */
  private boolean isRest(List<MarginCell> margins, int at, ValueDistribution total) {
    MarginCell margin = margins.get(at);
    long n = margin.values().n();
    List<ValueDistribution> others = new ArrayList<>();
    for (int i = 0; i < margins.size(); i++) {
      MarginCell other = margins.get(i);
      if (i != at && other.covariate().equals(margin.covariate())) {
        long otherN = other.values().n();
        if (otherN > n || (i < at && otherN == n)) {
          return false;
        }
        others.add(other.values());
      }
    }
    ValueDistribution rest =
        distributions.rest(total, others, margin.values().min(), margin.values().max());
    return rest != null && CompactDistribution.same(rest, margin.values());
  }

  /** Decodes into the two lists. */
  void decode(byte[] content, List<JointCell> cells, List<MarginCell> margins) {
    CompactBytes.Source in = new CompactBytes.Source(content);
    for (int left = in.small(); left > 0; left--) {
      List<String> key = cellKeys.key(in.small());
      cells.add(
          new JointCell(key.get(0), key.get(1), key.get(2), key.get(3), distributions.read(in)));
    }
    if (in.isAtEnd()) {
      return;
    }
    ValueDistribution total = total(cells);
    List<List<String>> keys = new ArrayList<>();
    List<@Nullable ValueDistribution> values = new ArrayList<>();
    Map<Integer, double[]> restAt = new TreeMap<>();
    while (!in.isAtEnd()) {
      int packed = in.small();
      keys.add(marginKeys.key(packed / FORMS));
      switch (packed % FORMS) {
        case EVERYTHING -> values.add(total);
        case REST -> {
          restAt.put(values.size(), distributions.readExtremes(in));
          values.add(null);
        }
        default -> values.add(distributions.read(in));
      }
    }
    restAt.forEach((at, extremes) -> values.set(at, rest(total, at, keys, values, extremes)));
    for (int at = 0; at < keys.size(); at++) {
      margins.add(
          new MarginCell(
              keys.get(at).get(0), keys.get(at).get(1), Objects.requireNonNull(values.get(at))));
    }
  }

  private ValueDistribution rest(
      ValueDistribution total,
      int at,
      List<List<String>> keys,
      List<@Nullable ValueDistribution> values,
      double[] extremes) {
    List<ValueDistribution> others = new ArrayList<>();
    for (int other = 0; other < keys.size(); other++) {
      ValueDistribution known = values.get(other);
      if (other != at && known != null && keys.get(other).get(0).equals(keys.get(at).get(0))) {
        others.add(known);
      }
    }
    ValueDistribution rest = distributions.rest(total, others, extremes[0], extremes[1]);
    if (rest == null) {
      throw new IllegalArgumentException("content: margin " + keys.get(at) + " leaves no rest");
    }
    return rest;
  }

  private ValueDistribution total(List<JointCell> cells) {
    return cells.isEmpty()
        ? ValueDistribution.empty(layout)
        : ValueDistribution.merge(cells.stream().map(JointCell::values).toList());
  }

  void write(Content.Writer out) {
    cellKeys.write(out);
    marginKeys.write(out);
  }

  static PaneCodec read(HistogramLayout layout, Content.Reader in) {
    PaneCodec codec = new PaneCodec(layout);
    codec.cellKeys.read(in, 4);
    codec.marginKeys.read(in, 2);
    return codec;
  }
}

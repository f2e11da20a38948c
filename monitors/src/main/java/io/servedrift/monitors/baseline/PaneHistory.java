package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.CellPane.JointCell;
import io.servedrift.monitors.baseline.CellPane.MarginCell;
import io.servedrift.monitors.pane.HistogramLayout;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.RandomAccess;

/**
 * The memory of one series from which its baseline is learned and a window is attributed: every
 * pane as one short array of bytes, without loss (see {@link CompactDistribution}; cells without a
 * value are left out). Two to four bytes per value at four requests a second, more where cells hold
 * a value or two each.
 *
 * <p>Over the budget, every second pane of the older half is dropped, again and again if need be:
 * what is old gets thinner, evenly, and the newer half stays whole. Means, rates and thresholds
 * stay right, as panes are dropped by their position and not by their content; a baseline accepts
 * the gaps.
 *
 * <p>The state is a function of the calls. Not thread-safe.
 */
public final class PaneHistory {
  private static final int FORMAT = 1;

  /** What an entry of the lists costs besides its content. */
  private static final int OVERHEAD = 40;

  private static final int LEAST_FOR_THINNING = 4;
  private static final long DAY_MICROS = 86_400_000_000L;

  private final HistogramLayout layout;
  private final long paneMicros;
  private final long budgetBytes;
  private PaneCodec codec;
  private List<Entry> entries = new ArrayList<>();
  private long usedBytes;
  private long n;

  /** A pane, encoded. */
  private static final class Entry {
    final long startMicros;
    final double load;
    final long n;
    final byte[] content;

    Entry(long startMicros, double load, long n, byte[] content) {
      this.startMicros = startMicros;
      this.load = load;
      this.n = n;
      this.content = content;
    }

    long bytes() {
      return (long) content.length + OVERHEAD;
    }
  }

  /**
   * Starts empty.
   *
   * @param layout of all histograms of the series
   * @param paneMicros length of a pane, at least 1
   * @param budgetBytes what the panes may take, at least 1000
   */
  public PaneHistory(HistogramLayout layout, long paneMicros, long budgetBytes) {
    this(layout, paneMicros, budgetBytes, new PaneCodec(layout));
  }

  private PaneHistory(HistogramLayout layout, long paneMicros, long budgetBytes, PaneCodec codec) {
    if (paneMicros < 1) {
      throw new IllegalArgumentException("paneMicros=" + paneMicros + ": must be at least 1");
    }
    if (budgetBytes < 1000) {
      throw new IllegalArgumentException("budgetBytes=" + budgetBytes + ": must be at least 1000");
    }
    this.layout = layout;
    this.paneMicros = paneMicros;
    this.budgetBytes = budgetBytes;
    this.codec = codec;
  }

  /**
   * Remembers a pane.
   *
   * @throws IllegalArgumentException when it does not start after the pane before
   */
  public void append(CellPane pane) {
    if (!entries.isEmpty() && pane.startMicros() <= last().startMicros) {
      throw new IllegalArgumentException(
          "pane "
              + pane.startMicros()
              + ": must start after the pane before, "
              + last().startMicros);
    }
    if (!entries.isEmpty() && isNewDay(pane.startMicros()) && codec.isHalfFull()) {
      renewKeys();
    }
    long values = 0;
    for (JointCell cell : pane.cells()) {
      values += cell.values().n();
    }
    add(new Entry(pane.startMicros(), pane.load(), values, codec.encode(pane)));
    while (usedBytes > budgetBytes && entries.size() >= LEAST_FOR_THINNING) {
      thinOlderHalf();
    }
  }

  private boolean isNewDay(long startMicros) {
    return Math.floorDiv(startMicros, DAY_MICROS) != Math.floorDiv(last().startMicros, DAY_MICROS);
  }

  /**
   * Forgets the keys of configurations and classes that no pane holds any more: they would leave no
   * number for new ones. Once a day at most, as every pane is written anew.
   */
  private void renewKeys() {
    PaneCodec fresh = new PaneCodec(layout);
    List<Entry> renewed = new ArrayList<>(entries.size());
    List<CellPane> panes = panes();
    for (int at = 0; at < entries.size(); at++) {
      Entry old = entries.get(at);
      renewed.add(new Entry(old.startMicros, old.load, old.n, fresh.encode(panes.get(at))));
    }
    codec = fresh;
    keep(renewed);
  }

  private Entry last() {
    return entries.get(entries.size() - 1);
  }

  private void add(Entry entry) {
    entries.add(entry);
    usedBytes += entry.bytes();
    n += entry.n;
  }

  private void keep(List<Entry> kept) {
    entries = new ArrayList<>(kept.size() + 1);
    usedBytes = 0;
    n = 0;
    kept.forEach(this::add);
  }

  private void thinOlderHalf() {
    List<Entry> kept = new ArrayList<>(entries.size());
    int half = entries.size() / 2;
    for (int at = 0; at < entries.size(); at++) {
      if (at >= half || at % 2 == 0) {
        kept.add(entries.get(at));
      }
    }
    keep(kept);
  }

  /** All panes, ascending. Unmodifiable, as of now; each pane is decoded when it is asked for. */
  public List<CellPane> panes() {
    return panes(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /**
   * The panes that start in a stretch of time, as {@link #panes()}.
   *
   * @param fromMicros inclusive
   * @param toMicros exclusive
   */
  public List<CellPane> panes(long fromMicros, long toMicros) {
    int from = indexOf(fromMicros);
    return new Decoded(
        codec, List.copyOf(entries.subList(from, Math.max(from, indexOf(toMicros)))));
  }

  /** Index of the first entry that does not start before. */
  private int indexOf(long micros) {
    int low = 0;
    int high = entries.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (entries.get(middle).startMicros < micros) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Forgets the panes that start before a time. */
  public void dropBefore(long micros) {
    keep(entries.subList(indexOf(micros), entries.size()));
  }

  /** Number of panes. */
  public int size() {
    return entries.size();
  }

  /** Number of panes that start in a stretch of time, the end exclusive. */
  public int size(long fromMicros, long toMicros) {
    return Math.max(0, indexOf(toMicros) - indexOf(fromMicros));
  }

  /** Number of values in all panes. */
  public long n() {
    return n;
  }

  /** Start of the first pane, microseconds since the epoch; 0 when empty. */
  public long fromMicros() {
    return entries.isEmpty() ? 0 : entries.get(0).startMicros;
  }

  /** End of the last pane, exclusive; 0 when empty. */
  public long toMicros() {
    return entries.isEmpty() ? 0 : last().startMicros + paneMicros;
  }

  /** Bytes taken, about. */
  public long usedBytes() {
    return usedBytes;
  }

  /** Layout of all histograms. */
  public HistogramLayout layout() {
    return layout;
  }

  /** Length of a pane. */
  public long paneMicros() {
    return paneMicros;
  }

  /** Writes everything, for a checkpoint. The same calls before give the same bytes. */
  public void write(Content.Writer out) {
    out.count(FORMAT);
    out.text(layout.id());
    out.whole(paneMicros);
    out.whole(budgetBytes);
    codec.write(out);
    out.count(entries.size());
    for (Entry entry : entries) {
      out.whole(entry.startMicros);
      out.number(entry.load);
      out.whole(entry.n);
      out.block(entry.content);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException when it is something else
   */
  public static PaneHistory read(Content.Reader in) {
    int format = in.count();
    if (format != FORMAT) {
      throw new IllegalArgumentException("pane history format " + format + ": must be " + FORMAT);
    }
    HistogramLayout layout = HistogramLayout.parse(in.text());
    long paneMicros = in.whole();
    long budget = in.whole();
    PaneHistory history = new PaneHistory(layout, paneMicros, budget, PaneCodec.read(layout, in));
    for (int left = in.count(); left > 0; left--) {
      history.add(new Entry(in.whole(), in.number(), in.whole(), in.block()));
    }
    return history;
  }

  /** Panes that are decoded when asked for: a week of them would not fit into the memory. */
  private static final class Decoded extends AbstractList<CellPane> implements RandomAccess {
    private final PaneCodec codec;
    private final List<Entry> entries;

    Decoded(PaneCodec codec, List<Entry> entries) {
      this.codec = codec;
      this.entries = entries;
    }

    @Override
    public CellPane get(int index) {
      Entry entry = entries.get(index);
      List<JointCell> cells = new ArrayList<>();
      List<MarginCell> margins = new ArrayList<>();
      codec.decode(entry.content, cells, margins);
      return new CellPane(
          entry.startMicros,
          entry.load,
          Collections.unmodifiableList(cells),
          Collections.unmodifiableList(margins));
    }

    @Override
    public int size() {
      return entries.size();
    }
  }
}

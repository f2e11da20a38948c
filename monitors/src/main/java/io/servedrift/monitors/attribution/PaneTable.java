package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A stretch of panes in blocks of time: counts and sums of each view by cell, and by load and level
 * of each narrow covariate. A function of the set of panes. Immutable.
 *
 * @param origin start of block 0, microseconds since the epoch
 * @param blockMicros length of a block
 * @param blocks their number
 * @param cells keys of {@link CellKeys}
 * @param levels the levels of narrow covariates; the first stands for all requests
 * @param margins keys load bucket times number of levels plus index of the level
 */
record PaneTable(
    long origin,
    long blockMicros,
    int blocks,
    BlockTable cells,
    List<Level> levels,
    BlockTable margins) {
  /** Levels kept of one covariate, the largest; more say nothing about single ones. */
  private static final int MOST_LEVELS = 40;

  /** A level of a narrow covariate. */
  record Level(String covariate, String name) implements Comparable<Level> {
    /** All requests, looked at as margins are. */
    static final Level ALL = new Level("", "");

    private static final Comparator<Level> ORDER =
        Comparator.comparing(Level::covariate).thenComparing(Level::name);

    @Override
    public int compareTo(Level other) {
      return ORDER.compare(this, other);
    }
  }

  /** What a table holds of each row beside the count. */
  record Columns(List<MetricView> views) {
    int count() {
      return 1 + views.size() + (whole() ? 0 : 1);
    }

    /** Whether all numbers are counts. */
    boolean whole() {
      return views.get(0).rate();
    }

    void add(double[] row, ValueDistribution values, int trafficClass) {
      row[0] += values.n();
      if (!whole()) {
        double[] sums = views.get(0).sums(values);
        row[1] += sums[0];
        row[2] += sums[1];
        return;
      }
      for (int i = 0; i < views.size(); i++) {
        row[1 + i] += views.get(i).sum(values, trafficClass);
      }
    }

    /** Sum of squares of a view in a row. */
    double squares(double[] row, int view) {
      return whole() ? row[1 + view] : row[2];
    }
  }

  /** Cuts panes into blocks. */
  static PaneTable of(
      List<CellPane> panes, Columns columns, CellKeys keys, long origin, long blockMicros) {
    List<CellPane> sorted =
        panes.stream().sorted(Comparator.comparingLong(CellPane::startMicros)).toList();
    List<Level> levels = levels(sorted);
    BlockTable.Builder cells = new BlockTable.Builder(columns.count());
    BlockTable.Builder margins = new BlockTable.Builder(columns.count());
    int blocks = 0;
    for (CellPane pane : sorted) {
      int block = (int) ((pane.startMicros() - origin) / blockMicros);
      blocks = Math.max(blocks, block + 1);
      int load = keys.loads().bucket(pane.load());
      for (CellPane.JointCell cell : pane.cells()) {
        int group = keys.group(cell.trafficClass());
        int key = keys.of(load, group, cell.cache(), cell.batch(), cell.preempted());
        columns.add(cells.row(block, key), cell.values(), group);
        columns.add(
            margins.row(block, load * levels.size()), cell.values(), MetricView.ALL_CLASSES);
      }
      for (CellPane.MarginCell margin : pane.margins()) {
        int level = levels.indexOf(new Level(margin.covariate(), margin.level()));
        if (level > 0) {
          columns.add(
              margins.row(block, load * levels.size() + level),
              margin.values(),
              MetricView.ALL_CLASSES);
        }
      }
    }
    return new PaneTable(origin, blockMicros, blocks, cells.build(), levels, margins.build());
  }

  private static List<Level> levels(List<CellPane> panes) {
    Map<Level, Long> sizes = new TreeMap<>();
    for (CellPane pane : panes) {
      for (CellPane.MarginCell margin : pane.margins()) {
        boolean used = NarrowCovariate.of(margin.covariate()).isPresent();
        if (used && !margin.level().equals(CellAxes.UNKNOWN)) {
          Level level = new Level(margin.covariate(), margin.level());
          sizes.merge(level, margin.values().n(), Long::sum);
        }
      }
    }
    List<Level> kept = new ArrayList<>(List.of(Level.ALL));
    for (NarrowCovariate covariate : NarrowCovariate.all()) {
      sizes.entrySet().stream()
          .filter(e -> e.getKey().covariate().equals(covariate.label()))
          .sorted(
              Map.Entry.<Level, Long>comparingByValue(Comparator.reverseOrder())
                  .thenComparing(Map.Entry.comparingByKey()))
          .limit(MOST_LEVELS)
          .map(Map.Entry::getKey)
          .sorted()
          .forEach(kept::add);
    }
    return List.copyOf(kept);
  }

  /** The same in longer blocks. */
  PaneTable coarser(int factor) {
    return new PaneTable(
        origin,
        blockMicros * factor,
        (blocks + factor - 1) / factor,
        cells.coarser(factor),
        levels,
        margins.coarser(factor));
  }

  void write(Content.Writer out, boolean whole) {
    out.whole(origin);
    out.whole(blockMicros);
    out.count(blocks);
    cells.write(out, whole);
    out.count(levels.size());
    for (Level level : levels) {
      out.text(level.covariate());
      out.text(level.name());
    }
    margins.write(out, whole);
  }

  static PaneTable read(Content.Reader in, boolean whole) {
    long origin = in.whole();
    long blockMicros = in.whole();
    int blocks = in.count();
    BlockTable cells = BlockTable.read(in, whole);
    List<Level> levels = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      levels.add(new Level(in.text(), in.text()));
    }
    return new PaneTable(
        origin, blockMicros, blocks, cells, List.copyOf(levels), BlockTable.read(in, whole));
  }
}

package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What attribution needs of a reference, kept beside its frozen {@link Baseline} so that the panes
 * can be dropped: counts and sums in blocks of time, by cell and by narrow covariate, for every
 * statistic that the family may raise an alarm in. At most {@link #MOST_BLOCKS} blocks and {@link
 * #MOST_ROWS} rows, so at most about 2 MB encoded: longer references have longer blocks. A function
 * of the set of panes. Immutable; not thread-safe, for it keeps projections of its grid.
 */
public final class ReferenceCubes {
  /** Most blocks of time. */
  public static final int MOST_BLOCKS = 400;

  /** Most rows of cells and of margins together. */
  public static final int MOST_ROWS = 40_000;

  private static final int FORMAT = 1;

  /** Panes in the shortest block: a window younger than that is not explained by blocks. */
  private static final int SHORTEST_BLOCK = 5;

  private static final int[] LONGER = {2, 3, 2};

  private final Baseline baseline;
  private final List<MetricView> views;
  private final CellKeys keys;
  private final PaneTable table;

  private ReferenceCubes(
      Baseline baseline, List<MetricView> views, CellKeys keys, PaneTable table) {
    this.baseline = baseline;
    this.views = List.copyOf(views);
    this.keys = keys;
    this.table = table;
  }

  /**
   * Gathers a reference.
   *
   * @param baseline learned from these panes
   * @param panes in any order, at least one with a value
   */
  public static ReferenceCubes of(Baseline baseline, List<CellPane> panes) {
    if (panes.isEmpty()) {
      throw new IllegalArgumentException("panes: must be at least one");
    }
    List<MetricView> views = views(baseline, cuts(baseline, panes));
    double[] loads =
        panes.stream()
            .filter(pane -> !pane.cells().isEmpty())
            .mapToDouble(CellPane::load)
            .toArray();
    CellKeys keys = new CellKeys(LoadBuckets.of(loads), baseline.classes());
    long origin = panes.stream().mapToLong(CellPane::startMicros).min().orElseThrow();
    PaneTable table =
        PaneTable.of(
            panes,
            new PaneTable.Columns(views),
            keys,
            origin,
            SHORTEST_BLOCK * baseline.paneMicros());
    for (int step = 0; tooLarge(table) && table.blocks() > 1; step++) {
      table = table.coarser(LONGER[step % LONGER.length]);
    }
    return new ReferenceCubes(baseline, views, keys, table);
  }

  private static boolean tooLarge(PaneTable table) {
    return table.blocks() > MOST_BLOCKS
        || table.cells().size() + table.margins().size() > MOST_ROWS;
  }

  private static List<MetricView> views(Baseline baseline, double[] cuts) {
    if (baseline.spec().statistic() != Statistic.TAIL) {
      return List.of(new MetricView(baseline, -1, Double.NaN));
    }
    List<MetricView> views = new ArrayList<>();
    for (int level = 0; level < cuts.length; level++) {
      views.add(new MetricView(baseline, level, cuts[level]));
    }
    return views;
  }

  /** Thresholds over all classes, where the margins are cut: they know no classes. */
  private static double[] cuts(Baseline baseline, List<CellPane> panes) {
    List<Double> tails = baseline.spec().tails();
    double[] cuts = new double[baseline.spec().statistic() == Statistic.TAIL ? tails.size() : 0];
    if (cuts.length == 0) {
      return cuts;
    }
    boolean upper = baseline.spec().upper();
    TreeMap<Integer, Long> bins =
        new TreeMap<>(
            upper ? Comparator.<Integer>reverseOrder() : Comparator.<Integer>naturalOrder());
    long n = 0;
    HistogramLayout layout = null;
    for (CellPane pane : panes) {
      for (CellPane.JointCell cell : pane.cells()) {
        ValueDistribution values = cell.values();
        layout = values.layout();
        n += values.n();
        int[] at = values.bins();
        long[] counts = values.counts();
        for (int i = 0; i < at.length; i++) {
          bins.merge(at[i], counts[i], Long::sum);
        }
      }
    }
    if (layout == null) {
      throw new IllegalArgumentException("panes: hold no value");
    }
    for (int level = 0; level < cuts.length; level++) {
      int bin = binOfTail(bins, tails.get(level) * n);
      cuts[level] = upper ? layout.lower(bin) : layout.upper(bin);
    }
    return cuts;
  }

  /** The last bin from the far end so that about so many values lie in it and beyond. */
  private static int binOfTail(SortedMap<Integer, Long> fromFarEnd, double beyond) {
    long seen = 0;
    int last = fromFarEnd.firstKey();
    for (Map.Entry<Integer, Long> bin : fromFarEnd.entrySet()) {
      double before = beyond - seen;
      seen += bin.getValue();
      if (seen > beyond && seen - beyond > before) {
        break;
      }
      last = bin.getKey();
    }
    return last;
  }

  /** The view of a track: of its quantile, where the family has quantiles. */
  public MetricView view(Track track) {
    return views.get(Math.min(Math.max(0, track.level()), views.size() - 1));
  }

  /** All views, in the order of the levels. */
  public List<MetricView> views() {
    return views;
  }

  /** Length of a block. */
  public long blockMicros() {
    return table.blockMicros();
  }

  Baseline baseline() {
    return baseline;
  }

  CellKeys keys() {
    return keys;
  }

  PaneTable table() {
    return table;
  }

  PaneTable.Columns columns() {
    return new PaneTable.Columns(views);
  }

  /** Writes. */
  public void write(Content.Writer out) {
    out.count(FORMAT);
    out.text(baseline.id());
    out.doubles(views.stream().mapToDouble(MetricView::cut).toArray());
    out.doubles(keys.loads().edges().stream().mapToDouble(Double::doubleValue).toArray());
    table.write(out, columns().whole());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param baseline that of the cubes
   * @throws IllegalArgumentException when the bytes are not of cubes, or of another baseline
   */
  public static ReferenceCubes read(Content.Reader in, Baseline baseline) {
    int format = in.count();
    if (format != FORMAT) {
      throw new IllegalArgumentException("cubes format " + format + ": must be " + FORMAT);
    }
    String id = in.text();
    if (!id.equals(baseline.id())) {
      throw new IllegalArgumentException(
          "cubes of baseline " + id + ": must be of " + baseline.id());
    }
    List<MetricView> views = views(baseline, in.doubles());
    LoadBuckets loads = new LoadBuckets(Arrays.stream(in.doubles()).boxed().toList());
    CellKeys keys = new CellKeys(loads, baseline.classes());
    PaneTable table = PaneTable.read(in, new PaneTable.Columns(views).whole());
    return new ReferenceCubes(baseline, views, keys, table);
  }

  @Override
  public String toString() {
    return "ReferenceCubes["
        + baseline.id()
        + ", blocks="
        + table.blocks()
        + ", rows="
        + (table.cells().size() + table.margins().size())
        + "]";
  }
}

package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.AttributionInput.Basis;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.OfferedWork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * From panes to the input of an attribution. A function of the set of panes: neither their order
 * nor how they were cut from a history matters.
 */
public final class AttributionFeed {
  /** Panes of a bootstrap block in a window of hours. */
  private static final long BLOCK_PANES = 30;

  /** A shorter window is cut into about so many blocks. */
  private static final long LEAST_BLOCKS = 4;

  /** Stretches of the reference that are looked at; more cost memory and tell no more. */
  private static final int MOST_STRETCHES = 96;

  private static final int LEAST_STRETCHES = 8;

  /** A stretch with less than this share of the median's requests is mostly a gap. */
  private static final double GAP = .25;

  /** A cause moves the requests of one class or batch size more than those of another. */
  private static final double UNEVENNESS = .3;

  private AttributionFeed() {}

  /**
   * The input of one attribution.
   *
   * @param reference beside the baseline that the window is compared with
   * @param view how the values are looked at, one of the reference's
   * @param window panes since the onset, at least one with a value
   * @param basis what the reference is to the window; loads beyond a predecessor's count as its
   *     highest, for nothing is known of the successor at any load
   * @param events evidence of serving events per cause, natural logarithms
   */
  public static AttributionInput input(
      ReferenceCubes reference,
      MetricView view,
      List<CellPane> window,
      Measure measure,
      Basis basis,
      Changes changes,
      Map<Cause, Double> events) {
    int viewIndex = reference.views().indexOf(view);
    if (viewIndex < 0) {
      throw new IllegalArgumentException("view of another reference: must be one of this one's");
    }
    PaneTable before = reference.table();
    PaneTable now = table(reference, List.of(view), window, basis, measure);
    List<int[]> stretches = stretches(before, span(reference, window));
    PaneTable.Columns columns = new PaneTable.Columns(List.of(view));
    Cubes cubes = new Cubes(reference.keys(), axes(reference.keys(), before, now));
    List<CellCube> windowBlocks = new ArrayList<>();
    for (int block : now.cells().blocks()) {
      windowBlocks.add(cubes.cube(now, columns, 0, block, block + 1));
    }
    MarginFeed margins = new MarginFeed(reference, view, now, columns, 0, stretches);
    CellCube all = cubes.cube(before, reference.columns(), viewIndex, 0, before.blocks());
    boolean itself = measure.scope() == Measure.Scope.ADJUSTED && basis != Basis.PREDECESSOR;
    boolean tail = itself && view.duration() && view.level() >= 0;
    Circumstances circumstances =
        new Circumstances(
            busier(reference, window, measure),
            itself && view.duration()
                ? grownByLoad(reference, GrownBatches.largestKnown(all), window)
                : 0,
            tail
                ? NodeContrast.of(
                    reference,
                    table(reference, reference.views(), window, basis, measure),
                    stretches,
                    margins,
                    measure.direction())
                : Optional.empty(),
            margins.unchanged());
    return new AttributionInput(
        all,
        stretches.stream()
            .map(s -> cubes.cube(before, reference.columns(), viewIndex, s[0], s[1]))
            .toList(),
        cubes.cube(now, columns, 0, 0, now.blocks()),
        windowBlocks,
        basis,
        margins.margins(),
        margins.exposures(),
        circumstances,
        measure.unevenness() > 0 ? measure : measure.withUnevenness(UNEVENNESS),
        changes,
        events);
  }

  private static long span(ReferenceCubes reference, List<CellPane> window) {
    long from = window.stream().mapToLong(CellPane::startMicros).min().orElse(0);
    long to = window.stream().mapToLong(CellPane::startMicros).max().orElse(0);
    return to - from + reference.baseline().paneMicros();
  }

  private static PaneTable table(
      ReferenceCubes reference,
      List<MetricView> views,
      List<CellPane> window,
      Basis basis,
      Measure measure) {
    if (window.stream().allMatch(pane -> pane.cells().isEmpty())) {
      throw new IllegalArgumentException("window of " + window.size() + " panes: holds no value");
    }
    long paneMicros = reference.baseline().paneMicros();
    long panes = span(reference, window) / paneMicros;
    long block =
        paneMicros
            * (panes >= LEAST_BLOCKS * BLOCK_PANES
                ? BLOCK_PANES
                : Math.max(1, panes / LEAST_BLOCKS));
    long from = window.stream().mapToLong(CellPane::startMicros).min().orElseThrow();
    List<CellPane> placed =
        window.stream()
            .map(
                pane ->
                    new CellPane(
                        pane.startMicros(),
                        placed(reference, pane.load(), basis, measure),
                        pane.cells(),
                        pane.margins()))
            .toList();
    PaneTable.Columns columns = new PaneTable.Columns(views);
    return PaneTable.of(placed, columns, reference.keys(), from, block);
  }

  /**
   * Load as the reference knows it. A young baseline judges loads somewhat beyond its highest, and
   * so may chance by itself be; a score is expected to be what it was at the highest; what a
   * predecessor would have done at a load is not asked.
   */
  private static double placed(
      ReferenceCubes reference, double load, Basis basis, Measure measure) {
    double highest = reference.keys().loads().highest();
    boolean judged =
        measure.scope() == Measure.Scope.ADJUSTED
            && (measure.load() == Measure.LoadRule.AS_MEDIATOR
                || load <= reference.baseline().table().cuts().highest());
    boolean seen = load <= reference.keys().loads().highestSeen();
    return basis == Basis.PREDECESSOR || judged || seen ? Math.min(load, highest) : load;
  }

  /**
   * Of the values in batches larger than the reference knows, the share at loads above its own:
   * more arrivals, or as many that ask for more.
   */
  private static double grownByLoad(ReferenceCubes reference, int largest, List<CellPane> window) {
    double work = OfferedWork.perRequest(reference.baseline(), window);
    double highest = reference.keys().loads().highest();
    double all = 0;
    double beyond = 0;
    for (CellPane pane : window) {
      for (CellPane.JointCell cell : pane.cells()) {
        boolean larger = largest > 0 && CellAxes.smallestBatch(cell.batch()) > largest;
        double n = larger ? cell.values().n() : 0;
        all += n;
        beyond += pane.load() * work > highest ? n : 0;
      }
    }
    return all == 0 ? 0 : beyond / all;
  }

  /** Share of the values at loads beyond the reference that are taken for its highest load. */
  private static double busier(ReferenceCubes reference, List<CellPane> window, Measure measure) {
    if (measure.scope() != Measure.Scope.ADJUSTED
        || measure.load() != Measure.LoadRule.AS_MEDIATOR) {
      return 0;
    }
    double highest = reference.keys().loads().highestSeen();
    double all = 0;
    double beyond = 0;
    for (CellPane pane : window) {
      double n = pane.cells().stream().mapToLong(cell -> cell.values().n()).sum();
      all += n;
      beyond += pane.load() > highest ? n : 0;
    }
    return beyond / all;
  }

  /** Stretches of the reference about as long as the window, as block ranges; gaps left out. */
  private static List<int[]> stretches(PaneTable table, long micros) {
    long wanted = Math.round(micros / (double) table.blockMicros());
    int length = (int) Math.max(1, Math.min(wanted, table.blocks() / LEAST_STRETCHES));
    int number = table.blocks() / length;
    double[] requests = new double[number];
    for (int i = 0; i < number; i++) {
      int at = i;
      table.cells().each(i * length, (i + 1) * length, (key, values) -> requests[at] += values[0]);
    }
    double[] sorted = Arrays.stream(requests).filter(n -> n > 0).sorted().toArray();
    double least = sorted.length == 0 ? 0 : GAP * sorted[sorted.length / 2];
    int stride = (number + MOST_STRETCHES - 1) / MOST_STRETCHES;
    List<int[]> stretches = new ArrayList<>();
    for (int i = 0; i < number; i += Math.max(1, stride)) {
      if (requests[i] > 0 && requests[i] >= least) {
        stretches.add(new int[] {i * length, (i + 1) * length});
      }
    }
    return stretches;
  }

  /** The levels that occur on either side. */
  private static CellAxes axes(CellKeys keys, PaneTable before, PaneTable now) {
    List<TreeSet<Integer>> seen = new ArrayList<>();
    for (int axis = 0; axis < Grid.AXES; axis++) {
      seen.add(new TreeSet<>());
    }
    for (PaneTable table : List.of(before, now)) {
      table
          .cells()
          .each(
              0,
              table.blocks(),
              (key, values) -> {
                for (int axis = Grid.CLASS; values[0] > 0 && axis < Grid.AXES; axis++) {
                  seen.get(axis).add(keys.grid().level(key, axis));
                }
              });
    }
    List<List<String>> names = new ArrayList<>();
    for (int axis = 0; axis < Grid.AXES; axis++) {
      int of = axis;
      names.add(seen.get(axis).stream().map(level -> keys.name(of, level)).toList());
    }
    return new CellAxes(
        keys.loads().size(),
        names.get(Grid.CLASS),
        names.get(Grid.CACHE),
        names.get(Grid.BATCH),
        names.get(Grid.PREEMPTED),
        List.of("*"));
  }

  /** Makes cubes over the same axes. */
  private record Cubes(CellKeys keys, CellAxes axes) {
    CellCube cube(PaneTable table, PaneTable.Columns columns, int view, int from, int to) {
      CellCube.Builder builder = CellCube.over(axes);
      Grid grid = keys.grid();
      table
          .cells()
          .each(
              from,
              to,
              (key, values) ->
                  builder.add(
                      grid.level(key, Grid.LOAD),
                      keys.name(Grid.CLASS, grid.level(key, Grid.CLASS)),
                      keys.name(Grid.CACHE, grid.level(key, Grid.CACHE)),
                      keys.name(Grid.BATCH, grid.level(key, Grid.BATCH)),
                      keys.name(Grid.PREEMPTED, grid.level(key, Grid.PREEMPTED)),
                      axes.nodes().get(0),
                      values[0],
                      values[1 + view],
                      columns.squares(values, view)));
      return builder.build();
    }
  }
}

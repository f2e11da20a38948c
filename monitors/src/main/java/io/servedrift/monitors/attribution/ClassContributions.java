package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.TrafficClasses;
import io.servedrift.monitors.stats.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which traffic classes make a difference, largest first: the split of STATISTICS C.2 class by
 * class, for many more classes than the cells of an attribution keep apart. With shares pi, means m
 * and the mean M of all of the reference R, a class adds to the difference of the window W
 *
 * <pre>pi_W (m_W - M_R) - pi_R (m_R - M_R) = (pi_W - pi_R)(m_R - M_R) + pi_W (m_W - m_R),</pre>
 *
 * composition and within. Intervals by the delta method, with the variances of sums over blocks of
 * time, so that requests of one moment do not count as independent (Kish 1965, ratio estimators of
 * clusters). Holds the reference's side. A function of the set of panes. Immutable.
 */
public final class ClassContributions {
  /** Classes kept apart, the largest; the rest counts together. */
  static final int MOST_CLASSES = 400;

  private static final int BLOCKS = 48;
  private static final double Z95 = 1.959963984540054;

  private final List<String> names;
  private final BlockTable table;
  private final boolean whole;

  private ClassContributions(List<String> names, BlockTable table, boolean whole) {
    this.names = List.copyOf(names);
    this.table = table;
    this.whole = whole;
  }

  /**
   * Gathers a reference.
   *
   * @param cubes of the same panes; its views are kept
   * @param panes at least one with a value
   */
  public static ClassContributions of(ReferenceCubes cubes, List<CellPane> panes) {
    SortedMap<String, Long> sizes = new TreeMap<>();
    for (CellPane pane : panes) {
      for (CellPane.JointCell cell : pane.cells()) {
        sizes.merge(cell.trafficClass(), cell.values().n(), Long::sum);
      }
    }
    List<String> names =
        sizes.entrySet().stream()
            .filter(size -> !size.getKey().equals(TrafficClasses.OTHER))
            .sorted(
                Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
            .limit(MOST_CLASSES - 1)
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    List<String> all = new ArrayList<>(names);
    all.add(TrafficClasses.OTHER);
    return new ClassContributions(
        all, table(cubes, cubes.views(), panes, all), cubes.columns().whole());
  }

  private static BlockTable table(
      ReferenceCubes cubes, List<MetricView> views, List<CellPane> panes, List<String> names) {
    Baseline baseline = cubes.baseline();
    SortedMap<String, Integer> index = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      index.put(names.get(i), i);
    }
    int rest = names.indexOf(TrafficClasses.OTHER);
    long from = panes.stream().mapToLong(CellPane::startMicros).min().orElse(0);
    long to = panes.stream().mapToLong(CellPane::startMicros).max().orElse(0);
    long block = Math.max(baseline.paneMicros(), (to - from) / BLOCKS + 1);
    BlockTable.Builder rows = new BlockTable.Builder(1 + views.size());
    for (CellPane pane : panes) {
      for (CellPane.JointCell cell : pane.cells()) {
        int known = baseline.classes().indexOf(cell.trafficClass()).orElse(MetricView.ALL_CLASSES);
        int key = index.getOrDefault(cell.trafficClass(), rest);
        double[] row = rows.row((int) ((pane.startMicros() - from) / block), key);
        row[0] += cell.values().n();
        for (int view = 0; view < views.size(); view++) {
          row[1 + view] += views.get(view).sum(cell.values(), known);
        }
      }
    }
    return rows.build();
  }

  /**
   * The classes that add most to the difference, largest first.
   *
   * @param cubes those it was gathered with
   * @param view one of their views
   * @param window panes since the onset
   * @param most how many classes
   */
  public List<ClassContribution> largest(
      ReferenceCubes cubes, MetricView view, List<CellPane> window, int most) {
    ClassSides sides = sides(cubes, view, window);
    if (sides.before().requests == 0 || sides.now().requests == 0) {
      return List.of();
    }
    List<String> all = sides.names();
    ClassSums before = sides.before();
    ClassSums now = sides.now();
    List<ClassContribution> found = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (before.n[i] + now.n[i] > 0) {
        found.add(contribution(all.get(i), i, before, now));
      }
    }
    found.sort(
        Comparator.comparingDouble((ClassContribution one) -> -Math.abs(one.value()))
            .thenComparing(ClassContribution::trafficClass));
    return List.copyOf(found.subList(0, Math.min(most, found.size())));
  }

  /** Names of the classes kept apart; {@link TrafficClasses#OTHER} is the rest. */
  List<String> names() {
    return names;
  }

  /** Both sides class by class; classes that the reference never saw follow its own. */
  ClassSides sides(ReferenceCubes cubes, MetricView view, List<CellPane> window) {
    TreeSet<String> fresh = new TreeSet<>();
    for (CellPane pane : window) {
      pane.cells().forEach(cell -> fresh.add(cell.trafficClass()));
    }
    names.forEach(fresh::remove);
    List<String> all = new ArrayList<>(names);
    fresh.stream().limit(MOST_CLASSES).forEach(all::add);
    return new ClassSides(
        all,
        new ClassSums(table, 1 + cubes.views().indexOf(view), all.size()),
        new ClassSums(table(cubes, List.of(view), window, all), 1, all.size()));
  }

  private static ClassContribution contribution(
      String name, int i, ClassSums before, ClassSums now) {
    double mean = before.sum / before.requests;
    double shareNow = now.n[i] / now.requests;
    double addsNow = (now.s[i] - mean * now.n[i]) / now.requests;
    double addsBefore = (before.s[i] - mean * before.n[i]) / before.requests;
    double value = addsNow - addsBefore;
    boolean known = before.n[i] >= VerdictRules.KNOWN_CELL;
    double own = known ? before.s[i] / before.n[i] : 0;
    double within = known ? (now.s[i] - own * now.n[i]) / now.requests : 0;
    double moved = shareNow - before.n[i] / before.requests;
    double error =
        now.variance(b -> now.s(i, b) - mean * now.n(i, b) - addsNow * now.blockN[b])
            + before.variance(
                b ->
                    before.s(i, b)
                        - mean * before.n(i, b)
                        - addsBefore * before.blockN[b]
                        + moved * (before.blockS[b] - mean * before.blockN[b]));
    double withinError =
        now.variance(b -> now.s(i, b) - own * now.n(i, b) - within * now.blockN[b])
            + before.variance(
                b ->
                    (before.s(i, b) - own * before.n(i, b))
                        * (before.requests * shareNow / before.n[i]));
    return new ClassContribution(
        name,
        before.n[i],
        now.n[i],
        value - within,
        within,
        around(value, error),
        known ? around(within, withinError) : new Interval(0, 0));
  }

  private static Interval around(double value, double variance) {
    double half = Double.isFinite(variance) ? Z95 * Math.sqrt(variance) : Double.POSITIVE_INFINITY;
    return new Interval(value - half, value + half);
  }

  /** Writes. */
  public void write(Content.Writer out) {
    out.count(names.size());
    names.forEach(out::text);
    out.count(whole ? 1 : 0);
    table.write(out, whole);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException when it is something else
   */
  public static ClassContributions read(Content.Reader in) {
    List<String> names = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      names.add(in.text());
    }
    boolean whole = in.count() == 1;
    return new ClassContributions(names, BlockTable.read(in, whole), whole);
  }
}

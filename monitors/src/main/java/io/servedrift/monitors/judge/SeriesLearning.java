package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.BaselineFit;
import io.servedrift.monitors.baseline.BaselineGrowth.Step;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneHistory;
import io.servedrift.monitors.policy.MetricPolicy.BaselineUse;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is normal for one series: which of its panes may be learned from, when a baseline of them is
 * fitted, and which range was pinned by the policy or by a person. Puts the families that follow
 * from it in place. Not thread-safe.
 */
final class SeriesLearning {
  /** Panes behind a firm baseline that attribution or a successor may want. */
  private static final long RECENT = Micros.DAY + Micros.HOUR;

  private static final Set<Basis> OF_ITSELF =
      EnumSet.of(Basis.LEARNED, Basis.PINNED, Basis.MARGINAL);

  private final SeriesContext series;
  private final DeploymentJudge deployment;
  private final MetricFamilies kinds;
  private final PaneHistory history;
  private final SeriesFamilies families;
  private final ScorerWatch scorers;
  private final List<Stretch> excluded = new ArrayList<>();
  private @Nullable Learning plan;
  private @Nullable Stretch decided;
  private @Nullable Stretch installed;
  private boolean unpinned;

  private record Stretch(long fromMicros, long toMicros) {
    boolean holds(CellPane pane) {
      return pane.startMicros() >= fromMicros && pane.startMicros() < toMicros;
    }
  }

  SeriesLearning(
      SeriesContext series,
      DeploymentJudge deployment,
      MetricFamilies kinds,
      PaneHistory history,
      SeriesFamilies families,
      ScorerWatch scorers) {
    this.series = series;
    this.deployment = deployment;
    this.kinds = kinds;
    this.history = history;
    this.families = families;
    this.scorers = scorers;
  }

  static long values(CellPane pane) {
    return pane.cells().stream().mapToLong(cell -> cell.values().n()).sum();
  }

  static boolean enough(List<CellPane> panes) {
    return panes.size() >= BaselineFit.LEAST_PANES
        && panes.stream().anyMatch(pane -> values(pane) > 0);
  }

  /** Panes of a stretch of time that may be learned from. */
  List<CellPane> usable(long fromMicros, long toMicros) {
    return history.panes(fromMicros, toMicros).stream()
        .filter(pane -> excluded.stream().noneMatch(one -> one.holds(pane)))
        .toList();
  }

  /** Keeps a stretch of time out of what is learned. */
  void exclude(long fromMicros, long toMicros) {
    excluded.add(new Stretch(fromMicros, toMicros));
  }

  /** Begins anew with panes from a time on. */
  void restart(long fromMicros) {
    plan = new Learning(fromMicros);
  }

  /**
   * Takes the next pane.
   *
   * @param absorbing whether what follows a gap or a start is still passing
   */
  void next(CellPane pane, boolean absorbing) {
    BaselineUse use = series.policy().baseline();
    if (use == BaselineUse.NONE) {
      retire(EnumSet.allOf(Basis.class), pane, "the policy no longer judges this metric");
      return;
    }
    if (use == BaselineUse.PREDECESSOR_ONLY) {
      retire(OF_ITSELF, pane, "the policy only compares with a predecessor");
      return;
    }
    Optional<Stretch> pinned = pinned();
    if (pinned.isPresent() && learnPinned(pinned.get(), pane)) {
      return;
    }
    if (use == BaselineUse.LEARNED) {
      learn(pane, absorbing);
    }
  }

  private void learn(CellPane pane, boolean absorbing) {
    if (plan == null) {
      plan = new Learning(pane.startMicros());
    }
    Learning current = plan;
    boolean outside = absorbing || series.maintenance().isPresent();
    if (outside) {
      exclude(pane.startMicros(), end(pane));
    } else if (!families.shifted(scorers.scorer())) {
      current.add(series.paneMicros(), values(pane));
      boolean suspicious = families.suspicious(scorers.scorer(), deployment::levels);
      current.due(deployment.growth(), suspicious).ifPresent(step -> fit(current, step, pane));
    }
    if (current.firm()) {
      forgetOld(pane);
    }
  }

  /** Keeps what attribution and successors may want. */
  private void forgetOld(CellPane pane) {
    if (!families.anyOpen()) {
      history.dropBefore(pane.startMicros() - RECENT);
    }
    excluded.removeIf(one -> one.toMicros() <= history.fromMicros());
  }

  private void fit(Learning current, Step step, CellPane last) {
    long end = end(last);
    long cut = end - step.heldOutMicros();
    List<CellPane> panes = usable(current.fromMicros(), cut);
    if (!enough(panes)) {
      current.failed();
      return;
    }
    List<CellPane> heldOut = history.panes(cut, end);
    boolean everything = everything();
    if (!everything || deployment.spread()) {
      for (FamilySpec spec : kinds.specs()) {
        if (mayLearn(spec, panes)) {
          install(Basis.LEARNED, spec, panes, heldOut, last);
        }
      }
    }
    if (everything && lasted(panes, Micros.DAY - Micros.HOUR)) {
      for (FamilySpec spec : kinds.marginal()) {
        install(Basis.MARGINAL, spec, panes, heldOut, last);
      }
    }
    current.fitted(step);
  }

  /** The body of a duration follows the load of the day: it is learned from a whole one. */
  private boolean mayLearn(FamilySpec spec, List<CellPane> panes) {
    boolean body = kinds.duration() && spec.statistic() == FamilySpec.Statistic.MEAN;
    return !body || lasted(panes, Micros.DAY - Micros.HOUR);
  }

  private boolean lasted(List<CellPane> panes, long micros) {
    return panes.size() * series.paneMicros() >= micros;
  }

  /** What a person decided last, else what the policy says. */
  private Optional<Stretch> pinned() {
    if (unpinned) {
      return Optional.empty();
    }
    if (decided != null) {
      return Optional.of(decided);
    }
    return deployment
        .policy()
        .baseline()
        .pinned(series.key().deployment(), series.key().configId(), series.key().modelId())
        .map(
            range ->
                new Stretch(
                    deployment.pace().judged(range.from()), deployment.pace().judged(range.to())));
  }

  /**
   * Takes a stretch of the panes in memory as what is normal.
   *
   * @return whether they are there; else nothing changes
   */
  boolean pin(long fromMicros, long toMicros) {
    if (toMicros <= fromMicros || !enough(usable(fromMicros, toMicros))) {
      return false;
    }
    decided = new Stretch(fromMicros, toMicros);
    unpinned = false;
    installed = null;
    return true;
  }

  /**
   * Sees to the pinned baseline.
   *
   * @return whether it is in force, or will be when its range is over; without it the series is not
   *     left unjudged but learns
   */
  private boolean learnPinned(Stretch range, CellPane pane) {
    if (pane.startMicros() < range.toMicros()) {
      return true;
    }
    if (range.equals(installed)) {
      forgetOld(pane);
      return true;
    }
    List<CellPane> panes = usable(range.fromMicros(), range.toMicros());
    if (!enough(panes)) {
      return false;
    }
    retire(OF_ITSELF, pane, "another baseline was pinned");
    List<CellPane> since = history.panes(range.toMicros(), end(pane));
    if (!everything() || deployment.spread()) {
      for (FamilySpec spec : kinds.specs()) {
        install(Basis.PINNED, spec, panes, since, pane);
      }
    }
    if (everything()) {
      for (FamilySpec spec : kinds.marginal()) {
        install(Basis.MARGINAL, spec, panes, since, pane);
      }
    }
    installed = range;
    return true;
  }

  /** Learns from the onset of a shift that was taken as the new normal, pinned or not. */
  void accept(long onsetMicros) {
    unpinned = true;
    installed = null;
    Learning fresh = new Learning(onsetMicros);
    for (CellPane pane : usable(onsetMicros, Long.MAX_VALUE)) {
      fresh.add(series.paneMicros(), values(pane));
    }
    plan = fresh;
  }

  private void install(
      Basis basis, FamilySpec spec, List<CellPane> panes, List<CellPane> since, CellPane last) {
    Reference reference =
        Reference.of(
            basis,
            Group.of(series.key()),
            scorers.scorer(),
            spec,
            history.layout(),
            panes,
            series.paneMicros());
    FamilyJudge family = new FamilyJudge(series, reference);
    families.install(family, end(last));
    since.forEach(family::catchUp);
  }

  private void retire(Set<Basis> bases, CellPane last, String why) {
    families.retire(bases, end(last), why);
  }

  private boolean everything() {
    return Group.of(series.key()).everything();
  }

  private long end(CellPane pane) {
    return pane.startMicros() + series.paneMicros();
  }

  void write(Content.Writer out) {
    out.count(excluded.size());
    excluded.forEach(one -> write(one, out));
    out.count(plan == null ? 0 : 1);
    if (plan != null) {
      plan.write(out);
    }
    writeOptional(decided, out);
    writeOptional(installed, out);
    out.count(unpinned ? 1 : 0);
  }

  private static void write(Stretch stretch, Content.Writer out) {
    out.whole(stretch.fromMicros());
    out.whole(stretch.toMicros());
  }

  private static void writeOptional(@Nullable Stretch stretch, Content.Writer out) {
    out.count(stretch == null ? 0 : 1);
    if (stretch != null) {
      write(stretch, out);
    }
  }

  private static @Nullable Stretch readOptional(Content.Reader in) {
    return in.count() == 1 ? new Stretch(in.whole(), in.whole()) : null;
  }

  void read(Content.Reader in) {
    for (int left = in.count(); left > 0; left--) {
      exclude(in.whole(), in.whole());
    }
    if (in.count() == 1) {
      plan = Learning.read(in);
    }
    decided = readOptional(in);
    installed = readOptional(in);
    unpinned = in.count() == 1;
  }
}

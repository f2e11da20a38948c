package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.baseline.BaselineFit;
import io.servedrift.monitors.baseline.BaselineGrowth.Step;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneHistory;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.pane.Exemplar;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricPolicy;
import io.servedrift.monitors.policy.MetricPolicy.BaselineUse;
import io.servedrift.schemas.avro.PaneKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One series: remembers its panes, learns what is normal, and has its families of tests judge every
 * further pane. Not thread-safe.
 */
final class SeriesJudge implements SeriesContext {
  /** Memory of panes per series. */
  private static final long HISTORY_BYTES = 24L << 20;

  /** Panes behind a firm baseline that attribution or a successor may want. */
  private static final long RECENT = Micros.DAY + Micros.HOUR;

  /** A pause after which caches are cold and nothing is normal for a while. */
  private static final long GAP = 30 * Micros.MINUTE;

  /** Panes with another scorer until what is learned begins anew. */
  private static final int SCORER_PANES = 3;

  /** A successor is compared with what ran before for so long. */
  private static final long COMPARED = 7 * Micros.DAY;

  private static final long LEAST_PREDECESSOR = 300;
  private static final String SCORER = "scorer";

  private static final Set<Basis> OF_ITSELF = Set.of(Basis.LEARNED, Basis.PINNED, Basis.MARGINAL);

  private final DeploymentJudge deployment;
  private final SeriesKey key;
  private final PaneKind kind;
  private final MetricPolicy metricPolicy;
  private final MetricFamilies kinds;
  private final SortedMap<String, FamilyJudge> families = new TreeMap<>();
  private final List<Stretch> excluded = new ArrayList<>();
  private EvalComparison evalComparison = new EvalComparison(this);
  private PaneHistory history;
  private ExemplarMemory exemplars = new ExemplarMemory();
  private @Nullable Learning learning;
  private @Nullable Stretch decided;
  private @Nullable Stretch installed;
  private boolean unpinned;
  private long lastMicros = Long.MIN_VALUE;
  private long absorbUntil = Long.MIN_VALUE;
  private long comparedUntil = Long.MIN_VALUE;
  private String scorer = "";
  private String latestScorer = "";
  private int otherScorerPanes;

  private record Stretch(long fromMicros, long toMicros) {}

  SeriesJudge(DeploymentJudge deployment, SeriesKey key, PaneKind kind) {
    this.deployment = deployment;
    this.key = key;
    this.kind = kind;
    HistogramLayout layout = deployment.layouts().layoutOf(key.metric());
    metricPolicy = deployment.policy().metric(key.deployment(), key.metric(), deployment.layouts());
    kinds = MetricFamilies.of(key.metric(), layout, metricPolicy);
    history = new PaneHistory(layout, paneMicros(), HISTORY_BYTES);
  }

  // What families ask.

  @Override
  public SeriesKey key() {
    return key;
  }

  @Override
  public boolean duration() {
    return kinds.duration();
  }

  @Override
  public MetricPolicy policy() {
    return metricPolicy;
  }

  @Override
  public String policyHash() {
    return deployment.policyHash();
  }

  @Override
  public long paneMicros() {
    return deployment.paneMicros();
  }

  @Override
  public long graceMicros() {
    return deployment.graceMicros(kind);
  }

  @Override
  public String scorer() {
    return latestScorer;
  }

  @Override
  public List<CellPane> panes(long fromMicros, long toMicros) {
    return history.panes(fromMicros, toMicros);
  }

  @Override
  public List<Exemplar> exemplars(Map<String, String> cell, long sinceMicros, int most) {
    return exemplars.pick(cell, sinceMicros, most);
  }

  @Override
  public EventLog events() {
    return deployment.events();
  }

  @Override
  public Incidents incidents() {
    return deployment.incidents();
  }

  @Override
  public Changes changesAround(long earliestMicros, long latestMicros, boolean scorerChanged) {
    return deployment.changesAround(earliestMicros, latestMicros, scorerChanged);
  }

  @Override
  public List<String> changedAxes(String fromConfigId) {
    return deployment.changedAxes(fromConfigId, key.configId());
  }

  @Override
  public Optional<String> maintenance() {
    return deployment.maintenance(lastMicros);
  }

  @Override
  public List<OpenFinding> opposites(OpenFinding finding) {
    List<OpenFinding> found = new ArrayList<>();
    for (FamilyJudge family : families.values()) {
      OpenFinding other = family.open();
      if (other != null && !other.direction().equals(finding.direction())) {
        found.add(other);
      }
    }
    return found;
  }

  @Override
  public boolean explained(String direction) {
    return families.values().stream()
        .filter(family -> family.reference().basis() != Basis.MARGINAL)
        .map(FamilyJudge::open)
        .anyMatch(one -> one != null && one.direction().equals(direction) && one.decided());
  }

  @Override
  public Optional<Reference> reference(Basis basis, FamilySpec.Statistic statistic) {
    return families.values().stream()
        .map(FamilyJudge::reference)
        .filter(r -> r.basis() == basis && r.baseline().spec().statistic() == statistic)
        .findFirst();
  }

  @Override
  public Optional<SeriesContext> sibling(String metric) {
    return deployment.series(
        new SeriesKey(key.deployment(), key.modelId(), key.configId(), metric));
  }

  @Override
  public void write(ObjectNode body) {
    deployment.write(body);
  }

  @Override
  public void exclude(long fromMicros, long toMicros, Basis basis) {
    if (basis == Basis.LEARNED || basis == Basis.PINNED) {
      excluded.add(new Stretch(fromMicros, toMicros));
    }
  }

  // Panes.

  /** Takes the next pane of the series, the deployment-wide one included. */
  void pane(CellPane pane, List<Exemplar> candidates) {
    boolean first = lastMicros == Long.MIN_VALUE;
    boolean gap = !first && pane.startMicros() - lastMicros > GAP;
    lastMicros = pane.startMicros();
    if (gap) {
      families.values().forEach(FamilyJudge::paused);
    }
    if (first || gap) {
      absorbUntil = pane.startMicros() + deployment.pace().judged(deployment.policy().warmUp());
    }
    watchScorer(pane);
    history.append(pane);
    exemplars.add(candidates);
    boolean absorbing = pane.startMicros() < absorbUntil;
    for (FamilyJudge family : List.copyOf(families.values())) {
      // The predecessor ran warm: a successor is compared with it from its first request.
      if (absorbing && family.reference().basis() != Basis.PREDECESSOR) {
        family.absorb(pane);
      } else {
        family.next(pane, deployment.levels(family.name()));
      }
    }
    if (!absorbing) {
      compareWithEval(pane);
    }
    learn(pane, absorbing);
    retireComparison(pane.startMicros());
  }

  /** A score against the evaluation that the policy names, once it is known how it varies. */
  private void compareWithEval(CellPane pane) {
    Optional<String> name = metricPolicy.eval();
    boolean before = evalComparison.active();
    // What another policy began has to end, so a comparison under way goes on without a name.
    if ((name.isEmpty() && !before) || duration() || Group.of(key).everything()) {
      return;
    }
    Optional<FamilyJudge> mean = meanFamily();
    boolean sameScorer = mean.filter(f -> f.reference().scorer().equals(latestScorer)).isPresent();
    if (mean.isPresent() && !sameScorer) {
      evalComparison.close(pane.startMicros(), "another scorer scores");
    }
    evalComparison.next(
        pane,
        name.isEmpty() ? null : deployment.latestEval(name.get()),
        sameScorer ? overall(mean.get()) : null,
        deployment.levels(EvalComparison.family(this)));
    if (evalComparison.active() != before) {
      deployment.budgetChanged();
    }
  }

  private Optional<FamilyJudge> meanFamily() {
    return families.values().stream()
        .filter(
            f -> f.reference().basis() == Basis.LEARNED || f.reference().basis() == Basis.PINNED)
        .filter(f -> f.reference().baseline().spec().statistic() == FamilySpec.Statistic.MEAN)
        .findFirst();
  }

  private static @Nullable TrackCalibration overall(FamilyJudge family) {
    return family.reference().baseline().tracks().stream()
        .filter(one -> one.track().overall())
        .findFirst()
        .orElse(null);
  }

  /** Values a minute of a series that is compared with an evaluation. */
  Optional<Double> evalTraffic() {
    return evalComparison.active()
        ? meanFamily().map(FamilyJudge::trafficPerMinute)
        : Optional.empty();
  }

  private static long values(CellPane pane) {
    return pane.cells().stream().mapToLong(cell -> cell.values().n()).sum();
  }

  private void watchScorer(CellPane pane) {
    String dominant = "";
    long most = 0;
    for (CellPane.MarginCell margin : pane.margins()) {
      if (margin.covariate().equals(SCORER) && margin.values().n() > most) {
        dominant = margin.level();
        most = margin.values().n();
      }
    }
    if (dominant.isEmpty()) {
      return;
    }
    latestScorer = dominant;
    if (scorer.isEmpty()) {
      scorer = dominant;
    }
    otherScorerPanes = dominant.equals(scorer) ? 0 : otherScorerPanes + 1;
    if (otherScorerPanes >= SCORER_PANES) {
      // Scores of different scorers are never mixed: what is normal is learned anew.
      scorer = dominant;
      otherScorerPanes = 0;
      learning = new Learning(pane.startMicros() - (SCORER_PANES - 1) * paneMicros());
    }
  }

  // Learning.

  private void learn(CellPane pane, boolean absorbing) {
    BaselineUse use = metricPolicy.baseline();
    if (use == BaselineUse.NONE) {
      retire(EnumSet.allOf(Basis.class), "the policy no longer judges this metric");
      return;
    }
    if (use == BaselineUse.PREDECESSOR_ONLY) {
      retire(OF_ITSELF, "the policy only compares with a predecessor");
      return;
    }
    Optional<Stretch> pinned = pinned();
    if (pinned.isPresent() && learnPinned(pinned.get(), pane)) {
      return;
    }
    if (use != BaselineUse.LEARNED) {
      return;
    }
    if (learning == null) {
      learning = new Learning(pane.startMicros());
    }
    Learning plan = learning;
    boolean disturbed = absorbing || maintenance().isPresent() || shifted();
    if (disturbed) {
      if (absorbing || maintenance().isPresent()) {
        excluded.add(new Stretch(pane.startMicros(), pane.startMicros() + paneMicros()));
      }
    } else {
      plan.add(paneMicros(), values(pane));
      Optional<Step> step = plan.due(deployment.growth(), suspicious());
      if (step.isPresent()) {
        fit(plan, step.get(), pane);
      }
    }
    if (plan.firm()) {
      forgetOld(pane);
    }
  }

  /** Keeps what attribution and successors may want. */
  private void forgetOld(CellPane pane) {
    if (!hasOpenAny()) {
      history.dropBefore(pane.startMicros() - RECENT);
    }
    excluded.removeIf(one -> one.toMicros() <= history.fromMicros());
  }

  /** Ends families; what is open in them closes. */
  private void retire(Set<Basis> bases, String why) {
    for (FamilyJudge family : List.copyOf(families.values())) {
      if (bases.contains(family.reference().basis())) {
        if (family.open() != null) {
          family.close(lastMicros + paneMicros(), why);
        }
        families.remove(family.name());
        deployment.budgetChanged();
      }
    }
  }

  /** Whether a finding stands against what the series itself was; another scorer is no such one. */
  private boolean shifted() {
    return families.values().stream()
        .anyMatch(
            f ->
                f.open() != null
                    && f.reference().basis() == Basis.LEARNED
                    && f.reference().scorer().equals(scorer));
  }

  private boolean hasOpenAny() {
    return families.values().stream().anyMatch(f -> f.open() != null);
  }

  private boolean suspicious() {
    return families.values().stream()
        .filter(f -> f.reference().basis() == Basis.LEARNED)
        .filter(f -> f.reference().scorer().equals(scorer))
        .anyMatch(f -> f.evidenceMinutes() >= deployment.levels(f.name()).watch());
  }

  private List<CellPane> usable(long fromMicros, long toMicros) {
    List<CellPane> found = new ArrayList<>();
    for (CellPane pane : history.panes(fromMicros, toMicros)) {
      boolean out =
          excluded.stream()
              .anyMatch(
                  one ->
                      pane.startMicros() >= one.fromMicros()
                          && pane.startMicros() < one.toMicros());
      if (!out) {
        found.add(pane);
      }
    }
    return found;
  }

  private void fit(Learning plan, Step step, CellPane last) {
    long end = last.startMicros() + paneMicros();
    long cut = end - step.heldOutMicros();
    List<CellPane> panes = usable(plan.fromMicros(), cut);
    if (!enough(panes)) {
      plan.failed();
      return;
    }
    List<CellPane> heldOut = history.panes(cut, end);
    boolean everything = Group.of(key).everything();
    if (!everything || deployment.spread()) {
      for (FamilySpec spec : kinds.specs()) {
        if (mayLearn(spec, panes)) {
          install(reference(Basis.LEARNED, spec, panes), heldOut);
        }
      }
    }
    if (everything && panes.size() * paneMicros() >= Micros.DAY - Micros.HOUR) {
      for (FamilySpec spec : kinds.marginal()) {
        install(reference(Basis.MARGINAL, spec, panes), heldOut);
      }
    }
    plan.fitted(step);
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
        .pinned(key.deployment(), key.configId(), key.modelId())
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

  /** The body of a duration follows the load of the day: it is learned from a whole one. */
  private boolean mayLearn(FamilySpec spec, List<CellPane> panes) {
    boolean body = kinds.duration() && spec.statistic() == FamilySpec.Statistic.MEAN;
    return !body || panes.size() * paneMicros() >= Micros.DAY - Micros.HOUR;
  }

  private static boolean enough(List<CellPane> panes) {
    return panes.size() >= BaselineFit.LEAST_PANES
        && panes.stream().anyMatch(pane -> values(pane) > 0);
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
    retire(OF_ITSELF, "another baseline was pinned");
    boolean everything = Group.of(key).everything();
    List<CellPane> since = history.panes(range.toMicros(), pane.startMicros() + paneMicros());
    if (!everything || deployment.spread()) {
      for (FamilySpec spec : kinds.specs()) {
        install(reference(Basis.PINNED, spec, panes), since);
      }
    }
    if (everything) {
      for (FamilySpec spec : kinds.marginal()) {
        install(reference(Basis.MARGINAL, spec, panes), since);
      }
    }
    installed = range;
    return true;
  }

  private Reference reference(Basis basis, FamilySpec spec, List<CellPane> panes) {
    return Reference.of(basis, Group.of(key), scorer, spec, history.layout(), panes, paneMicros());
  }

  /** Puts a family in the place of the one it follows; an open finding of that one ends. */
  private void install(Reference reference, List<CellPane> heldOut) {
    FamilyJudge family = new FamilyJudge(this, reference);
    FamilyJudge before = families.put(family.name(), family);
    if (before != null && before.open() != null) {
      before.close(lastMicros + paneMicros(), "the baseline was learned anew");
    }
    deployment.budgetChanged();
    heldOut.forEach(pane -> family.catchUp(pane));
  }

  /**
   * Starts the comparison with what ran before.
   *
   * @return whether the predecessor had enough to compare with
   */
  boolean compareWith(SeriesJudge predecessor) {
    if (metricPolicy.baseline() == BaselineUse.NONE
        || predecessor.history.n() < LEAST_PREDECESSOR) {
      return false;
    }
    List<CellPane> panes = predecessor.usable(Long.MIN_VALUE, Long.MAX_VALUE);
    if (!enough(panes)) {
      return false;
    }
    List<CellPane> since = List.copyOf(history.panes());
    for (FamilySpec spec : kinds.specs()) {
      Reference reference =
          Reference.of(
              Basis.PREDECESSOR,
              Group.of(predecessor.key),
              predecessor.scorer,
              spec,
              history.layout(),
              panes,
              paneMicros());
      install(reference, since);
    }
    comparedUntil = lastMicros + COMPARED;
    return true;
  }

  private void retireComparison(long nowMicros) {
    if (comparedUntil != Long.MIN_VALUE && nowMicros >= comparedUntil) {
      boolean removed =
          families
              .values()
              .removeIf(f -> f.reference().basis() == Basis.PREDECESSOR && f.open() == null);
      if (removed) {
        deployment.budgetChanged();
      }
    }
  }

  // Life cycle.

  /** Whether its values come with the requests or later. */
  PaneKind kind() {
    return kind;
  }

  /** All families, by name. */
  Collection<FamilyJudge> families() {
    return families.values();
  }

  /** What is held of the series. */
  SeriesStanding standing() {
    return new StandingThresholds(
            metricPolicy, families.values(), evalComparison.isWorse(), deployment::levels)
        .of(key);
  }

  /** Start of the last pane with values. */
  long lastMicros() {
    return lastMicros;
  }

  boolean watching() {
    return hasOpenAny() || evalComparison.isOpen();
  }

  /** Ends all open findings: the series has stopped. */
  void stopped(long atMicros, String why) {
    for (FamilyJudge family : families.values()) {
      family.close(atMicros, why);
    }
    evalComparison.close(atMicros, why);
    deployment.budgetChanged();
  }

  /** Takes a shift as the new normal; learns from its onset on. */
  boolean accept(String findingId, String by, String why, long atMicros) {
    if (evalComparison.accept(findingId, by, why, atMicros)) {
      deployment.budgetChanged();
      return true;
    }
    FamilyJudge found = null;
    for (FamilyJudge family : families.values()) {
      OpenFinding open = family.open();
      if (open != null && open.id().equals(findingId)) {
        found = family;
      }
    }
    if (found == null || found.open() == null || found.reference().basis() == Basis.MARGINAL) {
      // Load and mix are what they are: there is nothing to accept.
      return false;
    }
    long onset = found.open().latestMicros();
    Basis basis = found.reference().basis();
    found.accept(by, why, atMicros);
    families.remove(found.name());
    retire(EnumSet.of(basis), "the shift was accepted with finding " + findingId);
    if (basis != Basis.PREDECESSOR) {
      unpinned = true;
      installed = null;
      relearn(onset);
    }
    deployment.budgetChanged();
    return true;
  }

  /** Takes what runs now as the norm: comparisons with what ran before end. */
  void promote(String by, String why, long atMicros) {
    for (FamilyJudge family : List.copyOf(families.values())) {
      if (family.reference().basis() == Basis.PREDECESSOR) {
        family.accept(by, why, atMicros);
        families.remove(family.name());
      }
    }
    deployment.budgetChanged();
  }

  private void relearn(long fromMicros) {
    Learning fresh = new Learning(fromMicros);
    for (CellPane pane : usable(fromMicros, Long.MAX_VALUE)) {
      fresh.add(paneMicros(), values(pane));
    }
    learning = fresh;
  }

  // Checkpoints.

  void write(Content.Writer out) {
    history.write(out);
    exemplars.write(out);
    out.count(excluded.size());
    for (Stretch one : excluded) {
      out.whole(one.fromMicros());
      out.whole(one.toMicros());
    }
    out.count(learning == null ? 0 : 1);
    if (learning != null) {
      learning.write(out);
    }
    write(decided, out);
    write(installed, out);
    out.count(unpinned ? 1 : 0);
    out.whole(lastMicros);
    out.whole(absorbUntil);
    out.whole(comparedUntil);
    out.text(scorer);
    out.text(latestScorer);
    out.count(otherScorerPanes);
    out.count(families.size());
    families.values().forEach(family -> family.write(out));
    evalComparison.write(out);
  }

  private static void write(@Nullable Stretch stretch, Content.Writer out) {
    out.count(stretch == null ? 0 : 1);
    if (stretch != null) {
      out.whole(stretch.fromMicros());
      out.whole(stretch.toMicros());
    }
  }

  private static @Nullable Stretch readStretch(Content.Reader in) {
    return in.count() == 1 ? new Stretch(in.whole(), in.whole()) : null;
  }

  static SeriesJudge read(
      DeploymentJudge deployment, SeriesKey key, PaneKind kind, Content.Reader in) {
    SeriesJudge series = new SeriesJudge(deployment, key, kind);
    series.history = PaneHistory.read(in);
    series.exemplars = ExemplarMemory.read(in);
    for (int left = in.count(); left > 0; left--) {
      series.excluded.add(new Stretch(in.whole(), in.whole()));
    }
    if (in.count() == 1) {
      series.learning = Learning.read(in);
    }
    series.decided = readStretch(in);
    series.installed = readStretch(in);
    series.unpinned = in.count() == 1;
    series.lastMicros = in.whole();
    series.absorbUntil = in.whole();
    series.comparedUntil = in.whole();
    series.scorer = in.text();
    series.latestScorer = in.text();
    series.otherScorerPanes = in.count();
    for (int left = in.count(); left > 0; left--) {
      FamilyJudge family = FamilyJudge.read(series, in);
      series.families.put(family.name(), family);
    }
    series.evalComparison = EvalComparison.read(series, in);
    return series;
  }
}

package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Changes;
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
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One series: remembers its panes, has its families of tests judge every further one, and lets what
 * is normal be learned from them. Not thread-safe.
 */
final class SeriesJudge implements SeriesContext {
  /** Memory of panes per series. */
  private static final long HISTORY_BYTES = 24L << 20;

  /** A pause after which caches are cold and nothing is normal for a while. */
  private static final long GAP = 30 * Micros.MINUTE;

  /** A successor is compared with what ran before for so long. */
  private static final long COMPARED = 7 * Micros.DAY;

  private static final long LEAST_PREDECESSOR = 300;

  private final DeploymentJudge deployment;
  private final SeriesKey key;
  private final PaneKind kind;
  private final MetricPolicy metricPolicy;
  private final MetricFamilies kinds;
  private final PaneHistory history;
  private final ExemplarMemory exemplars;
  private final SeriesFamilies families;
  private final ScorerWatch scorers = new ScorerWatch();
  private final SeriesLearning learning;
  private EvalComparison evalComparison = new EvalComparison(this);
  private long lastMicros = Long.MIN_VALUE;
  private long absorbUntil = Long.MIN_VALUE;
  private long comparedUntil = Long.MIN_VALUE;

  SeriesJudge(DeploymentJudge deployment, SeriesKey key, PaneKind kind) {
    this(
        deployment,
        key,
        kind,
        new PaneHistory(
            deployment.layouts().layoutOf(key.metric()), deployment.paneMicros(), HISTORY_BYTES),
        new ExemplarMemory());
  }

  private SeriesJudge(
      DeploymentJudge deployment,
      SeriesKey key,
      PaneKind kind,
      PaneHistory history,
      ExemplarMemory exemplars) {
    this.deployment = deployment;
    this.key = key;
    this.kind = kind;
    this.history = history;
    this.exemplars = exemplars;
    HistogramLayout layout = deployment.layouts().layoutOf(key.metric());
    metricPolicy = deployment.policy().metric(key.deployment(), key.metric(), deployment.layouts());
    kinds = MetricFamilies.of(key.metric(), layout, metricPolicy);
    families = new SeriesFamilies(deployment::budgetChanged);
    learning = new SeriesLearning(this, deployment, kinds, history, families, scorers);
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
    return scorers.latest();
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
    return families.opposites(finding);
  }

  @Override
  public boolean explained(String direction) {
    return families.explained(direction);
  }

  @Override
  public Optional<Reference> reference(Basis basis, FamilySpec.Statistic statistic) {
    return families.reference(basis, statistic);
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
      learning.exclude(fromMicros, toMicros);
    }
  }

  // Panes.

  /** Takes the next pane of the series, the deployment-wide one included. */
  void pane(CellPane pane, List<Exemplar> candidates) {
    boolean first = lastMicros == Long.MIN_VALUE;
    boolean gap = !first && pane.startMicros() - lastMicros > GAP;
    lastMicros = pane.startMicros();
    if (gap) {
      families.all().forEach(FamilyJudge::paused);
    }
    if (first || gap) {
      absorbUntil = pane.startMicros() + deployment.pace().judged(deployment.policy().warmUp());
    }
    if (scorers.next(pane)) {
      learning.restart(pane.startMicros() - ScorerWatch.takenOver(paneMicros()));
    }
    history.append(pane);
    exemplars.add(candidates);
    boolean absorbing = pane.startMicros() < absorbUntil;
    for (FamilyJudge family : families.snapshot()) {
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
    learning.next(pane, absorbing);
    if (comparedUntil != Long.MIN_VALUE && pane.startMicros() >= comparedUntil) {
      families.retireComparisons();
    }
  }

  /** A score against the evaluation that the policy names, once it is known how it varies. */
  private void compareWithEval(CellPane pane) {
    Optional<String> name = metricPolicy.eval();
    boolean before = evalComparison.active();
    // What another policy began has to end, so a comparison under way goes on without a name.
    if ((name.isEmpty() && !before) || duration() || Group.of(key).everything()) {
      return;
    }
    Optional<FamilyJudge> mean = families.mean();
    boolean sameScorer =
        mean.filter(f -> f.reference().scorer().equals(scorers.latest())).isPresent();
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

  private static @Nullable TrackCalibration overall(FamilyJudge family) {
    return family.reference().baseline().tracks().stream()
        .filter(one -> one.track().overall())
        .findFirst()
        .orElse(null);
  }

  /** Values a minute of a series that is compared with an evaluation. */
  Optional<Double> evalTraffic() {
    return evalComparison.active()
        ? families.mean().map(FamilyJudge::trafficPerMinute)
        : Optional.empty();
  }

  /**
   * Takes a stretch of the panes in memory as what is normal.
   *
   * @return whether they are there; else nothing changes
   */
  boolean pin(long fromMicros, long toMicros) {
    return learning.pin(fromMicros, toMicros);
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
    List<CellPane> panes = predecessor.learning.usable(Long.MIN_VALUE, Long.MAX_VALUE);
    if (!SeriesLearning.enough(panes)) {
      return false;
    }
    List<CellPane> since = List.copyOf(history.panes());
    for (FamilySpec spec : kinds.specs()) {
      Reference reference =
          Reference.of(
              Basis.PREDECESSOR,
              Group.of(predecessor.key),
              predecessor.scorers.scorer(),
              spec,
              history.layout(),
              panes,
              paneMicros());
      FamilyJudge family = new FamilyJudge(this, reference);
      families.install(family, lastMicros + paneMicros());
      since.forEach(family::catchUp);
    }
    comparedUntil = lastMicros + COMPARED;
    return true;
  }

  // Life cycle.

  /** Whether its values come with the requests or later. */
  PaneKind kind() {
    return kind;
  }

  /** All families, by name. */
  Collection<FamilyJudge> families() {
    return families.all();
  }

  /** What is held of the series. */
  SeriesStanding standing() {
    return new StandingThresholds(
            metricPolicy, families.all(), evalComparison.isWorse(), deployment::levels)
        .of(key);
  }

  /** Start of the last pane with values. */
  long lastMicros() {
    return lastMicros;
  }

  boolean watching() {
    return families.anyOpen() || evalComparison.isOpen();
  }

  /** Ends all open findings: the series has stopped. */
  void stopped(long atMicros, String why) {
    for (FamilyJudge family : families.all()) {
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
    FamilyJudge found = families.withFinding(findingId).orElse(null);
    if (found == null || found.open() == null || found.reference().basis() == Basis.MARGINAL) {
      // Load and mix are what they are: there is nothing to accept.
      return false;
    }
    long onset = found.open().latestMicros();
    Basis basis = found.reference().basis();
    found.accept(by, why, atMicros);
    families.remove(found);
    families.retire(
        EnumSet.of(basis),
        lastMicros + paneMicros(),
        "the shift was accepted with finding " + findingId);
    if (basis != Basis.PREDECESSOR) {
      learning.accept(onset);
    }
    deployment.budgetChanged();
    return true;
  }

  /** Takes what runs now as the norm: comparisons with what ran before end. */
  void promote(String by, String why, long atMicros) {
    for (FamilyJudge family : families.snapshot()) {
      if (family.reference().basis() == Basis.PREDECESSOR) {
        family.accept(by, why, atMicros);
        families.remove(family);
      }
    }
    deployment.budgetChanged();
  }

  // Checkpoints.

  void write(Content.Writer out) {
    history.write(out);
    exemplars.write(out);
    learning.write(out);
    out.whole(lastMicros);
    out.whole(absorbUntil);
    out.whole(comparedUntil);
    scorers.write(out);
    families.write(out);
    evalComparison.write(out);
  }

  static SeriesJudge read(
      DeploymentJudge deployment, SeriesKey key, PaneKind kind, Content.Reader in) {
    SeriesJudge series =
        new SeriesJudge(deployment, key, kind, PaneHistory.read(in), ExemplarMemory.read(in));
    series.learning.read(in);
    series.lastMicros = in.whole();
    series.absorbUntil = in.whole();
    series.comparedUntil = in.whole();
    series.scorers.read(in);
    series.families.read(series, in);
    series.evalComparison = EvalComparison.read(series, in);
    return series;
  }
}

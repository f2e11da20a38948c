package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.CellPane.JointCell;
import io.servedrift.monitors.baseline.CellPane.MarginCell;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneHistory;
import io.servedrift.monitors.detection.AlarmLevels;
import io.servedrift.monitors.pane.Exemplar;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.policy.MetricPolicy;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.schemas.avro.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The CLIP scores of one configuration, minute by minute, with what a series is judged by and
 * nothing before or around it. Half of the requests are hits, of either half run alone. Not
 * thread-safe.
 */
class OneSeries implements SeriesContext {
  static final long START = 20_000 * Micros.DAY;
  static final AlarmLevels LEVELS = AlarmLevels.of(1, .05);
  private static final double SD = .03;

  final SeriesFamilies families = new SeriesFamilies(() -> this.budgetChanges++);
  final ScorerWatch scorers = new ScorerWatch();
  final List<ObjectNode> written = new ArrayList<>();
  final PaneHistory history;
  final SeriesLearning learning;

  /** Requests a minute, and how far hits and all requests are off. */
  int perMinute = 40;

  double hits;
  double all;
  boolean misses = true;
  String scorer = "";
  String maintenance = "";
  int budgetChanges;
  int minute;

  private final SeriesKey key;
  private final MetricPolicy policy;
  private final Incidents incidents = new Incidents();
  private final EventLog events = new EventLog();
  private final SplittableRandom random = new SplittableRandom(5);

  OneSeries() {
    this("", "c");
  }

  /**
   * Starts without panes.
   *
   * @param policy as YAML
   * @param configId {@code *} for the series over all
   */
  OneSeries(String policy, String configId) {
    Policy parsed = Policy.parse(policy, "test");
    MetricLayouts layouts = new MetricLayouts();
    key =
        new SeriesKey("d", configId.equals(SeriesKey.ALL) ? SeriesKey.ALL : "m", configId, "clip");
    this.policy = parsed.metric("d", "clip", layouts);
    HistogramLayout layout = layouts.layoutOf("clip");
    history = new PaneHistory(layout, Micros.MINUTE, 8 << 20);
    JudgeParts parts =
        new JudgeParts(
            parsed,
            parsed.hash(),
            new Pace(parsed.minute()),
            PaneSettings.defaults(),
            layouts,
            ConfigAxes.UNKNOWN,
            new Judge.Output() {
              @Override
              public void finding(Finding finding) {
                throw new AssertionError("the series writes its findings itself");
              }
            },
            new Tally());
    learning =
        new SeriesLearning(
            this,
            new DeploymentJudge("d", parts),
            MetricFamilies.of("clip", layout, this.policy),
            history,
            families,
            scorers);
  }

  static long at(int minute) {
    return START + minute * Micros.MINUTE;
  }

  /** Judges some minutes more. */
  OneSeries run(int minutes) {
    return run(minutes, false);
  }

  /** The same, as after a start or a gap where {@code absorbing}. */
  OneSeries run(int minutes, boolean absorbing) {
    for (int i = 0; i < minutes; i++) {
      take(pane(), absorbing);
    }
    return this;
  }

  /** Takes a pane as a series does. */
  void take(CellPane pane, boolean absorbing) {
    if (scorers.next(pane)) {
      learning.restart(pane.startMicros() - ScorerWatch.takenOver(Micros.MINUTE));
    }
    history.append(pane);
    families.snapshot().forEach(family -> family.next(pane, LEVELS));
    learning.next(pane, absorbing);
  }

  /** The next minute, judged by nobody. */
  CellPane pane() {
    List<JointCell> cells = new ArrayList<>();
    for (String cache : misses ? List.of("hit", "miss") : List.of("hit")) {
      for (String batch : List.of("1", "2-3")) {
        double mean = .3 + all + (cache.equals("hit") ? hits : 0);
        int n = perMinute / (misses ? 4 : 2);
        cells.add(new JointCell("portrait", cache, batch, "no", values(n, mean)));
      }
    }
    List<MarginCell> margins = new ArrayList<>();
    if (!scorer.isEmpty()) {
      List<ValueDistribution> parts = cells.stream().map(JointCell::values).toList();
      margins.add(new MarginCell("scorer", scorer, ValueDistribution.merge(parts)));
    }
    return new CellPane(at(minute++), perMinute, cells, margins);
  }

  private ValueDistribution values(int n, double mean) {
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = mean + SD * random.nextGaussian();
    }
    return ValueDistribution.of(history.layout(), values, ValueDistribution.Detail.BINS);
  }

  /** Mean of the values of some minutes. */
  double mean(int fromMinute, int toMinute) {
    return Summary.of(history.panes(at(fromMinute), at(toMinute)), Micros.MINUTE).mean();
  }

  /** A reference of some minutes. */
  Reference reference(Basis basis, FamilySpec spec, int fromMinute, int toMinute) {
    return Reference.of(
        basis,
        Group.of(key),
        scorers.scorer(),
        spec,
        history.layout(),
        history.panes(at(fromMinute), at(toMinute)),
        Micros.MINUTE);
  }

  FamilyJudge family(Basis basis, FamilySpec spec, int fromMinute, int toMinute) {
    return new FamilyJudge(this, reference(basis, spec, fromMinute, toMinute));
  }

  /** A member of a finding that was written, by its position from the end. */
  JsonNode last(String member) {
    return written.get(written.size() - 1).path(member);
  }

  byte[] state() {
    Content.Writer out = new Content.Writer();
    learning.write(out);
    families.write(out);
    return out.bytes();
  }

  @Override
  public SeriesKey key() {
    return key;
  }

  @Override
  public boolean duration() {
    return false;
  }

  @Override
  public MetricPolicy policy() {
    return policy;
  }

  @Override
  public String policyHash() {
    return "hash";
  }

  @Override
  public long paneMicros() {
    return Micros.MINUTE;
  }

  @Override
  public long graceMicros() {
    return 0;
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
    return List.of();
  }

  @Override
  public EventLog events() {
    return events;
  }

  @Override
  public Incidents incidents() {
    return incidents;
  }

  @Override
  public Changes changesAround(long earliestMicros, long latestMicros, boolean scorerChanged) {
    return new Changes(false, false, scorerChanged);
  }

  @Override
  public List<String> changedAxes(String fromConfigId) {
    return List.of();
  }

  @Override
  public Optional<String> maintenance() {
    return maintenance.isEmpty() ? Optional.empty() : Optional.of(maintenance);
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
    return Optional.empty();
  }

  @Override
  public void write(ObjectNode body) {
    written.add(body.deepCopy());
  }

  @Override
  public void exclude(long fromMicros, long toMicros, Basis basis) {
    learning.exclude(fromMicros, toMicros);
  }
}

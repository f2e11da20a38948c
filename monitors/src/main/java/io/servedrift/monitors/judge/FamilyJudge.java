package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.attribution.Mechanism;
import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.detection.AlarmLevels;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One family of tests of one series against one reference, and the life of its finding: opens once,
 * stays while the shift lasts, closes when the opposite has been shown. Not thread-safe.
 */
final class FamilyJudge {
  private static final double MICROS_PER_MINUTE = Micros.MINUTE;

  /** Until it is decided, a verdict is looked at again after so long, then ever less often. */
  private static final long FIRST_REVIEW = 5 * Micros.MINUTE;

  private final SeriesContext series;
  private final Reference reference;
  private final PaneCutter cutter;
  private final ShiftFilter filter;
  private final ShiftExplainer explainer;
  private final SeverityRule severity;
  private FamilyDetector detector;
  private double statistic;
  private long nextAttempt = Long.MIN_VALUE;
  private long attemptPause = FIRST_REVIEW;
  private @Nullable OpenFinding open;

  FamilyJudge(SeriesContext series, Reference reference) {
    this.series = series;
    this.reference = reference;
    cutter = new PaneCutter(reference.baseline());
    filter = new ShiftFilter(series, reference);
    explainer = new ShiftExplainer(series, reference);
    severity = new SeverityRule(series, reference);
    detector = new FamilyDetector(reference.baseline());
  }

  /** Name among the families of a deployment, for the budget. */
  String name() {
    return series.key().configId()
        + "|"
        + series.key().modelId()
        + "|"
        + series.key().metric()
        + "|"
        + OpenFinding.statistic(spec())
        + "|"
        + reference.basis().word()
        + (reference.basis() == Basis.MARGINAL ? "|marginal" : "");
  }

  Reference reference() {
    return reference;
  }

  @Nullable OpenFinding open() {
    return open;
  }

  /** Values a minute in the reference. */
  double trafficPerMinute() {
    Baseline baseline = reference.baseline();
    return baseline.n() / ((double) baseline.panes() * baseline.paneMicros() / MICROS_PER_MINUTE);
  }

  /** Evidence M in minutes. */
  double evidenceMinutes() {
    return statistic * reference.baseline().paneMicros() / MICROS_PER_MINUTE;
  }

  private FamilySpec spec() {
    return reference.baseline().spec();
  }

  /** Takes a pane that is not weighed: what follows a gap or a start is not normal traffic. */
  void absorb(CellPane pane) {
    detector.absorb(cutter.cut(pane));
  }

  /** Weighs a pane that came before the family was there; nothing opens before the next one. */
  void catchUp(CellPane pane) {
    detector.next(cutter.cut(pane));
    statistic = evidence();
  }

  /** Takes the next pane of the series. */
  void next(CellPane pane, AlarmLevels levels) {
    PaneCounts counts = cutter.cut(pane);
    detector.next(counts);
    statistic = evidence();
    if (open != null) {
      follow(open, pane, counts, levels);
    } else if (evidenceMinutes() >= levels.alert()
        && (pane.startMicros() >= nextAttempt || evidenceMinutes() >= levels.page())) {
      tryOpen(pane, levels);
    }
  }

  /** M; of the stronger direction where only one of them pages and each has its own level. */
  private double evidence() {
    return oneSided()
        ? Math.max(detector.statistic(1), detector.statistic(-1))
        : detector.statistic();
  }

  private boolean oneSided() {
    return series.duration() && spec().statistic() == FamilySpec.Statistic.MEAN;
  }

  /** The track with the most evidence, in the direction that alarmed. */
  private FamilyDetector.Evidence lead() {
    int sign = detector.statistic(1) >= detector.statistic(-1) ? 1 : -1;
    List<FamilyDetector.Evidence> all = detector.top(Integer.MAX_VALUE);
    return all.stream()
        .filter(one -> !oneSided() || one.sign() == sign)
        .findFirst()
        .orElse(all.get(0));
  }

  private void tryOpen(CellPane pane, AlarmLevels levels) {
    FamilyDetector.Evidence lead = lead();
    Optional<Shift> found = detector.shift(lead.calibration());
    if (found.isEmpty()) {
      return;
    }
    Shift shift = found.get();
    if (filter.passing(shift, pane)) {
      nextAttempt = pane.startMicros() + series.paneMicros();
      return;
    }
    ShiftWindow window = ShiftWindow.of(series, cutter, shift, pane);
    int sign = MoveDirection.of(reference.baseline(), lead, shift, window.counts());
    if (filter.tooSmall(lead, shift, window)) {
      startAgain();
      return;
    }
    ShiftExplainer.Judged judged = explainer.explain(lead, shift, window, sign);
    Cause cause = judged.attribution().verdict().cause();
    boolean traffic = cause == Cause.LOAD || cause == Cause.TRAFFIC_MIX;
    if (reference.basis() == Basis.MARGINAL && !traffic) {
      // Shifts of serving show in the adjusted families, which are held to the budget.
      startAgain();
      return;
    }
    if ((cause == Cause.LOAD && reference.ofItself())
        || (!cause.serving() && filter.unexpected(lead, window))) {
      // What the load did is not learned as a shift: the next reference knows such loads.
      startAgain();
      return;
    }
    if (cause == Cause.INCONCLUSIVE && (evidenceMinutes() < levels.page() || repeats(sign))) {
      // A verdict may need a few more requests than the alarm; the page level is waited for at
      // most.
      nextAttempt = pane.startMicros() + attemptPause;
      attemptPause = Math.min(2 * attemptPause, Micros.HOUR);
      return;
    }
    OpenFinding finding = OpenFinding.opening(series, reference, lead, shift, sign, pane);
    open = finding;
    report(finding, judged, levels, true);
  }

  /**
   * A pause is over. Bursts of a duration before it are gone, and what comes after it is another
   * story: evidence of both would make one shift that lasted all the time between.
   */
  void paused() {
    if (open == null && series.duration() && reference.basis() != Basis.PREDECESSOR) {
      startAgain();
    }
  }

  /**
   * Whether the series has moved away from itself in a way that another finding of it explains,
   * against the configuration before it or by another statistic: that would add nothing but a
   * question.
   */
  private boolean repeats(int sign) {
    return reference.ofItself()
        && series.explained(OpenFinding.direction(series.policy(), spec(), sign));
  }

  private void startAgain() {
    detector.restart();
    statistic = 0;
    nextAttempt = Long.MIN_VALUE;
    attemptPause = FIRST_REVIEW;
  }

  /** Writes a finding that opened or whose verdict or severity changed. */
  private void report(
      OpenFinding finding, ShiftExplainer.Judged judged, AlarmLevels levels, boolean opening) {
    Attribution attribution = judged.attribution();
    boolean keeps = !opening && finding.decided() && seesLess(finding, attribution.verdict());
    Cause cause = keeps ? finding.cause() : attribution.verdict().cause();
    Severity told =
        severity.of(
            finding,
            cause,
            judged.window(),
            evidenceMinutes() >= levels.page(),
            finding.lead(detector));
    if (opening) {
      finding.incident(
          series
              .incidents()
              .join(
                  finding.id(),
                  attribution.verdict().cause(),
                  finding.earliestMicros(),
                  finding.latestMicros()));
    } else if (finding.sameSeverity(told)
        && (keeps || finding.sameVerdict(attribution.verdict()))) {
      return;
    }
    int level = Math.max(finding.track().level(), 0);
    finding.measured(
        told,
        Summary.of(judged.window().panes(), series.paneMicros()),
        Effect.of(reference.baseline(), level, judged.window().counts()),
        Effect.of(reference.baseline(), level, judged.window().counts(), finding.track()),
        evidenceMinutes(),
        levels.alert(),
        series);
    if (!keeps) {
      finding.judged(attribution, judged.events().correlated(), judged.breakdown(), series);
    }
    series.write(finding.body());
    if (opening) {
      quoteIn(series.opposites(finding));
    }
  }

  /** The one that opened first learns of the other. */
  private void quoteIn(List<OpenFinding> opposites) {
    for (OpenFinding other : opposites) {
      if (other.quotesAnew(series)) {
        series.write(other.body());
      }
    }
  }

  private void follow(OpenFinding finding, CellPane pane, PaneCounts counts, AlarmLevels levels) {
    if (finding.recovery().next(counts)) {
      close(pane.startMicros() + series.paneMicros(), "the shift is gone");
      return;
    }
    if (finding.dueForReview(pane.startMicros())) {
      FamilyDetector.Evidence lead = finding.lead(detector);
      ShiftWindow window = ShiftWindow.of(series, cutter, finding.shift(), pane);
      report(
          finding, explainer.explain(lead, finding.shift(), window, finding.sign()), levels, false);
    }
  }

  /**
   * Whether a later look only sees less: the window has grown into other hours. Then the verdict
   * stays, with the severity and the numbers of now. That two causes coincide is seen, and takes a
   * named one back. That larger batches are slow does not take back a node that was: it gathers
   * them, and at a higher load the other nodes do, too.
   */
  private boolean seesLess(OpenFinding finding, Attribution.Verdict verdict) {
    Attribution.Undecided undecided = verdict.undecided();
    boolean gathered =
        series.duration()
            && finding.cause() == Cause.NODE
            && verdict.cause() == Cause.BATCHING
            && verdict.mechanism() == Mechanism.EFFECT;
    return gathered
        || (undecided != null && undecided.reason() != Attribution.Undecided.Reason.COLLINEAR);
  }

  /** Ends an open finding. */
  void close(long atMicros, String why) {
    if (open != null) {
      List<CellPane> last = series.panes(atMicros - Micros.HOUR, atMicros);
      open.closed(atMicros, why, last.isEmpty() ? null : Summary.of(last, series.paneMicros()));
      series.write(open.body());
      series.exclude(open.earliestMicros(), atMicros, reference.basis());
      open = null;
    }
    startAgain();
  }

  /** Ends an open finding because a person took the shift as the new normal. */
  void accept(String by, String why, long atMicros) {
    if (open != null) {
      open.accepted(by, why, atMicros);
      series.write(open.body());
      open = null;
    }
  }

  /** Identity of a finding: series, statistic, direction and the pane it opened with. */
  static String id(String... parts) {
    return Content.id(String.join("\u0000", parts).getBytes(StandardCharsets.UTF_8))
        .substring(0, 16);
  }

  void write(Content.Writer out) {
    reference.write(out);
    out.block(detector.encodeState());
    out.number(statistic);
    out.whole(nextAttempt);
    out.whole(attemptPause);
    out.count(open == null ? 0 : 1);
    if (open != null) {
      open.write(out);
    }
  }

  static FamilyJudge read(SeriesContext series, Content.Reader in) {
    Reference reference = Reference.read(in);
    FamilyJudge judge = new FamilyJudge(series, reference);
    judge.detector = FamilyDetector.decodeState(reference.baseline(), in.block());
    judge.statistic = in.number();
    judge.nextAttempt = in.whole();
    judge.attemptPause = in.whole();
    if (in.count() == 1) {
      judge.open = OpenFinding.read(reference, in);
    }
    return judge;
  }
}

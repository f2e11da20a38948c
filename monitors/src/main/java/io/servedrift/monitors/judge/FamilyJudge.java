package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.AttributionFeed;
import io.servedrift.monitors.attribution.AttributionInput;
import io.servedrift.monitors.attribution.Attributor;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.attribution.ClassContribution;
import io.servedrift.monitors.attribution.EventWeights;
import io.servedrift.monitors.attribution.Measure;
import io.servedrift.monitors.attribution.MetricView;
import io.servedrift.monitors.attribution.QuantileSplit;
import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.LoadCuts;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.detection.AlarmLevels;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import io.servedrift.monitors.policy.MetricPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
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

  /** Smallest shift of a duration that counts against a baseline that has just been learned. */
  private static final double YOUNG_MINIMUM = .3;

  /**
   * The same when the deployment is busier than ever since it is known: near saturation, a few
   * percent of load may add half to a latency.
   */
  private static final double BUSIER_MINIMUM = 1;

  /** Where that begins, and where it holds in full, in parts of the highest load seen. */
  private static final double NEARLY = .97;

  private static final double FAR = 1.12;

  private static final double LEAST_RATE_SD = .03;
  private static final double MOST_RATE_SD = .5;

  /** Largest share of a window at loads beyond the reference that its mean still speaks for. */
  private static final double MOST_UNEXPECTED = .2;

  /** Panes that a shift of a duration lasts at least. */
  private static final int LASTING_PANES = 15;

  /** What lies further behind the onset adds nothing to the question why. */
  private static final long LONGEST_WINDOW = Micros.DAY;

  /** Traffic classes that a finding lists. */
  private static final int MOST_CLASSES = 12;

  private final SeriesContext series;
  private final Reference reference;
  private final PaneCutter cutter;
  private FamilyDetector detector;
  private double statistic;
  private long nextAttempt = Long.MIN_VALUE;
  private long attemptPause = FIRST_REVIEW;
  private @Nullable OpenFinding open;

  FamilyJudge(SeriesContext series, Reference reference) {
    this.series = series;
    this.reference = reference;
    cutter = new PaneCutter(reference.baseline());
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
    if (passing(shift, pane)) {
      nextAttempt = pane.startMicros() + series.paneMicros();
      return;
    }
    Window window = window(shift, pane);
    int sign = MoveDirection.of(reference.baseline(), lead, shift, window.counts());
    if (tooSmall(lead, shift, window)) {
      startAgain();
      return;
    }
    Judged judged = attribute(lead, shift, window, sign);
    Cause cause = judged.attribution().verdict().cause();
    boolean traffic = cause == Cause.LOAD || cause == Cause.TRAFFIC_MIX;
    if (reference.basis() == Basis.MARGINAL && !traffic) {
      // Shifts of serving show in the adjusted families, which are held to the budget.
      startAgain();
      return;
    }
    if ((cause == Cause.LOAD && ofItself()) || (!cause.serving() && unexpected(lead, window))) {
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
    OpenFinding finding = OpenFinding.opening(this.series, reference, lead, shift, sign, pane);
    open = finding;
    report(finding, judged, levels, true);
  }

  private boolean ofItself() {
    return reference.basis() == Basis.LEARNED || reference.basis() == Basis.PINNED;
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
    return ofItself() && series.explained(OpenFinding.direction(series.policy(), spec(), sign));
  }

  /**
   * Whether the shift may be one of the bursts that every queue has: of a few minutes, and gone
   * before anybody could look.
   */
  private boolean passing(Shift shift, CellPane pane) {
    long lasted = pane.startMicros() + series.paneMicros() - shift.onsetMicros();
    return series.duration()
        && reference.basis() != Basis.PREDECESSOR
        && lasted < LASTING_PANES * series.paneMicros();
  }

  private void startAgain() {
    detector.restart();
    statistic = 0;
    nextAttempt = Long.MIN_VALUE;
    attemptPause = FIRST_REVIEW;
  }

  /** The panes since an onset, cut. */
  private record Window(List<CellPane> panes, List<PaneCounts> counts) {}

  private Window window(Shift shift, CellPane last) {
    long end = last.startMicros() + series.paneMicros();
    long from = Math.max(shift.onsetMicros(), end - LONGEST_WINDOW);
    List<CellPane> panes = series.panes(from, end);
    return new Window(panes, panes.stream().map(cutter::cut).toList());
  }

  /**
   * Whether the mean of a score was seen at loads for which nothing is expected: then only what
   * tells requests of the window apart, or how many fall into which cell, says anything.
   */
  private boolean unexpected(FamilyDetector.Evidence lead, Window window) {
    if (series.duration() || lead.calibration().track().kind() != Track.Kind.MEAN) {
      return false;
    }
    double n = 0;
    double beyond = 0;
    for (PaneCounts pane : window.counts()) {
      double values = pane.n(Stratum.ALL);
      n += values;
      beyond += pane.load() > reference.baseline().table().cuts().highest() ? values : 0;
    }
    return beyond > MOST_UNEXPECTED * n;
  }

  /** Whether the most that the shift may be, where it is strongest, is below what matters. */
  private boolean tooSmall(FamilyDetector.Evidence lead, Shift shift, Window window) {
    if (window.panes().isEmpty()) {
      return false;
    }
    double least = Math.max(series.policy().minimumEffect(), youngMinimum(window));
    return least > 0
        && UserEffect.of(reference.baseline(), lead, shift, window.panes(), window.counts()).most()
            < least;
  }

  /**
   * A baseline of hours has not seen the load of the day, and durations follow it; until it has,
   * only large shifts of them count.
   */
  private double youngMinimum(Window window) {
    Baseline baseline = reference.baseline();
    double days = baseline.panes() * baseline.paneMicros() / (double) Micros.DAY;
    if (!series.duration() || reference.basis() != Basis.LEARNED || days >= 1) {
      return 0;
    }
    double seen = baseline.table().cuts().highest() / (1 + LoadCuts.YOUNG_MARGIN);
    double quiet = YOUNG_MINIMUM * (1 - days);
    double beyond = (meanLoad(window) / seen - NEARLY) / (FAR - NEARLY);
    return quiet + (BUSIER_MINIMUM - quiet) * Math.max(0, Math.min(1, beyond));
  }

  private static double meanLoad(Window window) {
    double load = 0;
    double n = 0;
    for (PaneCounts pane : window.counts()) {
      double values = pane.n(Stratum.ALL);
      load += values * pane.load();
      n += values;
    }
    return n == 0 ? 0 : load / n;
  }

  private record Judged(
      Attribution attribution, EventWeights events, Window window, Breakdown breakdown) {}

  /**
   * What makes the difference as users see it.
   *
   * @param allTraffic the split with traffic not set aside; empty where it is the verdict's own or
   *     unknown
   * @param classes the traffic classes that make most of it
   * @param p99 how much of the move of the p99 is traffic mix; empty where only a part of the
   *     traffic is judged
   */
  record Breakdown(
      Optional<Attribution> allTraffic,
      List<ClassContribution> classes,
      Optional<QuantileSplit> p99) {}

  private Judged attribute(FamilyDetector.Evidence lead, Shift shift, Window window, int sign) {
    EventWeights events =
        series.events().around(shift.earliestMicros(), shift.onsetMicros(), shift.latestMicros());
    MetricView view = reference.cubes().view(lead.calibration().track());
    int viewSign = view.rate() ? lead.sign() : sign;
    Measure measure = measure(viewSign);
    if (view.rate()) {
      measure = measure.withEffectPriorSd(rateEffectSd(lead, window));
    }
    AttributionInput input =
        AttributionFeed.input(
            reference.cubes(),
            view,
            like(window.panes()),
            measure,
            reference.basis() == Basis.PREDECESSOR
                ? AttributionInput.Basis.PREDECESSOR
                : AttributionInput.Basis.SAME_CONFIGURATION,
            changes(shift),
            events.logBayesFactors());
    return new Judged(
        new Attributor().attribute(input), events, window, breakdown(lead, shift, window, view));
  }

  /**
   * Over all configurations, the panes without classes that the reference does not know: nothing
   * was expected of them, so they raised no alarm and explain none.
   */
  private List<CellPane> like(List<CellPane> panes) {
    if (reference.basis() == Basis.MARGINAL || !Group.of(series.key()).everything()) {
      return panes;
    }
    List<CellPane> known =
        panes.stream()
            .map(
                pane ->
                    pane.withCells(
                        pane.cells().stream()
                            .filter(cell -> reference.knows(cell.trafficClass()))
                            .toList()))
            .toList();
    return known.stream().allMatch(pane -> pane.cells().isEmpty()) ? panes : known;
  }

  private Breakdown breakdown(
      FamilyDetector.Evidence lead, Shift shift, Window window, MetricView ownView) {
    Optional<Reference> found = ofItself() ? series.marginal(spec().statistic()) : Optional.empty();
    if (found.isEmpty()) {
      return new Breakdown(
          Optional.empty(),
          reference.classes().largest(reference.cubes(), ownView, window.panes(), MOST_CLASSES),
          reference.quantileSplit(window.panes()));
    }
    Reference whole = found.get();
    MetricView view = whole.cubes().view(lead.calibration().track());
    AttributionInput input =
        AttributionFeed.input(
            whole.cubes(),
            view,
            window.panes(),
            unadjusted(),
            AttributionInput.Basis.SAME_CONFIGURATION,
            changes(shift),
            Map.of());
    return new Breakdown(
        Optional.of(new Attributor().attribute(input)),
        whole.classes().largest(whole.cubes(), view, window.panes(), MOST_CLASSES),
        whole.quantileSplit(window.panes()));
  }

  /**
   * How far a rate may have moved in a cell: as far as it did where the evidence is strongest. Were
   * it held to a few percent, a move of half would need several causes to be explained.
   */
  private double rateEffectSd(FamilyDetector.Evidence lead, Window window) {
    Track track = lead.calibration().track();
    Effect strongest =
        Effect.of(reference.baseline(), Math.max(track.level(), 0), window.counts(), track);
    return Math.max(LEAST_RATE_SD, Math.min(MOST_RATE_SD, Math.abs(strongest.value())));
  }

  private Measure unadjusted() {
    boolean duration = series.duration();
    return switch (spec().statistic()) {
      case MEAN -> duration ? Measure.latencyMean() : Measure.scoreMean();
      case TAIL -> duration ? Measure.latencyExceedance() : Measure.failureRate();
      case RATIO -> Measure.failureRate();
    };
  }

  private Measure measure(int sign) {
    boolean duration = series.duration();
    Measure all = unadjusted();
    return reference.basis() == Basis.MARGINAL
            || (reference.basis() == Basis.PREDECESSOR && duration)
        ? all.toward(sign)
        : all.adjusted(sign);
  }

  private Changes changes(Shift shift) {
    boolean scorer =
        !reference.scorer().isEmpty()
            && !series.scorer().isEmpty()
            && !reference.scorer().equals(series.scorer());
    if (reference.basis() == Basis.PREDECESSOR) {
      Group own = Group.of(series.key());
      return new Changes(
          !own.modelId().equals(reference.group().modelId()),
          !own.configId().equals(reference.group().configId()),
          scorer);
    }
    if (Group.of(series.key()).everything()) {
      return series.changesAround(shift.earliestMicros(), shift.latestMicros(), scorer);
    }
    return new Changes(false, false, scorer);
  }

  /** Writes a finding that opened or whose verdict or severity changed. */
  private void report(OpenFinding finding, Judged judged, AlarmLevels levels, boolean opening) {
    Attribution attribution = judged.attribution();
    boolean keeps = !opening && finding.decided() && lostSight(attribution.verdict());
    Cause cause = keeps ? finding.cause() : attribution.verdict().cause();
    Severity severity = severity(finding, cause, judged.window(), levels);
    if (opening) {
      finding.incident(
          series
              .incidents()
              .join(
                  finding.id(),
                  attribution.verdict().cause(),
                  finding.earliestMicros(),
                  finding.latestMicros()));
    } else if (finding.sameSeverity(severity)
        && (keeps || finding.sameVerdict(attribution.verdict()))) {
      return;
    }
    int level = Math.max(finding.track().level(), 0);
    finding.measured(
        severity,
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

  private Severity severity(OpenFinding finding, Cause cause, Window window, AlarmLevels levels) {
    MetricPolicy policy = series.policy();
    if (finding.direction().equals("better")
        || cause == Cause.LOAD
        || cause == Cause.TRAFFIC_MIX
        || policy.muted()
        || series.maintenance().isPresent()) {
      return Severity.INFO;
    }
    boolean strong = evidenceMinutes() >= levels.page();
    boolean decided = cause != Cause.INCONCLUSIVE || policy.critical();
    boolean mayPage =
        policy.severityCap() == MetricPolicy.SeverityCap.PAGE
            && decided
            && cause != Cause.SCORER_CHANGE;
    if (strong && mayPage && !finding.gradual()) {
      UserEffect effect =
          UserEffect.of(
              reference.baseline(),
              finding.lead(detector),
              finding.shift(),
              window.panes(),
              window.counts());
      if (effect.surely() && effect.best() >= policy.pageEffect()) {
        return Severity.PAGE;
      }
    }
    return Severity.TICKET;
  }

  private void follow(OpenFinding finding, CellPane pane, PaneCounts counts, AlarmLevels levels) {
    if (finding.recovery().next(counts)) {
      close(pane.startMicros() + series.paneMicros(), "the shift is gone");
      return;
    }
    if (finding.dueForReview(pane.startMicros())) {
      FamilyDetector.Evidence lead = finding.lead(detector);
      Window window = window(finding.shift(), pane);
      report(finding, attribute(lead, finding.shift(), window, finding.sign()), levels, false);
    }
  }

  /**
   * Whether a later look only sees less: the window has grown into other hours. Then the verdict
   * stays, with the severity and the numbers of now. That two causes coincide is seen, and takes a
   * named one back.
   */
  private static boolean lostSight(Attribution.Verdict verdict) {
    Attribution.Undecided undecided = verdict.undecided();
    return undecided != null && undecided.reason() != Attribution.Undecided.Reason.COLLINEAR;
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

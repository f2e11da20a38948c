package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.attribution.Attribution.Undecided.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why the leading cause may not be named (STATISTICS C.5). Immutable. */
final class Doubts {
  private final Analysis analysis;
  private final VerdictRules rules;
  private final Evidence evidence;
  private final LoadAnswers load;
  private final Coincidence coincidence;
  private final VerdictText text;

  Doubts(Analysis analysis, VerdictRules rules, LoadAnswers load, VerdictText text) {
    this.analysis = analysis;
    this.rules = rules;
    this.load = load;
    this.text = text;
    evidence = analysis.localisation().evidence();
    coincidence = new Coincidence(analysis, rules);
  }

  /** The first reason that applies; null when the cause may be named. */
  @Nullable Undecided about(LeadingCause leading) {
    Undecided undecided = undecided(leading);
    return undecided == null ? movedAlike(leading) : undecided;
  }

  private @Nullable Undecided undecided(LeadingCause leading) {
    boolean marginal = analysis.input().measure().scope() == Measure.Scope.MARGINAL;
    if (marginal && load.beyond(leading)) {
      return null;
    }
    Undecided support = unsupported();
    if (support != null && !analysis.accountedFor(leading.cause())) {
      return support;
    }
    Undecided small = tooSmall();
    if (small != null) {
      return small;
    }
    if (load.beyond(leading)) {
      return aboveLoad();
    }
    if (leading.probability() < rules.probability() || leading.share() < rules.share()) {
      Undecided collinear = coincidence.of(leading.cause());
      return collinear == null ? divided(leading) : collinear;
    }
    if (analysis.accountedFor(leading.cause())) {
      return null;
    }
    if (leading.cause() == Cause.UNEXPLAINED) {
      return cleanPathStayed();
    }
    boolean byEffect =
        Math.abs(leading.own().effect()) >= .5 * Math.abs(leading.own().contribution());
    return leading.cause().serving() && byEffect ? coincidence.of(leading.cause()) : null;
  }

  private @Nullable Undecided unsupported() {
    double unlike = analysis.split().unlike();
    boolean inside = analysis.input().basis() == AttributionInput.Basis.PREDECESSOR;
    return inside || unlike <= rules.unsupported()
        ? null
        : noOverlap(
            unlike,
            " of the requests lie in cells with fewer than "
                + VerdictRules.KNOWN_CELL
                + " requests in the reference");
  }

  private Undecided noOverlap(double share, String text) {
    return new Undecided(
        Reason.NO_OVERLAP,
        Wording.percent(share) + text,
        List.of(),
        Math.round((1 - share) * analysis.input().window().requests()),
        0);
  }

  /** Only a marginal difference can be too small: an adjusted alarm has its own test. */
  private @Nullable Undecided tooSmall() {
    Attribution.Split split = analysis.split();
    Measure measure = analysis.input().measure();
    boolean noise = split.interval().contains(0);
    boolean small = Math.abs(split.total()) < measure.smallestEffect();
    if (measure.scope() == Measure.Scope.ADJUSTED || !(noise || small)) {
      return null;
    }
    double half = (split.interval().upper() - split.interval().lower()) / 2;
    double ratio = half / Math.max(Math.abs(split.total()), measure.smallestEffect());
    double n = analysis.input().window().requests();
    long missing = noise && ratio > 1 ? Math.round(Math.min(1e12, n * (ratio * ratio - 1))) : 0;
    return new Undecided(
        Reason.TOO_SMALL,
        "the difference is "
            + Wording.signed(split.total())
            + " "
            + Wording.interval(split.interval())
            + (noise ? ": noise" : ", below " + Wording.number(measure.smallestEffect())),
        List.of(),
        Math.round(n),
        missing);
  }

  private Undecided aboveLoad() {
    return noOverlap(
        analysis.split().unseenLoad(),
        " of the requests came at a load that the reference has not seen");
  }

  private Undecided divided(LeadingCause leading) {
    if (leading.own().share() <= 0) {
      return new Undecided(
          Reason.SPLIT,
          "nothing that is recorded moved with it, beyond what all requests ordinarily do",
          List.of(),
          Math.round(analysis.input().window().requests()),
          0);
    }
    List<Cause> between = new ArrayList<>();
    StringBuilder text = new StringBuilder("no cause stands out:");
    for (CauseShare share : analysis.shares()) {
      boolean large = share.share() >= VerdictRules.NOT_RULED_OUT || share.equals(leading.own());
      if (large || share.probability() >= 1 - rules.probability()) {
        text.append(between.isEmpty() ? " " : ", ")
            .append(share.cause().label())
            .append(' ')
            .append(Wording.percent(share.share()));
        between.add(share.cause());
      }
    }
    return new Undecided(
        Reason.SPLIT,
        text.toString(),
        List.copyOf(between),
        Math.round(analysis.input().window().requests()),
        coincidence.separating(between));
  }

  private @Nullable Undecided cleanPathStayed() {
    Untouched untouched = analysis.untouched();
    if (untouched.moved()) {
      Changes changes = analysis.input().changes();
      if (changes.model()) {
        // Another model is on record; the few would only tell a cause from one that is not.
        return null;
      }
      double within = analysis.split().within();
      // A configuration may be about joining; on record, it is asked for what speaks against it.
      return analysis
          .input()
          .circumstances()
          .unchanged()
          .filter(
              few -> !few.moved(within) && (!changes.configuration() || few.stayedBehind(within)))
          .map(this::mostlyChanged)
          .orElse(null);
    }
    return new Undecided(
        Reason.CLEAN_PATH,
        (untouched.ofClass()
                ? "a class of requests seems to have moved, but of it "
                : "requests of all kinds seem to have moved, but ")
            + Wording.cleanPath(untouched.path())
            + (untouched.missing() == 0 ? "" : "; " + CleanPath.LEAST_REQUESTS + " are needed"),
        List.of(Cause.UNEXPLAINED),
        untouched.path().requests(),
        untouched.missing());
  }

  /** Most of the clean path was joined by others, and those that were not did not move with it. */
  private Undecided mostlyChanged(UnchangedBatch few) {
    return new Undecided(
        Reason.CLEAN_PATH,
        "requests of all kinds seem to have moved, but most of them were joined by others, and "
            + few.text(analysis.split().within()),
        List.of(Cause.UNEXPLAINED, Cause.BATCHING),
        Math.round(few.requests()),
        few.missing());
  }

  /**
   * A serving cause is not named when the requests without it moved as much: then something else
   * moved both, and blaming the cache or the batch sends people to the wrong place.
   */
  private @Nullable Undecided movedAlike(LeadingCause leading) {
    int feature = analysis.localisation().leading(leading.cause());
    boolean effect =
        leading.cause().serving()
            && leading.own().mechanism(analysis.sign()) == Mechanism.EFFECT
            && feature >= 0
            && analysis.narrow() == null;
    if (!effect) {
      return null;
    }
    boolean[] rows = evidence.rows(feature);
    boolean[] others = new boolean[rows.length];
    for (int row = 0; row < rows.length; row++) {
      others[row] = !rows[row];
    }
    if (!(evidence.cells().requests(others) > 0)) {
      return null;
    }
    ResidualCells.Estimate with = evidence.cells().estimate(rows);
    ResidualCells.Estimate without = evidence.cells().estimate(others);
    double noise = StrictMath.hypot(with.standardError(), without.standardError());
    boolean alike = Math.abs(with.mean() - without.mean()) <= 2 * noise;
    boolean moved =
        with.mean() * without.mean() > 0
            && Math.abs(without.mean()) > 2 * without.standardError()
            && Math.abs(without.mean()) >= .5 * Math.abs(with.mean());
    if (!alike || !moved) {
      return null;
    }
    return new Undecided(
        Reason.SPLIT,
        text.moved(feature) + ": no cause that serving records tells them apart",
        List.of(leading.cause(), Cause.UNEXPLAINED),
        Math.round(analysis.input().window().requests()),
        0);
  }
}

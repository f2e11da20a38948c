package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.attribution.Attribution.Undecided.Reason;
import io.servedrift.monitors.attribution.Attribution.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The verdict rules (STATISTICS C.5). Immutable. */
final class VerdictFinder {
  /** Of the requests in question, most. */
  private static final double MOSTLY = .5;

  private final Analysis analysis;
  private final VerdictRules rules;
  private final Evidence evidence;

  VerdictFinder(Analysis analysis, VerdictRules rules) {
    this.analysis = analysis;
    this.rules = rules;
    evidence = analysis.localisation().evidence();
  }

  Verdict verdict() {
    if (analysis.input().changes().scorer()) {
      return scorerChange();
    }
    CauseShare leading = leading();
    if (grownWithLoad(leading)) {
      return byGrownBatches(leading);
    }
    Undecided undecided = undecided(leading);
    if (undecided == null) {
      undecided = movedAlike(leading);
    }
    return undecided == null ? named(leading) : inconclusive(leading, undecided);
  }

  /** Values of two scorers are not compared, so nothing else can be said. */
  private static Verdict scorerChange() {
    return new Verdict(
        Cause.SCORER_CHANGE,
        Mechanism.EFFECT,
        1,
        1,
        new TreeMap<>(),
        "the values come from another scorer; they are not comparable with those before",
        null);
  }

  /** The cause that is most often the largest; of load and traffic mix the larger. */
  private CauseShare leading() {
    CauseShare best = analysis.shares().get(0);
    for (CauseShare share : analysis.shares()) {
      if (probability(share) > probability(best)
          || (share.cause().traffic() && best.cause().traffic() && share.share() > best.share())) {
        best = share;
      }
    }
    return best;
  }

  /** Probability of a cause; load and traffic mix count together. */
  private double probability(CauseShare of) {
    return together(of, true);
  }

  private double share(CauseShare of) {
    return together(of, false);
  }

  private double together(CauseShare of, boolean probability) {
    double sum = 0;
    for (CauseShare share : analysis.shares()) {
      boolean same =
          share.cause() == of.cause() || (share.cause().traffic() && of.cause().traffic());
      sum += same ? probability ? share.probability() : share.share() : 0;
    }
    return sum;
  }

  private @Nullable Undecided undecided(CauseShare leading) {
    boolean marginal = analysis.input().measure().scope() == Measure.Scope.MARGINAL;
    if (marginal && beyondLoad(leading)) {
      return null;
    }
    Undecided support = unsupported();
    if (support != null && !accountedFor(leading.cause())) {
      return support;
    }
    Undecided small = tooSmall();
    if (small != null) {
      return small;
    }
    if (beyondLoad(leading)) {
      return aboveLoad();
    }
    if (probability(leading) < rules.probability() || share(leading) < rules.share()) {
      Undecided collinear = collinear(leading.cause());
      return collinear == null ? divided(leading) : collinear;
    }
    if (accountedFor(leading.cause())) {
      return null;
    }
    if (leading.cause() == Cause.UNEXPLAINED) {
      return cleanPathStayed();
    }
    boolean byEffect = Math.abs(leading.effect()) >= .5 * Math.abs(leading.contribution());
    return leading.cause().serving() && byEffect ? collinear(leading.cause()) : null;
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

  /**
   * Whether loads never seen carry the shift: of all traffic, batches and queues move with them;
   * like for like, only what all requests share needs an expectation at that load.
   */
  private boolean beyondLoad(CauseShare leading) {
    Attribution.Split split = analysis.split();
    boolean marginal = analysis.input().measure().scope() == Measure.Scope.MARGINAL;
    boolean withLoad =
        leading.cause() == Cause.UNEXPLAINED
            || (marginal && leading.cause() != Cause.NODE && leading.cause() != Cause.CACHE);
    return withLoad
        && outsideRange()
        && analysis.input().basis() == AttributionInput.Basis.SAME_CONFIGURATION
        && analysis.narrow() == null
        && split.within() * analysis.sign() > .3 * Math.abs(analysis.explained());
  }

  private boolean accountedFor(Cause cause) {
    NarrowMove narrow = analysis.narrow();
    return narrow != null && narrow.cause() == cause;
  }

  /** A latency at a load never seen has no expectation, so a move of every request says nothing. */
  private boolean outsideRange() {
    return analysis.input().measure().load() == Measure.LoadRule.AS_LOAD
        && analysis.split().unseenLoad() > rules.unsupported();
  }

  private Undecided aboveLoad() {
    return noOverlap(
        analysis.split().unseenLoad(),
        " of the requests came at a load that the reference has not seen");
  }

  /** Whether the leading feature of a cause coincides with a feature of another cause. */
  private @Nullable Undecided collinear(Cause cause) {
    int feature = analysis.localisation().leading(cause);
    if (!cause.serving() || feature < 0) {
      return null;
    }
    Overlap worst = null;
    for (int other = 0; other < evidence.size(); other++) {
      Feature candidate = evidence.feature(other);
      if (candidate.cause() == cause || candidate.everything()) {
        continue;
      }
      Overlap overlap = Overlap.of(evidence, feature, other);
      if (Math.abs(overlap.phi()) >= rules.collinear()
          && (worst == null || Math.abs(overlap.phi()) > Math.abs(worst.phi()))) {
        worst = overlap;
      }
    }
    return worst == null ? null : collinear(worst);
  }

  private Undecided collinear(Overlap overlap) {
    Feature first = evidence.feature(overlap.first());
    Feature second = evidence.feature(overlap.second());
    double shift = Math.abs(analysis.localisation().soleEffect(overlap.first()));
    long present = Math.round(overlap.discriminating());
    long missing = overlap.missing(analysis.variance(), shift, rules.collinear());
    return new Undecided(
        Reason.COLLINEAR,
        Wording.feature(first)
            + " and "
            + Wording.feature(second)
            + (overlap.phi() > 0 ? " coincide in " : " exclude each other in ")
            + Wording.percent(overlap.coincidence())
            + " of the requests; "
            + present
            + " requests tell them apart, about "
            + (present + missing)
            + " are needed for a shift of "
            + Wording.number(shift),
        List.of(first.cause(), second.cause()),
        present,
        missing);
  }

  private Undecided divided(CauseShare leading) {
    if (leading.share() <= 0) {
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
      boolean large = share.share() >= VerdictRules.NOT_RULED_OUT || share.equals(leading);
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
        separating(between));
  }

  /** Further requests that would tell the two largest apart, when both lie in crossed cells. */
  private long separating(List<Cause> between) {
    if (between.size() < 2 || !between.get(0).serving() || !between.get(1).serving()) {
      return 0;
    }
    int first = analysis.localisation().leading(between.get(0));
    int second = analysis.localisation().leading(between.get(1));
    if (first < 0 || second < 0) {
      return 0;
    }
    Overlap overlap = Overlap.of(evidence, first, second);
    double shift = Math.abs(analysis.localisation().soleEffect(first));
    return overlap.missing(analysis.variance(), shift, 1);
  }

  private @Nullable Undecided cleanPathStayed() {
    CleanPath path = analysis.cleanPath();
    if (path.moved(analysis.split().within())) {
      return analysis
          .input()
          .circumstances()
          .unchanged()
          .filter(few -> !few.moved(analysis.split().within()))
          .map(this::mostlyChanged)
          .orElse(null);
    }
    long missing = Math.max(0, CleanPath.LEAST_REQUESTS - path.requests());
    return new Undecided(
        Reason.CLEAN_PATH,
        "requests of all kinds seem to have moved, but "
            + Wording.cleanPath(path)
            + (path.enough() ? "" : "; " + CleanPath.LEAST_REQUESTS + " are needed"),
        List.of(Cause.UNEXPLAINED),
        path.requests(),
        missing);
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
  private @Nullable Undecided movedAlike(CauseShare leading) {
    int feature = analysis.localisation().leading(leading.cause());
    boolean effect =
        leading.cause().serving()
            && leading.mechanism(analysis.sign()) == Mechanism.EFFECT
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
        moved(feature) + ": no cause that serving records tells them apart",
        List.of(leading.cause(), Cause.UNEXPLAINED),
        Math.round(analysis.input().window().requests()),
        0);
  }

  private Verdict inconclusive(CauseShare leading, Undecided undecided) {
    return new Verdict(
        Cause.INCONCLUSIVE,
        null,
        probability(leading),
        share(leading),
        new TreeMap<>(),
        undecided.text(),
        undecided);
  }

  private Verdict named(CauseShare leading) {
    if (beyondLoad(leading)) {
      return byLoad(leading);
    }
    Cause cause = leading.cause() == Cause.UNEXPLAINED ? outsideServing() : leading.cause();
    Mechanism mechanism =
        leading.cause().traffic() ? Mechanism.EXPOSURE : leading.mechanism(analysis.sign());
    NarrowMove narrow = analysis.narrow();
    if (narrow != null && narrow.cause() == leading.cause()) {
      return narrowly(leading, cause, narrow);
    }
    int feature = analysis.localisation().leading(leading.cause());
    boolean effect = mechanism == Mechanism.EFFECT && feature >= 0;
    Where where = new Where(analysis);
    SortedMap<String, String> cells =
        effect ? where.effect(feature) : where.exposure(leading.cause());
    String why = effect ? effect(cause, feature) : exposure(leading);
    return new Verdict(cause, mechanism, probability(leading), leading.share(), cells, why, null);
  }

  /** A narrow covariate accounts for it; one that the configuration brought is named by that. */
  private Verdict narrowly(CauseShare leading, Cause cause, NarrowMove narrow) {
    SortedMap<String, String> where = new TreeMap<>(Map.of(narrow.covariate(), narrow.level()));
    boolean brought =
        leading.cause() == Cause.TRAFFIC_MIX && analysis.input().changes().configuration();
    boolean more = narrow.mechanism() == Mechanism.EXPOSURE;
    String which = narrow.covariate() + "=" + narrow.level();
    NodeContrast contrast = narrow.contrast();
    String why =
        contrast != null
            ? contrast.text()
            : (more ? "more requests have " + which + " and" : "requests with " + which)
                + " account for "
                + Wording.signed(narrow.moved())
                + " of the "
                + Wording.signed(analysis.split().within())
                + " like for like; the others moved by "
                + Wording.signed(narrow.others());
    return new Verdict(
        brought ? Cause.CONFIG_CHANGE : cause,
        narrow.mechanism(),
        probability(leading),
        leading.share(),
        where,
        why,
        null);
  }

  /** All of a latency at loads never seen is put down to the load: nothing else can be told. */
  private Verdict byLoad(CauseShare leading) {
    return new Verdict(
        Cause.LOAD,
        Mechanism.EXPOSURE,
        probability(leading),
        share(leading),
        new TreeMap<>(),
        Wording.percent(analysis.split().unseenLoad())
            + " of the requests came at a load that the reference has not seen; there the latency"
            + " moved by "
            + Wording.signed(analysis.split().total()),
        null);
  }

  /**
   * Whether a duration moved where batches grew, at loads above all that the reference saw, beyond
   * all that it knows. Such batches cannot be shown to be slower than they ought to be; a limit
   * that was changed is another matter.
   */
  private boolean grownWithLoad(CauseShare leading) {
    AttributionInput input = analysis.input();
    Measure measure = input.measure();
    return measure.load() == Measure.LoadRule.AS_LOAD
        && measure.scope() == Measure.Scope.ADJUSTED
        && input.basis() == AttributionInput.Basis.SAME_CONFIGURATION
        && input.circumstances().grownByLoad() >= MOSTLY
        && input.eventLogBayesFactors().getOrDefault(Cause.BATCHING, 0.0) <= 0
        && analysis.narrow() == null
        && leading.cause() != Cause.CACHE
        && leading.cause() != Cause.NODE
        && analysis.grown().carry();
  }

  private Verdict byGrownBatches(CauseShare leading) {
    GrownBatches grown = analysis.grown();
    return new Verdict(
        Cause.LOAD,
        Mechanism.EXPOSURE,
        probability(leading),
        Math.min(1, grown.byGrown()),
        new TreeMap<>(),
        "at loads above all that the reference saw "
            + Math.round(grown.requests())
            + " requests came into batches larger than it knows; with those in the largest it"
            + " knows they make "
            + Wording.percent(Math.min(1, grown.byGrown()))
            + " of the shift, and smaller ones stayed",
        null);
  }

  private Cause outsideServing() {
    Changes changes = analysis.input().changes();
    return changes.model()
        ? Cause.MODEL
        : changes.configuration() ? Cause.CONFIG_CHANGE : Cause.UNEXPLAINED;
  }

  private String effect(Cause cause, int feature) {
    String clean = Wording.cleanPath(analysis.cleanPath());
    return switch (cause) {
      case MODEL -> "the model changed at the onset and " + clean;
      case CONFIG_CHANGE -> "the configuration changed at the onset and " + clean;
      case UNEXPLAINED ->
          "no recorded serving covariate explains it: model, data, or something not recorded; "
              + clean;
      default -> moved(feature);
    };
  }

  private String moved(int feature) {
    Feature found = evidence.feature(feature);
    boolean[] rows = evidence.rows(feature);
    boolean[] others = new boolean[rows.length];
    for (int row = 0; row < rows.length; row++) {
      others[row] = !rows[row];
    }
    String moved =
        "requests with "
            + Wording.feature(found)
            + " moved by "
            + Wording.estimate(evidence.cells().estimate(rows))
            + " like for like";
    return evidence.cells().requests(others) > 0
        ? moved + ", the others by " + Wording.estimate(evidence.cells().estimate(others))
        : moved + "; there were no others";
  }

  private String exposure(CauseShare leading) {
    Attribution.Split split = analysis.split();
    String text =
        leading.cause().label() + " " + Wording.contribution(leading, analysis.explained());
    if (leading.cause() != Cause.LOAD) {
      double busier = leading.cause().serving() ? analysis.input().circumstances().busier() : 0;
      return busier == 0
          ? text
          : text
              + "; "
              + Wording.percent(busier)
              + " of the requests came at a load above all that the reference saw";
    }
    StringBuilder paths =
        new StringBuilder(text).append("; directly ").append(Wording.signed(split.directLoad()));
    split
        .mediatedLoad()
        .forEach(
            (cause, value) ->
                paths
                    .append(", through ")
                    .append(cause.label())
                    .append(' ')
                    .append(Wording.signed(value)));
    if (split.unseenLoad() > 0) {
      paths
          .append("; ")
          .append(Wording.percent(split.unseenLoad()))
          .append(" of the requests at a load above the reference");
    }
    return paths.toString();
  }
}

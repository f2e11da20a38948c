package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Verdict;
import java.util.TreeMap;

/** What load alone explains of a latency, and where it forbids any other answer. Immutable. */
final class LoadAnswers {
  /** Of the requests in question, most. */
  private static final double MOSTLY = .5;

  private final Analysis analysis;
  private final VerdictRules rules;

  LoadAnswers(Analysis analysis, VerdictRules rules) {
    this.analysis = analysis;
    this.rules = rules;
  }

  /**
   * Whether loads never seen carry the shift: of all traffic, batches and queues move with them;
   * like for like, only what all requests share needs an expectation at that load.
   */
  boolean beyond(LeadingCause leading) {
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

  /** A latency at a load never seen has no expectation, so a move of every request says nothing. */
  private boolean outsideRange() {
    return analysis.input().measure().load() == Measure.LoadRule.AS_LOAD
        && analysis.split().unseenLoad() > rules.unsupported();
  }

  /** All of a latency at loads never seen is put down to the load: nothing else can be told. */
  Verdict byLoad(LeadingCause leading) {
    return new Verdict(
        Cause.LOAD,
        Mechanism.EXPOSURE,
        leading.probability(),
        leading.share(),
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
  boolean grown(LeadingCause leading) {
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

  Verdict byGrownBatches(LeadingCause leading) {
    GrownBatches grown = analysis.grown();
    return new Verdict(
        Cause.LOAD,
        Mechanism.EXPOSURE,
        leading.probability(),
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
}

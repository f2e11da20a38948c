package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.policy.MetricPolicy;

/** How loudly a finding is told: by policy, cause, evidence and size. Immutable. */
final class SeverityRule {
  private final SeriesContext series;
  private final Reference reference;

  SeverityRule(SeriesContext series, Reference reference) {
    this.series = series;
    this.reference = reference;
  }

  /**
   * Severity now.
   *
   * @param strong whether the evidence has reached the page level
   * @param lead the track that the finding is about, as it stands
   */
  Severity of(
      OpenFinding finding,
      Cause cause,
      ShiftWindow window,
      boolean strong,
      FamilyDetector.Evidence lead) {
    MetricPolicy policy = series.policy();
    if (finding.direction().equals("better")
        || cause == Cause.LOAD
        || cause == Cause.TRAFFIC_MIX
        || policy.muted()
        || series.maintenance().isPresent()
        || (reference.young(series)
            && BatchSizeShift.only(
                reference.baseline(), finding.track(), window.counts(), finding.sign()))) {
      return Severity.INFO;
    }
    boolean decided = cause != Cause.INCONCLUSIVE || policy.critical();
    boolean mayPage =
        policy.severityCap() == MetricPolicy.SeverityCap.PAGE
            && decided
            && cause != Cause.SCORER_CHANGE;
    if (strong && mayPage && !finding.gradual()) {
      UserEffect effect =
          UserEffect.of(
              reference.baseline(), lead, finding.shift(), window.panes(), window.counts());
      if (effect.surely() && effect.best() >= policy.pageEffect()) {
        return Severity.PAGE;
      }
    }
    return Severity.TICKET;
  }
}

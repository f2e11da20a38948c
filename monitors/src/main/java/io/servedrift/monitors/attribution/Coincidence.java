package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.attribution.Attribution.Undecided.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which causes the requests of a window cannot tell apart, and how many more it takes. Immutable.
 */
final class Coincidence {
  private final Analysis analysis;
  private final VerdictRules rules;
  private final Evidence evidence;

  Coincidence(Analysis analysis, VerdictRules rules) {
    this.analysis = analysis;
    this.rules = rules;
    evidence = analysis.localisation().evidence();
  }

  /** Whether the leading feature of a cause coincides with a feature of another cause. */
  @Nullable Undecided of(Cause cause) {
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
    return worst == null ? null : undecided(worst);
  }

  private Undecided undecided(Overlap overlap) {
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

  /** Further requests that would tell the two largest apart, when both lie in crossed cells. */
  long separating(List<Cause> between) {
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
}

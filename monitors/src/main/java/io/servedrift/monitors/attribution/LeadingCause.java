package io.servedrift.monitors.attribution;

import java.util.List;

/**
 * The cause that is most often the largest; of load and traffic mix, which count together, the
 * larger. Immutable.
 *
 * @param own what is said of it alone
 * @param probability of being the largest
 * @param share of the shift
 */
record LeadingCause(CauseShare own, double probability, double share) {
  static LeadingCause of(List<CauseShare> shares) {
    CauseShare best = shares.get(0);
    for (CauseShare share : shares) {
      if (together(shares, share, true) > together(shares, best, true)
          || (share.cause().traffic() && best.cause().traffic() && share.share() > best.share())) {
        best = share;
      }
    }
    return new LeadingCause(best, together(shares, best, true), together(shares, best, false));
  }

  private static double together(List<CauseShare> shares, CauseShare of, boolean probability) {
    double sum = 0;
    for (CauseShare share : shares) {
      boolean same =
          share.cause() == of.cause() || (share.cause().traffic() && of.cause().traffic());
      sum += same ? probability ? share.probability() : share.share() : 0;
    }
    return sum;
  }

  Cause cause() {
    return own.cause();
  }
}

package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Why a metric moved. Immutable; numbers in the unit of the metric, shares and probabilities 0..1.
 *
 * @param shares of the causes that cells can show, largest first; {@code unexplained} stands for
 *     what all requests or a class of them share
 * @param ruledOut causes that the data exclude, with what they say
 * @param contributing causes beside the verdict
 * @param inclusions posterior probability of each place where like requests may have moved, likely
 *     ones first
 * @param withRoom requests that serving did not touch, in batches below the largest of the window:
 *     whoever waited there did so although there was room
 * @param nextTest what would prove it
 */
public record Attribution(
    Verdict verdict,
    Split split,
    List<CauseShare> shares,
    List<RuledOut> ruledOut,
    List<Contribution> contributing,
    List<Inclusion> inclusions,
    CleanPath cleanPath,
    CleanPath withRoom,
    NextTest nextTest) {

  /**
   * The same with another answer, which something else than these cells gave.
   *
   * @param share of the shift that it makes
   */
  public Attribution answered(Cause cause, double share, String why) {
    Verdict other =
        new Verdict(
            cause,
            Mechanism.EFFECT,
            Math.max(verdict.confidence(), VerdictRules.DEFAULT.probability()),
            Math.max(0, Math.min(1, share)),
            Collections.emptySortedMap(),
            why,
            null);
    return with(other);
  }

  /** The same where the cause that cells name does not follow from them. */
  public Attribution doubted(String why) {
    Undecided undecided =
        new Undecided(Undecided.Reason.SPLIT, why, List.of(verdict.cause()), 0, 0);
    return with(
        new Verdict(
            Cause.INCONCLUSIVE,
            null,
            verdict.confidence(),
            verdict.share(),
            Collections.emptySortedMap(),
            why,
            undecided));
  }

  /**
   * The same with the answer that the same requests give by another number of theirs. The split and
   * the shares stay, they have the unit of this one.
   *
   * @param words that say which number it was
   */
  public Attribution answeredBy(Attribution other, String words) {
    List<Cause> said = other.contributing.stream().map(Contribution::cause).toList();
    Attribution answered = with(other.verdict).introduced(words);
    return new Attribution(
        answered.verdict,
        split,
        shares,
        answered.ruledOut.stream().filter(one -> !said.contains(one.cause())).toList(),
        other.contributing,
        inclusions,
        cleanPath,
        withRoom,
        answered.nextTest);
  }

  private Attribution with(Verdict other) {
    return new Attribution(
        other,
        split,
        shares,
        ruledOut.stream().filter(one -> one.cause() != other.cause()).toList(),
        contributing.stream().filter(one -> one.cause() != other.cause()).toList(),
        inclusions,
        cleanPath,
        withRoom,
        NextTest.of(other));
  }

  /** The same with words before the reason of its verdict. */
  public Attribution introduced(String words) {
    Verdict said =
        new Verdict(
            verdict.cause(),
            verdict.mechanism(),
            verdict.confidence(),
            verdict.share(),
            verdict.where(),
            words + verdict.why(),
            verdict.undecided());
    return new Attribution(
        said, split, shares, ruledOut, contributing, inclusions, cleanPath, withRoom, nextTest);
  }

  /** Share of one cause; empty when cells cannot show it. */
  public Optional<CauseShare> share(Cause cause) {
    return shares.stream().filter(s -> s.cause() == cause).findFirst();
  }

  /**
   * The answer.
   *
   * @param mechanism null when inconclusive
   * @param confidence probability that it is the largest cause; for load or traffic mix, that
   *     traffic is
   * @param share of the shift
   * @param where the cells, by covariate; empty for all
   * @param why one sentence with numbers
   * @param undecided why the data cannot tell; null when they can
   */
  public record Verdict(
      Cause cause,
      @Nullable Mechanism mechanism,
      double confidence,
      double share,
      SortedMap<String, String> where,
      String why,
      @Nullable Undecided undecided) {}

  /**
   * Why the data cannot tell.
   *
   * @param between causes that cannot be told apart, largest first; empty when that is not the
   *     point
   * @param requestsPresent requests in the window that could decide
   * @param requestsMissing further ones needed, for a test of level .05 and power .8; 0 when more
   *     requests would not help
   */
  public record Undecided(
      Reason reason, String text, List<Cause> between, long requestsPresent, long requestsMissing) {

    /** Kinds of ignorance. */
    public enum Reason {
      /** Two covariates coincide in this window. */
      COLLINEAR,
      /** Several causes explain it about as well. */
      SPLIT,
      /** The reference has hardly any requests like those of the window. */
      NO_OVERLAP,
      /** The difference is below the smallest effect, or noise. */
      TOO_SMALL,
      /** All requests seem to have moved, but not those that serving did not touch. */
      CLEAN_PATH
    }
  }

  /**
   * The exact split of the difference.
   *
   * @param total mean of the window minus mean of the reference
   * @param interval of the total by sampling, 95 %
   * @param composition what other loads, classes and serving cells explain at reference means
   * @param within mean shift of like requests
   * @param mechanisms composition part of each mechanism, before any renaming of mediated load
   * @param directLoad part of load that no mechanism mediates
   * @param mediatedLoad part of load through each of traffic mix, cache, batching and scheduling
   * @param unsupported share of the window in cells with fewer than 10 reference requests
   * @param unlike share of the window in cells with fewer than 10 reference requests at any load
   * @param unseenLoad share of the window at loads with fewer than 10 reference requests
   * @param commonSd how far a window's mean wanders when nothing is wrong, tau_w
   */
  public record Split(
      double total,
      Interval interval,
      double composition,
      double within,
      Map<Cause, Double> mechanisms,
      double directLoad,
      Map<Cause, Double> mediatedLoad,
      double unsupported,
      double unlike,
      double unseenLoad,
      double commonSd) {}

  /** A cause that the data exclude. */
  public record RuledOut(Cause cause, String because) {}

  /** A cause beside the verdict. */
  public record Contribution(Cause cause, double share) {}

  /**
   * A place where like requests may have moved.
   *
   * @param covariate {@code all} for every request
   */
  public record Inclusion(String covariate, String level, Cause cause, double probability) {}
}

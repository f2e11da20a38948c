package io.servedrift.monitors.gate;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What every check looks at. */
record GateCase(Evidence evidence, GatePolicy policy, Answers answers) {
  private static final int MOST_CODES = 3;

  static GateCase of(Evidence evidence, GatePolicy policy) {
    return new GateCase(evidence, policy, new Answers(evidence.answers()));
  }

  EndpointProfile profile(Side side) {
    return evidence.before(side).profile();
  }

  /** The same run with some answers only. */
  GateCase keeping(Predicate<Answer> kept) {
    return new GateCase(
        evidence, policy, new Answers(evidence.answers().stream().filter(kept).toList()));
  }

  /**
   * Whether production answers are known to be drawn without chance, as those at batch 1 are: of
   * chat only at temperature 0.
   */
  boolean repeatable() {
    Double temperature = evidence.settings().temperature();
    return evidence.modality() == Modality.IMAGE || (temperature != null && temperature == 0);
  }

  /** Why outputs of a side cannot be paired by their seed; null when they can. */
  @Nullable String unpaired(Side side) {
    if (profile(side).seed()) {
      return null;
    }
    List<Answer> all = evidence.answers().stream().filter(one -> one.arm().side() == side).toList();
    if (all.isEmpty() || all.stream().anyMatch(Answer::ok)) {
      return "nothing says that the "
          + side.label()
          + " endpoint takes a seed, neither it nor a profile: outputs cannot be paired";
    }
    Set<String> codes = new TreeSet<>();
    all.forEach(
        one ->
            codes.add(
                one.error() == null ? one.status().name().toLowerCase(Locale.ROOT) : one.error()));
    return "the "
        + side.label()
        + " endpoint answered none of "
        + all.size()
        + " requests ("
        + codes.stream().limit(MOST_CODES).collect(Collectors.joining(", "))
        + "), and nothing says that it takes a seed: outputs cannot be paired";
  }

  /**
   * Why an arm without a cache is not what it is called; null when it is. An endpoint that has a
   * cache and can be told neither to pass it by nor to empty it must at least say that it missed;
   * and of those that say how they were served hardly any may have been served otherwise.
   */
  @Nullable String notClean(Arm arm) {
    EndpointProfile profile = profile(arm.side());
    long good = answers.good(arm).size();
    long missed =
        answers.good(arm).stream().filter(a -> Boolean.FALSE.equals(a.served().cacheHit())).count();
    if (profile.caches() && !profile.cacheBypass() && !profile.flush() && missed < good) {
      return arm.label() + ": the endpoint has a cache that can neither be passed by nor emptied";
    }
    long otherwise = good - answers.compared(arm).size();
    return otherwise > policy.maxErrorShare() * good
        ? arm.label()
            + ": "
            + otherwise
            + " of "
            + good
            + " answers came from the cache or shared a batch, which they were asked not to"
        : null;
  }
}

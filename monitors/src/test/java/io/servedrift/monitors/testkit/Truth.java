package io.servedrift.monitors.testkit;

import java.util.Map;
import java.util.Set;

/**
 * What is really the matter in a scenario.
 *
 * @param cause the right verdict
 * @param alsoRight verdicts that are right as well
 * @param contributing causes that a good verdict mentions beside its own
 * @param mechanism effect or exposure
 * @param where cells by covariate, as in a finding; empty: everywhere
 * @param metrics metrics that move; empty: none
 * @param direction {@code worse}, {@code better} or {@code changed}
 * @param alerts whether someone has to be told: page or ticket
 */
public record Truth(
    CauseLabel cause,
    Set<CauseLabel> alsoRight,
    Set<CauseLabel> contributing,
    Mechanism mechanism,
    Map<String, String> where,
    Set<String> metrics,
    String direction,
    boolean alerts) {

  /** Nothing is wrong and nobody is to be told. */
  public static final Truth SILENCE =
      new Truth(
          CauseLabel.SILENCE,
          Set.of(),
          Set.of(),
          Mechanism.EFFECT,
          Map.of(),
          Set.of(),
          "changed",
          false);

  /** Requests in some cells got worse, in some metrics. */
  public static Truth worse(CauseLabel cause, Map<String, String> where, String... metrics) {
    return new Truth(
        cause, Set.of(), Set.of(), Mechanism.EFFECT, where, Set.of(metrics), "worse", true);
  }

  /** The same by exposure: more requests in cells that were bad before. */
  public Truth byExposure() {
    return new Truth(
        cause, alsoRight, contributing, Mechanism.EXPOSURE, where, metrics, direction, alerts);
  }

  /** The same with causes that contribute. */
  public Truth with(CauseLabel... others) {
    return new Truth(
        cause, alsoRight, Set.of(others), mechanism, where, metrics, direction, alerts);
  }

  /** The same where other verdicts are right too. */
  public Truth or(CauseLabel... others) {
    return new Truth(
        cause, Set.of(others), contributing, mechanism, where, metrics, direction, alerts);
  }

  /** The same where it is recorded and shown, but nobody is told. */
  public Truth infoOnly() {
    return new Truth(cause, alsoRight, contributing, mechanism, where, metrics, direction, false);
  }

  /** Whether a verdict is right. */
  public boolean accepts(CauseLabel verdict) {
    return verdict == cause || alsoRight.contains(verdict);
  }
}

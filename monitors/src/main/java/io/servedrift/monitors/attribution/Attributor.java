package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Contribution;
import io.servedrift.monitors.attribution.Attribution.Inclusion;
import io.servedrift.monitors.attribution.Attribution.RuledOut;
import io.servedrift.monitors.attribution.Attribution.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Explains the difference between a window and its reference: reference-anchored split into
 * composition and within (Kitagawa 1955), Shapley values of the mechanisms, Bayesian model
 * averaging over the places where like requests moved, clean path, verdict. A pure function of its
 * input, the draws included: their seed is made of the data. Thread-safe.
 */
public final class Attributor {
  private final VerdictRules rules;

  /** An attributor with the default rules. */
  public Attributor() {
    this(VerdictRules.DEFAULT);
  }

  /** An attributor with other rules. */
  public Attributor(VerdictRules rules) {
    this.rules = rules;
  }

  /** Explains one shift. */
  public Attribution attribute(AttributionInput input) {
    Analysis analysis = new Analysis(input, rules);
    Verdict verdict = new VerdictFinder(analysis, rules).verdict();
    return new Attribution(
        verdict,
        analysis.split(),
        analysis.shares(),
        ruledOut(analysis, verdict),
        contributing(analysis, verdict),
        inclusions(analysis),
        analysis.cleanPath(),
        analysis.withRoom(),
        NextTest.of(verdict));
  }

  private static List<RuledOut> ruledOut(Analysis analysis, Verdict verdict) {
    List<RuledOut> result = new ArrayList<>();
    Changes changes = analysis.input().changes();
    CleanPath path = analysis.cleanPath();
    // A class that moved alone may do so unseen among all.
    boolean stayed = path.stayed() && analysis.untouched().path().stayed();
    if (!changes.scorer()) {
      if (!changes.model()) {
        String also = stayed ? "; " + Wording.cleanPath(path) : "";
        result.add(new RuledOut(Cause.MODEL, "the model identity did not change" + also));
      } else if (stayed && verdict.cause() != Cause.MODEL) {
        result.add(new RuledOut(Cause.MODEL, Wording.cleanPath(path)));
      }
      if (!changes.configuration()) {
        result.add(new RuledOut(Cause.CONFIG_CHANGE, "the configuration identity did not change"));
      }
      for (CauseShare share : analysis.shares()) {
        boolean named = share.cause() == verdict.cause() || share.cause() == Cause.UNEXPLAINED;
        // A cause of which nothing is recorded adds exactly nothing, and is not ruled out by that.
        boolean seen = share.interval().lower() < share.interval().upper();
        if (!named && seen && share.shareInterval().upper() < VerdictRules.NOT_RULED_OUT) {
          result.add(
              new RuledOut(share.cause(), Wording.contribution(share, analysis.explained())));
        }
      }
    }
    return List.copyOf(result);
  }

  private List<Contribution> contributing(Analysis analysis, Verdict verdict) {
    List<Contribution> result = new ArrayList<>();
    Cause named =
        switch (verdict.cause()) {
          case MODEL, CONFIG_CHANGE -> Cause.UNEXPLAINED;
          default -> verdict.cause();
        };
    if (verdict.cause() != Cause.SCORER_CHANGE) {
      for (CauseShare share : analysis.shares()) {
        if (share.cause() != named && share.share() >= rules.listedShare()) {
          result.add(new Contribution(share.cause(), share.share()));
        }
      }
      addWithin(analysis, verdict, result);
      addMediatedLoad(analysis, verdict, result);
    }
    return List.copyOf(result);
  }

  /** What moved only inside a set of another cause needs that cause too: it has the same share. */
  private void addWithin(Analysis analysis, Verdict verdict, List<Contribution> to) {
    Localisation localisation = analysis.localisation();
    int leading = localisation.leading(verdict.cause());
    if (leading < 0 || verdict.mechanism() != Mechanism.EFFECT || analysis.narrow() != null) {
      return;
    }
    Feature within = localisation.evidence().feature(leading).within();
    if (within != null && verdict.share() >= rules.listedShare()) {
      to.removeIf(one -> one.cause() == within.cause());
      to.add(0, new Contribution(within.cause(), verdict.share()));
    }
  }

  /** Load that was named by its mediator still contributed: its share of the same shift. */
  private void addMediatedLoad(Analysis analysis, Verdict verdict, List<Contribution> to) {
    boolean listed = to.stream().anyMatch(c -> c.cause() == Cause.LOAD);
    if (listed
        || !verdict.cause().serving()
        || analysis.input().measure().load() != Measure.LoadRule.AS_MEDIATOR) {
      return;
    }
    double share = analysis.share(verdict.cause()).share() * byLoad(analysis, verdict);
    if (share >= rules.listedShare()) {
      to.add(new Contribution(Cause.LOAD, share));
    }
  }

  /**
   * Part of a named cause that came through load. Like for like, other shares of its levels can
   * come through load only where it is higher than all that the reference saw; there it is at most
   * what happened at such loads.
   */
  private static double byLoad(Analysis analysis, Verdict verdict) {
    if (analysis.input().measure().scope() == Measure.Scope.ADJUSTED) {
      return verdict.mechanism() == Mechanism.EXPOSURE
          ? analysis.input().circumstances().busier()
          : 0;
    }
    Double mediated = analysis.split().mediatedLoad().get(verdict.cause());
    return mediated == null
        ? 0
        : Math.min(1, mediated / analysis.share(verdict.cause()).contribution());
  }

  private static List<Inclusion> inclusions(Analysis analysis) {
    Localisation localisation = analysis.localisation();
    List<Inclusion> result = new ArrayList<>();
    for (int i = 0; i < localisation.evidence().size(); i++) {
      Feature feature = localisation.evidence().feature(i);
      result.add(
          new Inclusion(
              feature.covariate(),
              Wording.level(feature),
              feature.cause(),
              localisation.inclusion(i)));
    }
    result.sort(Comparator.comparingDouble(Inclusion::probability).reversed());
    return List.copyOf(result);
  }
}

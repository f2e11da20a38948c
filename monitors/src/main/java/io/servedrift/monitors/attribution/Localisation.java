package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Where like requests moved: Bayesian model averaging over no cause, each single feature and each
 * pair of features of different causes, with Gaussian effects (STATISTICS C.4). Log Bayes factor of
 * a model: b'(A + I/s0^2)^-1 b / 2 - ln det(I + s0^2 A) / 2. Event evidence enters as prior
 * log-odds of the cause. Immutable.
 */
final class Localisation {
  private static final double PRIOR_NONE = .25;
  private static final double PRIOR_ONE = .65;
  private static final double PRIOR_TWO = .10;

  private final Evidence evidence;
  private final double priorSd;
  private final List<Model> models = new ArrayList<>();
  private final double[] weights;

  Localisation(Evidence evidence, double priorSd, Map<Cause, Double> eventLogBayesFactors) {
    this.evidence = evidence;
    this.priorSd = priorSd;
    models.add(new Model(-1, -1, StrictMath.log(PRIOR_NONE), new double[0], new double[0][]));
    addSingles(eventLogBayesFactors);
    addPairs(eventLogBayesFactors);
    weights = normalised();
  }

  private void addSingles(Map<Cause, Double> events) {
    double total = 0;
    for (int i = 0; i < evidence.size(); i++) {
      total += evidence.feature(i).prior();
    }
    for (int i = 0; i < evidence.size(); i++) {
      Feature feature = evidence.feature(i);
      double prior = StrictMath.log(PRIOR_ONE * feature.prior() / total);
      models.add(single(i, prior + events.getOrDefault(feature.cause(), 0.0)));
    }
  }

  private void addPairs(Map<Cause, Double> events) {
    double total = 0;
    for (int i = 0; i < evidence.size(); i++) {
      for (int j = i + 1; j < evidence.size(); j++) {
        total += pairPrior(i, j);
      }
    }
    for (int i = 0; i < evidence.size(); i++) {
      for (int j = i + 1; j < evidence.size(); j++) {
        double prior = pairPrior(i, j);
        if (prior > 0) {
          double event =
              Math.max(
                  events.getOrDefault(evidence.feature(i).cause(), 0.0),
                  events.getOrDefault(evidence.feature(j).cause(), 0.0));
          models.add(pair(i, j, StrictMath.log(PRIOR_TWO * prior / total) + event));
        }
      }
    }
  }

  private double pairPrior(int i, int j) {
    Feature one = evidence.feature(i);
    Feature other = evidence.feature(j);
    boolean allowed = one.crossed() && other.crossed() && one.cause() != other.cause();
    return allowed ? one.prior() * other.prior() : 0;
  }

  /** With a prior N(m, s^2): b'(A + I/s^2)^-1 b / 2 of the score beyond m, plus what m predicts. */
  private Model single(int i, double logPrior) {
    double s2 = square(evidence.priorSd(i, priorSd));
    double m = evidence.priorMean(i);
    double a = evidence.precision(i, i);
    double b = evidence.score(i) - a * m;
    double variance = 1 / (a + 1 / s2);
    double log = .5 * b * b * variance - .5 * StrictMath.log(1 + s2 * a) + predicted(i, -1);
    return new Model(
        i, -1, logPrior + log, new double[] {m + variance * b}, new double[][] {{variance}});
  }

  private static double square(double x) {
    return x * x;
  }

  /** Log likelihood ratio of the prior means, taken as effects, against no effect. */
  private double predicted(int i, int j) {
    double mi = evidence.priorMean(i);
    double mj = j < 0 ? 0 : evidence.priorMean(j);
    double log = mi * evidence.score(i) - .5 * mi * mi * evidence.precision(i, i);
    return j < 0
        ? log
        : log
            + mj * evidence.score(j)
            - .5 * mj * mj * evidence.precision(j, j)
            - mi * mj * evidence.precision(i, j);
  }

  private Model pair(int i, int j, double logPrior) {
    double si = square(evidence.priorSd(i, priorSd));
    double sj = square(evidence.priorSd(j, priorSd));
    double mi = evidence.priorMean(i);
    double mj = evidence.priorMean(j);
    double a = evidence.precision(i, i);
    double c = evidence.precision(i, j);
    double d = evidence.precision(j, j);
    double det = (a + 1 / si) * (d + 1 / sj) - c * c;
    double[][] covariance = {
      {(d + 1 / sj) / det, -c / det},
      {-c / det, (a + 1 / si) / det}
    };
    double bi = evidence.score(i) - a * mi - c * mj;
    double bj = evidence.score(j) - c * mi - d * mj;
    double[] beyond = {
      covariance[0][0] * bi + covariance[0][1] * bj, covariance[1][0] * bi + covariance[1][1] * bj
    };
    double logDet = StrictMath.log((1 + si * a) * (1 + sj * d) - si * c * sj * c);
    double log = .5 * (beyond[0] * bi + beyond[1] * bj) - .5 * logDet + predicted(i, j);
    return new Model(
        i, j, logPrior + log, new double[] {mi + beyond[0], mj + beyond[1]}, covariance);
  }

  private double[] normalised() {
    double best = models.stream().mapToDouble(Model::logWeight).max().orElseThrow();
    double[] result = new double[models.size()];
    double total = 0;
    for (int i = 0; i < result.length; i++) {
      result[i] = StrictMath.exp(models.get(i).logWeight() - best);
      total += result[i];
    }
    for (int i = 0; i < result.length; i++) {
      result[i] /= total;
    }
    return result;
  }

  Evidence evidence() {
    return evidence;
  }

  /** Posterior probability that a feature takes part. */
  double inclusion(int feature) {
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += models.get(i).holds(feature) ? weights[i] : 0;
    }
    return sum;
  }

  /** Place of a cause with the largest inclusion; -1 when the cause has none. */
  int leading(Cause cause) {
    return leading(cause, false);
  }

  /** Shift of narrow levels of a cause with the largest inclusion; -1 when there is none. */
  int leadingExposure(Cause cause) {
    return leading(cause, true);
  }

  private int leading(Cause cause, boolean exposure) {
    int best = -1;
    for (int i = 0; i < evidence.size(); i++) {
      boolean of = evidence.feature(i).cause() == cause && evidence.exposure(i) == exposure;
      if (of && (best < 0 || inclusion(i) > inclusion(best))) {
        best = i;
      }
    }
    return best;
  }

  /** Effect of a feature on its requests when it is the only cause, in the unit of the metric. */
  double soleEffect(int feature) {
    return models.get(feature + 1).mean()[0];
  }

  /** Log Bayes factor of a move of a set of cells on its own against no move. */
  double logBayesFactor(boolean[] rows) {
    double a = evidence.cells().precision(rows, rows);
    double b = evidence.cells().score(rows);
    return .5 * b * b / (a + 1 / (priorSd * priorSd))
        - .5 * StrictMath.log(1 + priorSd * priorSd * a);
  }

  /** Mean contribution of each cause to the shift of the window's mean, by like requests. */
  Map<Cause, Double> contributions() {
    return contributions(false);
  }

  /** The same by other shares of narrow levels. */
  Map<Cause, Double> exposures() {
    return contributions(true);
  }

  private Map<Cause, Double> contributions(boolean exposures) {
    Map<Cause, Double> result = new EnumMap<>(Cause.class);
    for (int i = 0; i < weights.length; i++) {
      Model model = models.get(i);
      addContributions(model, model.mean(), weights[i], result, exposures, !exposures);
    }
    return result;
  }

  /** Contributions in one draw from the posterior. */
  Map<Cause, Double> draw(SeededDraws draws) {
    Model model = models.get(drawModel(draws));
    double[] theta = model.mean().clone();
    if (theta.length > 0) {
      double[][] covariance = model.covariance();
      double first = StrictMath.sqrt(covariance[0][0]);
      double z = draws.normal();
      theta[0] += first * z;
      if (theta.length > 1) {
        double slope = covariance[1][0] / first;
        double rest = Math.max(0, covariance[1][1] - slope * slope);
        theta[1] += slope * z + StrictMath.sqrt(rest) * draws.normal();
      }
    }
    Map<Cause, Double> result = new EnumMap<>(Cause.class);
    addContributions(model, theta, 1, result, true, true);
    return result;
  }

  private int drawModel(SeededDraws draws) {
    double u = draws.uniform();
    int i = 0;
    while (i < weights.length - 1 && u >= weights[i]) {
      u -= weights[i];
      i++;
    }
    return i;
  }

  private void addContributions(
      Model model,
      double[] theta,
      double weight,
      Map<Cause, Double> to,
      boolean exposures,
      boolean effects) {
    int[] members = {model.first(), model.second()};
    for (int k = 0; k < theta.length; k++) {
      if (evidence.exposure(members[k]) ? exposures : effects) {
        double value = weight * theta[k] * evidence.mass(members[k]);
        to.merge(evidence.feature(members[k]).cause(), value, Double::sum);
      }
    }
  }

  /**
   * A set of causes.
   *
   * @param first feature, -1 for none
   * @param second feature, -1 for none
   * @param logWeight log of prior times Bayes factor
   * @param mean posterior mean of the effects
   * @param covariance posterior covariance of the effects
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Model(
      int first, int second, double logWeight, double[] mean, double[][] covariance) {
    boolean holds(int feature) {
      return first == feature || second == feature;
    }
  }
}

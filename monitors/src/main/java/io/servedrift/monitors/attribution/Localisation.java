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
    boolean allowed = one.cause() != other.cause();
    return allowed ? one.prior() * other.prior() : 0;
  }

  private Model single(int i, double logPrior) {
    double a = evidence.precision(i, i);
    double b = evidence.score(i);
    double variance = 1 / (a + 1 / (priorSd * priorSd));
    double log = .5 * b * b * variance - .5 * StrictMath.log(1 + priorSd * priorSd * a);
    return new Model(
        i, -1, logPrior + log, new double[] {variance * b}, new double[][] {{variance}});
  }

  private Model pair(int i, int j, double logPrior) {
    double s2 = priorSd * priorSd;
    double a = evidence.precision(i, i);
    double c = evidence.precision(i, j);
    double d = evidence.precision(j, j);
    double det = (a + 1 / s2) * (d + 1 / s2) - c * c;
    double[][] covariance = {
      {(d + 1 / s2) / det, -c / det},
      {-c / det, (a + 1 / s2) / det}
    };
    double bi = evidence.score(i);
    double bj = evidence.score(j);
    double[] mean = {
      covariance[0][0] * bi + covariance[0][1] * bj, covariance[1][0] * bi + covariance[1][1] * bj
    };
    double logDet = StrictMath.log((1 + s2 * a) * (1 + s2 * d) - s2 * c * s2 * c);
    return new Model(
        i, j, logPrior + .5 * (mean[0] * bi + mean[1] * bj) - .5 * logDet, mean, covariance);
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

  /** Feature of a cause with the largest inclusion; -1 when the cause has none. */
  int leading(Cause cause) {
    int best = -1;
    for (int i = 0; i < evidence.size(); i++) {
      boolean of = evidence.feature(i).cause() == cause;
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
    double[] column = ResidualCells.indicator(rows);
    double a = evidence.cells().precision(column, column);
    double b = evidence.cells().score(column);
    return .5 * b * b / (a + 1 / (priorSd * priorSd))
        - .5 * StrictMath.log(1 + priorSd * priorSd * a);
  }

  /** Mean contribution of each cause to the shift of the window's mean. */
  Map<Cause, Double> contributions() {
    Map<Cause, Double> result = new EnumMap<>(Cause.class);
    for (int i = 0; i < weights.length; i++) {
      Model model = models.get(i);
      addContributions(model, model.mean(), weights[i], result);
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
    addContributions(model, theta, 1, result);
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

  private void addContributions(Model model, double[] theta, double weight, Map<Cause, Double> to) {
    int[] members = {model.first(), model.second()};
    for (int k = 0; k < theta.length; k++) {
      double value = weight * theta[k] * evidence.mass(members[k]);
      to.merge(evidence.feature(members[k]).cause(), value, Double::sum);
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

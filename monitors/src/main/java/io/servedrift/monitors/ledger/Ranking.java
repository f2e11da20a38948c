package io.servedrift.monitors.ledger;

import io.servedrift.schemas.avro.EvalResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.jspecify.annotations.Nullable;

/**
 * Scores of models that were measured alike: the same configuration, evaluation, metric, data and
 * settings, and for a latency the same concurrency. A model's rank is one more than the number of
 * models that are better than it beyond noise; noise is a two-sided normal test of the difference
 * of two independent means at 5 % over all pairs together (Bonferroni). So models that cannot be
 * told apart share a rank. Immutable.
 *
 * @param what name/metric, data, settings and concurrency
 * @param higherIsBetter the direction that was used; null when nobody said it or records differ
 * @param rows best first
 */
public record Ranking(String what, @Nullable Boolean higherIsBetter, List<Row> rows) {
  private static final double LEVEL = 0.05;
  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

  /** Copies the rows. */
  public Ranking {
    rows = List.copyOf(rows);
  }

  /**
   * A model in the ranking.
   *
   * @param rank from 1; null when nothing can be said: without an interval or a direction
   * @param tied whether another model cannot be told apart from it
   * @param low lower end of the 95 % interval, NaN when not known
   * @param high upper end
   */
  public record Row(
      LedgerEntry entry, @Nullable Integer rank, boolean tied, double low, double high) {}

  /** What it takes to compare, when nothing was compared. */
  public String missing() {
    return higherIsBetter == null
        ? "needs to know whether higher or lower is better, and all records agree"
        : "needs two models with a standard error above 0 and n of at least "
            + ScoreInterval.LEAST_SAMPLES;
  }

  /** Whether anything was told apart or found alike: it takes two models with an interval. */
  public boolean isComparison() {
    return rows.stream().filter(row -> row.rank() != null).count() > 1;
  }

  /**
   * Ranks scores that all were measured under the same configuration.
   *
   * @param entries the latest of a model counts
   */
  public static List<Ranking> of(List<LedgerEntry> entries) {
    Map<String, Map<String, LedgerEntry>> groups = new TreeMap<>();
    for (LedgerEntry entry : entries) {
      groups
          .computeIfAbsent(alike(entry), key -> new TreeMap<>())
          .merge(model(entry), entry, (a, b) -> newer(a, b) ? a : b);
    }
    List<Ranking> rankings = new ArrayList<>();
    groups.forEach((what, byModel) -> rankings.add(rank(what, new ArrayList<>(byModel.values()))));
    return rankings;
  }

  private static boolean newer(LedgerEntry a, LedgerEntry b) {
    return a.result().getAt().isAfter(b.result().getAt());
  }

  private static String model(LedgerEntry entry) {
    String id = entry.modelId();
    return id == null ? "" : id;
  }

  /** What must be equal before two scores are compared. */
  private static String alike(LedgerEntry entry) {
    EvalResult result = entry.result();
    StringBuilder what = new StringBuilder(entry.name());
    what.append(" on ").append(result.getDataset() == null ? "unnamed data" : result.getDataset());
    if (result.getDatasetDigest() != null) {
      String digest = result.getDatasetDigest();
      what.append(" (").append(digest, 0, Math.min(19, digest.length())).append(')');
    }
    new TreeMap<>(entry.settings())
        .forEach((name, value) -> what.append(", ").append(name).append('=').append(value));
    if (LatencyScore.is(result)) {
      what.append(", concurrency=")
          .append(result.getConcurrency() == null ? "not known" : result.getConcurrency());
    }
    return what.toString();
  }

  private static Ranking rank(String what, List<LedgerEntry> entries) {
    Boolean direction = direction(entries);
    boolean higher = !Boolean.FALSE.equals(direction);
    long known = entries.stream().filter(Ranking::hasError).count();
    double pairs = Math.max(1, known * (known - 1) / 2.0);
    double apart = NORMAL.inverseSurvivalProbability(LEVEL / 2 / pairs);
    Comparator<LedgerEntry> order = Comparator.comparingDouble(entry -> entry.result().getValue());
    List<Row> rows =
        entries.stream()
            .sorted(higher ? order.reversed() : order)
            .map(entry -> row(entry, entries, direction, apart))
            .toList();
    return new Ranking(what, direction, rows);
  }

  /** As the records say, all of them that do; a time is better when it is shorter. */
  private static @Nullable Boolean direction(List<LedgerEntry> entries) {
    List<Boolean> said =
        entries.stream()
            .map(entry -> entry.result().getHigherIsBetter())
            .filter(higher -> higher != null)
            .distinct()
            .toList();
    if (said.isEmpty()) {
      return LatencyScore.is(entries.get(0).result()) ? false : null;
    }
    return said.size() == 1 ? said.get(0) : null;
  }

  private static Row row(
      LedgerEntry entry, List<LedgerEntry> all, @Nullable Boolean higher, double apart) {
    ScoreInterval interval = ScoreInterval.of(entry.result());
    if (!interval.isKnown() || higher == null) {
      return new Row(entry, null, false, interval.low(), interval.high());
    }
    int better = 0;
    boolean tied = false;
    for (LedgerEntry other : all) {
      if (!other.id().equals(entry.id()) && hasError(other)) {
        double difference = other.result().getValue() - entry.result().getValue();
        double noise = apart * Math.hypot(error(other), error(entry));
        better += (higher ? difference : -difference) > noise ? 1 : 0;
        tied |= Math.abs(difference) <= noise;
      }
    }
    return new Row(entry, better + 1, tied, interval.low(), interval.high());
  }

  private static boolean hasError(LedgerEntry entry) {
    return ScoreInterval.of(entry.result()).isKnown();
  }

  private static double error(LedgerEntry entry) {
    Double error = entry.result().getStderr();
    return error == null ? Double.NaN : error;
  }
}

package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What serving events near the onset say about the causes, weighed by how often such events come
 * anyway (STATISTICS C.6): an event that happens every ten minutes supports nothing. Immutable.
 */
public final class EventWeights {
  /** Minutes before the earliest onset in which an event may be its cause. */
  public static final int MINUTES_BEFORE = 30;

  /** Minutes after the latest onset: clocks differ. */
  public static final int MINUTES_AFTER = 5;

  private static final double SEEN_IF_CAUSE = .6;

  /** Not every event is logged: absence weighs no more than this. */
  private static final double LEAST = -.5;

  /** A rare event supports its cause, it does not override what cells say. */
  private static final double MOST = 5;

  private static final String CONFIG_CHANGED = "config_changed";

  private final Map<Cause, Double> logBayesFactors = new EnumMap<>(Cause.class);
  private final List<Correlated> correlated = new ArrayList<>();

  /**
   * Weighs the events around one onset where the model stayed.
   *
   * @param histories one for each kind of event ever seen in the deployment
   * @param windowMinutes length of the search window around the onset interval, above 0
   */
  public EventWeights(List<History> histories, double windowMinutes) {
    this(histories, windowMinutes, false);
  }

  /**
   * Weighs the events around one onset.
   *
   * @param histories one for each kind of event ever seen in the deployment
   * @param windowMinutes length of the search window around the onset interval, above 0
   * @param onlyModel whether another model serves since then and nothing else changed: the switch
   *     that tells of it then supports what weights that were updated support
   */
  public EventWeights(List<History> histories, double windowMinutes, boolean onlyModel) {
    if (!(windowMinutes > 0)) {
      throw new IllegalArgumentException("windowMinutes=" + windowMinutes + ": must be above 0");
    }
    for (History history : histories) {
      double expected = history.ratePerDay() * windowMinutes / (24 * 60);
      double chance = -StrictMath.expm1(-expected);
      double nats =
          history.near().isEmpty()
              ? Math.max(LEAST, StrictMath.log1p(-SEEN_IF_CAUSE) + expected)
              : StrictMath.log(SEEN_IF_CAUSE / chance);
      double bounded = Math.max(LEAST, Math.min(MOST, nats));
      boolean switched =
          onlyModel && history.kind().equals(CONFIG_CHANGED) && !history.near().isEmpty();
      (switched ? Optional.of(Cause.UNEXPLAINED) : supported(history.kind()))
          .ifPresent(c -> logBayesFactors.merge(c, bounded, Math::max));
      for (Near event : history.near()) {
        correlated.add(new Correlated(event.eventId(), history.kind(), event.lagSeconds(), chance));
      }
    }
    correlated.sort(
        Comparator.comparingDouble(Correlated::probabilityByChance)
            .thenComparing(Correlated::eventId));
  }

  /** The cause that a kind of event supports; a deploy supports none in particular. */
  public static Optional<Cause> supported(String kind) {
    return switch (kind) {
      case "cache_flush", "cache_evictions", "cache_policy_changed" -> Optional.of(Cause.CACHE);
      case "batch_limit_changed", "batching_mode_changed" -> Optional.of(Cause.BATCHING);
      case "scheduler_changed", "preemption_pressure" -> Optional.of(Cause.SCHEDULING);
      case "node_started", "node_stopped" -> Optional.of(Cause.NODE);
      case "weights_updated", "adapter_merged", "adapter_unmerged" ->
          Optional.of(Cause.UNEXPLAINED);
      default -> Optional.empty();
    };
  }

  /** Log Bayes factors per cause, natural logarithms, between -0.5 and 5. */
  public Map<Cause, Double> logBayesFactors() {
    return Map.copyOf(logBayesFactors);
  }

  /** Events near the onset, the least expected first. */
  public List<Correlated> correlated() {
    return List.copyOf(correlated);
  }

  /**
   * One kind of event.
   *
   * @param count how many came in the days before the search window
   * @param days length of that time, above 0; 14 or more make a rate
   * @param near those in the search window
   */
  public record History(String kind, int count, double days, List<Near> near) {
    /** Checks count and days. */
    public History {
      near = List.copyOf(near);
      if (count < 0 || !(days > 0)) {
        throw new IllegalArgumentException(
            kind
                + ": count="
                + count
                + " in days="
                + days
                + ": count must not be negative, days above 0");
      }
    }

    /** Events a day; half an event for none, so that the first ever is rare but not a proof. */
    double ratePerDay() {
      return Math.max(.5, count) / days;
    }
  }

  /**
   * An event in the search window.
   *
   * @param lagSeconds from the event to the onset; negative when it came after
   */
  public record Near(String eventId, long lagSeconds) {}

  /**
   * An event near the onset.
   *
   * @param probabilityByChance of one such event or more in a search window
   */
  public record Correlated(
      String eventId, String kind, long lagSeconds, double probabilityByChance) {}
}

package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the monitor keeps of a request: identity, series, times, covariate buckets and values; not
 * the event. Kept for the de-duplication horizon, so its size is what a busy partition costs. Two
 * requests are equal when nothing that counts differs.
 *
 * @param finishedMicros when it counts, microseconds since the epoch
 * @param arrivedMicros when it arrived, as far as the event says: its {@code arrived_at}, else its
 *     latency before the end, else the end; never after it
 * @param buckets bucket per covariate, in catalogue order
 * @param metrics latency metrics and the error ratio, sorted by name
 * @param scores scores that came with the request, sorted by name
 */
record ServedRequest(
    String deployment,
    String requestId,
    String modelId,
    String configId,
    long finishedMicros,
    long arrivedMicros,
    Outcome outcome,
    List<String> buckets,
    List<Value> metrics,
    List<Value> scores) {

  /**
   * How a request enters series: OK into latency and scores, FAILED into the error ratio only, the
   * others nowhere.
   */
  enum Outcome {
    OK,
    FAILED,
    CANCELLED,
    UNKNOWN,
    SYNTHETIC
  }

  /**
   * One measured value.
   *
   * @param name metric or score name
   * @param value seconds, 0/1, or score
   * @param scorer identity of the scorer, {@code unknown} where none is given, empty for metrics
   *     that have none
   */
  record Value(String name, double value, String scorer) {}

  static final String ERROR_RATIO = "error_ratio";

  /** Whether a name belongs to a metric that the monitor measures itself: no score may have it. */
  static boolean isOwnMetric(String name) {
    return switch (name) {
      case ERROR_RATIO, "inference", "latency", "queue", "time_to_first_token" -> true;
      default -> name.startsWith("stage:");
    };
  }

  static ServedRequest of(RequestEvent event) {
    Outcome outcome = outcomeOf(event);
    long finished = micros(event.getFinishedAt());
    List<String> buckets = new ArrayList<>(Covariate.all().size());
    for (Covariate covariate : Covariate.all()) {
      buckets.add(covariate.bucketOf(event));
    }
    return new ServedRequest(
        event.getDeployment(),
        event.getRequestId(),
        event.getModelId(),
        event.getConfigId(),
        finished,
        arrived(event, finished),
        outcome,
        List.copyOf(buckets),
        metricsOf(event, outcome),
        scoresOf(event, outcome));
  }

  ServedRequest withScores(List<Value> kept) {
    return new ServedRequest(
        deployment,
        requestId,
        modelId,
        configId,
        finishedMicros,
        arrivedMicros,
        outcome,
        buckets,
        metrics,
        List.copyOf(kept));
  }

  /** The bucket of a covariate, {@code unknown} where the event does not say. */
  String bucket(Covariate covariate) {
    return buckets.get(covariate.index());
  }

  private static long arrived(RequestEvent event, long finished) {
    Instant arrived = event.getArrivedAt();
    if (arrived != null) {
      return Math.min(micros(arrived), finished);
    }
    Double latency = event.getLatencySeconds();
    return latency == null ? finished : finished - Math.max(0, Math.round(latency * 1e6));
  }

  /** Microseconds since the epoch. */
  static long micros(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1000);
  }

  private static Outcome outcomeOf(RequestEvent event) {
    if (event.getSynthetic()) {
      return Outcome.SYNTHETIC;
    }
    RequestStatus status = event.getStatus();
    return switch (status) {
      case OK -> Outcome.OK;
      case ERROR, TIMEOUT -> Outcome.FAILED;
      case CANCELLED -> Outcome.CANCELLED;
      case UNKNOWN -> Outcome.UNKNOWN;
    };
  }

  private static List<Value> metricsOf(RequestEvent event, Outcome outcome) {
    if (outcome == Outcome.FAILED) {
      return List.of(new Value(ERROR_RATIO, 1, ""));
    }
    if (outcome != Outcome.OK) {
      return List.of();
    }
    List<Value> metrics = new ArrayList<>();
    metrics.add(new Value(ERROR_RATIO, 0, ""));
    if (event.getInferenceSeconds() != null) {
      metrics.add(new Value("inference", event.getInferenceSeconds(), ""));
    }
    if (event.getLatencySeconds() != null) {
      metrics.add(new Value("latency", event.getLatencySeconds(), ""));
    }
    if (event.getQueueSeconds() != null) {
      metrics.add(new Value("queue", event.getQueueSeconds(), ""));
    }
    if (!event.getStageSeconds().isEmpty()) {
      new TreeMap<>(event.getStageSeconds())
          .forEach((stage, seconds) -> metrics.add(new Value("stage:" + stage, seconds, "")));
    }
    if (event.getTimeToFirstTokenSeconds() != null) {
      metrics.add(new Value("time_to_first_token", event.getTimeToFirstTokenSeconds(), ""));
    }
    return List.copyOf(metrics);
  }

  private static List<Value> scoresOf(RequestEvent event, Outcome outcome) {
    if (outcome != Outcome.OK || event.getScores().isEmpty()) {
      return List.of();
    }
    List<Value> scores = new ArrayList<>();
    Map<String, String> scorers = event.getScorers();
    new TreeMap<>(event.getScores())
        .forEach(
            (name, value) ->
                scores.add(new Value(name, value, scorers.getOrDefault(name, Covariate.UNKNOWN))));
    return List.copyOf(scores);
  }
}

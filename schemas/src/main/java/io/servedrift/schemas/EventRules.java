package io.servedrift.schemas;

import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rules between the fields of a request, the same for JSON and Avro. Clocks are imperfect and times
 * are rounded, so only what no rounding explains is rejected: an end before the start, and
 * durations that are off by about a thousand or a million, which is a wrong unit. Smaller
 * contradictions stay as they are.
 */
final class EventRules {
  /** Ends that are rounded to milliseconds may fall this far before exact starts, microseconds. */
  private static final long ROUNDING_MICROS = 1_000;

  /** Both ends rounded to whole seconds: below this no contradiction is one, seconds. */
  private static final double UNKNOWABLE_SECONDS = 2.0;

  private static final double NEAR = 2.5;

  /** A part of the latency may not exceed it this many times. */
  private static final double PART_FACTOR = 300;

  private EventRules() {}

  static void check(RequestEvent e, Problems problems) {
    name("deployment", e.getDeployment(), problems);
    name("request_id", e.getRequestId(), problems);
    id("config_id", e.getConfigId(), problems);
    id("model_id", e.getModelId(), problems);
    Instant arrived = e.getArrivedAt();
    Instant finished = e.getFinishedAt();
    Double latency = e.getLatencySeconds();
    if (e.getStatus() == RequestStatus.OK
        && latency == null
        && isEmpty(e.getScores())
        && !problems.touches("latency_seconds")
        && !problems.touches("scores")) {
      problems.add(
          RejectReason.MISSING_FIELD,
          "latency_seconds",
          "(absent)",
          "given for status ok, unless scores has a score");
    }
    double span = Double.NaN;
    if (arrived != null && finished != null) {
      long micros = micros(finished) - micros(arrived);
      if (micros < -ROUNDING_MICROS) {
        problems.add(
            RejectReason.INCONSISTENT_TIMES,
            "finished_at",
            finished.toString(),
            "at or after arrived_at=" + arrived);
        return;
      }
      span = micros / 1e6;
      if (latency != null) {
        latencyAgainstSpan(latency, span, problems);
      }
    }
    double whole = latency == null ? span : Double.isNaN(span) ? latency : Math.max(latency, span);
    if (Double.isNaN(whole)) {
      return;
    }
    part("queue_seconds", e.getQueueSeconds(), whole, problems);
    part("inference_seconds", e.getInferenceSeconds(), whole, problems);
    part("time_to_first_token_seconds", e.getTimeToFirstTokenSeconds(), whole, problems);
    Map<String, Double> stages = e.getStageSeconds();
    if (!isEmpty(stages)) {
      for (Map.Entry<String, Double> stage : stages.entrySet()) {
        if (isTooLong(stage.getValue(), whole)) {
          part(
              Place.ROOT.member("stage_seconds").member(stage.getKey()).path(),
              stage.getValue(),
              whole,
              problems);
        }
      }
    }
  }

  /** {@code *} names the series over everything; an id of that name would count twice in it. */
  private static void id(String path, @Nullable String value, Problems problems) {
    if ("*".equals(value)) {
      problems.add(RejectReason.BAD_VALUE, path, "*", "an id, not * (the series over all)");
    }
    name(path, value, problems);
  }

  private static void name(String path, @Nullable String value, Problems problems) {
    if (value != null && value.chars().anyMatch(Character::isISOControl)) {
      problems.add(
          RejectReason.BAD_VALUE, path, "text with a control character", "text without any");
    }
  }

  /** The plain flag gives way to the typed members; 1 when it contradicted them. */
  static int settleCache(RequestEvent e) {
    CacheUse use = e.getCache();
    if (use == null || use.getHit() == null) {
      return 0;
    }
    Boolean typed = CacheHit.typed(use);
    if (typed == null || typed.equals(use.getHit())) {
      return 0;
    }
    use.setHit(typed);
    return 1;
  }

  private static void latencyAgainstSpan(double latency, double span, Problems problems) {
    if (Math.abs(latency - span) <= UNKNOWABLE_SECONDS || latency <= 0 || span <= 0) {
      return;
    }
    double ratio = latency / span;
    String unit =
        isNear(ratio, 1e3)
            ? "milliseconds"
            : isNear(ratio, 1e6)
                ? "microseconds"
                : isNear(ratio, 1e-3)
                    ? "thousands of seconds, or the times are in the wrong unit"
                    : null;
    if (unit != null) {
      problems.add(
          RejectReason.WRONG_UNIT,
          "latency_seconds",
          Double.toString(latency),
          "seconds: finished_at - arrived_at is " + span + " s, so this looks like " + unit);
    }
  }

  private static boolean isNear(double ratio, double factor) {
    return ratio >= factor / NEAR && ratio <= factor * NEAR;
  }

  private static void part(String path, @Nullable Double value, double whole, Problems problems) {
    if (isTooLong(value, whole)) {
      problems.add(
          RejectReason.WRONG_UNIT,
          path,
          String.valueOf(value),
          "seconds, a part of the "
              + whole
              + " s that the request took: this looks like "
              + (value != null && value / whole > 100_000 ? "microseconds" : "milliseconds"));
    }
  }

  private static boolean isTooLong(@Nullable Double value, double whole) {
    return value != null && value > whole * PART_FACTOR && value - whole > UNKNOWABLE_SECONDS;
  }

  private static long micros(Instant t) {
    return t.getEpochSecond() * 1_000_000 + t.getNano() / 1_000;
  }

  private static boolean isEmpty(@Nullable Map<?, ?> map) {
    return map == null || map.isEmpty();
  }
}

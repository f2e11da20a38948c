package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A queued video between its {@code POST} and the poll that tells its end. How long it took is
 * known from two sides: the runtime's {@code created_at} and {@code completed_at}, and the polls of
 * the client, between the last that found it unfinished and the first that did not. A duration
 * counts only where what is not known of it is at most a tenth. One thread at a time.
 */
final class VideoJob {

  /** Largest part of a duration that may be unknown. */
  private static final double UNKNOWN_SHARE = 0.1;

  /** What a time stamp in whole seconds leaves open of a difference. */
  private static final double WHOLE_SECONDS = 1;

  /** A workload has a fixed set of fields, numbers, digests and short words. */
  private static final int WORKLOAD_BYTES = 4_096;

  private final Asked asked;
  private long unfinishedAtNanos;
  private long askedAtNanos;

  /**
   * What is kept of the question until the end is told: nothing of the bodies.
   *
   * @param id the runtime's name of the video
   * @param arrivedAt when the headers of the {@code POST} were there
   * @param beganNanos the same on the monotonic clock
   * @param workload the {@code workload} of the event
   * @param modelName the model in question or answer
   * @param known what was known of the serving at that time; shared, not to be changed
   */
  record Asked(
      String id,
      Instant arrivedAt,
      long beganNanos,
      ObjectNode workload,
      @Nullable String modelName,
      ServingIdentity.@Nullable Known known) {}

  /**
   * @param promisedNanos when the answer, that the video is queued, had come
   */
  VideoJob(Asked asked, long promisedNanos) {
    this.asked = asked;
    this.unfinishedAtNanos = asked.beganNanos();
    this.askedAtNanos = promisedNanos;
  }

  Asked asked() {
    return asked;
  }

  /** Bytes it takes, at most, without what is known of the serving. */
  long bytes() {
    String model = asked.modelName();
    return WORKLOAD_BYTES + 2L * (asked.id().length() + (model == null ? 0 : model.length()));
  }

  /** When somebody last asked for it. */
  long askedAtNanos() {
    return askedAtNanos;
  }

  /** A poll that began at this moment found it unfinished. */
  void unfinishedAt(long nanos) {
    unfinishedAtNanos = Math.max(unfinishedAtNanos, nanos);
    askedAtNanos = Math.max(askedAtNanos, nanos);
  }

  /** From the {@code POST} to a moment. */
  double secondsUntil(long nanos) {
    return (nanos - asked.beganNanos()) / 1e9;
  }

  /**
   * How long it took by the runtime's stamps, seconds: never longer than the client waited. Null
   * when they are absent, too coarse, or cannot be true.
   *
   * @param numbers what the runtime says
   * @param toldNanos when the first poll said that it has ended
   */
  @Nullable Double stampedSeconds(Answer.Numbers numbers, long toldNanos) {
    if (numbers.createdAt == null || numbers.completedAt == null) {
      return null;
    }
    double seconds = numbers.completedAt - numbers.createdAt;
    boolean whole = isWhole(numbers.createdAt) || isWhole(numbers.completedAt);
    double unknown = whole ? WHOLE_SECONDS : 0;
    double told = secondsUntil(toldNanos);
    if (seconds <= 0 || unknown > seconds * UNKNOWN_SHARE || seconds > told + unknown) {
      return null;
    }
    return Math.min(seconds, told);
  }

  /**
   * How long it took by the client's polls, seconds, an upper bound; null when the last poll that
   * found it unfinished was too long before.
   *
   * @param toldNanos when the first poll said that it has ended
   */
  @Nullable Double polledSeconds(long toldNanos) {
    double told = secondsUntil(toldNanos);
    double unknown = (toldNanos - unfinishedAtNanos) / 1e9;
    return unknown <= told * UNKNOWN_SHARE ? (Double) told : null;
  }

  private static boolean isWhole(double seconds) {
    return seconds == Math.rint(seconds);
  }
}

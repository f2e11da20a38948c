package io.servedrift.ingest.gateway;

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

  /** What two time stamps in whole seconds leave open of their difference. */
  private static final double WHOLE_SECONDS = 1;

  private final RequestDraft draft;
  private final long beganNanos;
  private long unfinishedAtNanos;
  private long askedAtNanos;

  /**
   * @param draft what was asked
   * @param beganNanos when the headers of the {@code POST} were there
   * @param promisedNanos when its answer, that the video is queued, had come
   */
  VideoJob(RequestDraft draft, long beganNanos, long promisedNanos) {
    this.draft = draft;
    this.beganNanos = beganNanos;
    this.unfinishedAtNanos = beganNanos;
    this.askedAtNanos = promisedNanos;
  }

  RequestDraft draft() {
    return draft;
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
    return (nanos - beganNanos) / 1e9;
  }

  /**
   * How long it took, seconds; null when nobody can say.
   *
   * @param numbers what the runtime says
   * @param toldNanos when the first poll said that it has ended
   */
  @Nullable Double latencySeconds(Answer.Numbers numbers, long toldNanos) {
    double told = secondsUntil(toldNanos);
    Double stamped = stamped(numbers);
    if (stamped != null && stamped <= told + WHOLE_SECONDS) {
      return stamped;
    }
    double unknown = (toldNanos - unfinishedAtNanos) / 1e9;
    return unknown <= told * UNKNOWN_SHARE ? (Double) told : null;
  }

  private static @Nullable Double stamped(Answer.Numbers numbers) {
    if (numbers.createdAt == null || numbers.completedAt == null) {
      return null;
    }
    double seconds = numbers.completedAt - numbers.createdAt;
    boolean whole = isWhole(numbers.createdAt) && isWhole(numbers.completedAt);
    double unknown = whole ? WHOLE_SECONDS : 0;
    return seconds > 0 && unknown <= seconds * UNKNOWN_SHARE ? (Double) seconds : null;
  }

  private static boolean isWhole(double seconds) {
    return seconds == Math.rint(seconds);
  }
}

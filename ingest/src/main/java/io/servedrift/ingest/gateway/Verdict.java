package io.servedrift.ingest.gateway;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an ended exchange is to the monitor.
 *
 * @param kind whether it is a served request at all
 * @param status the event's {@code status}
 * @param error class of the error, null when there was none
 */
record Verdict(Kind kind, String status, @Nullable String error) {

  /** Whether an exchange is a served request. */
  enum Kind {
    /** It is: well or with an error. */
    SERVED,
    /** The runtime refused it as the client's mistake: that says nothing of the serving. */
    REFUSED,
    /** The answer only promises a result, so how long that takes is not known. */
    UNFINISHED
  }

  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY = 429;
  private static final int GATEWAY_TIMEOUT = 504;
  private static final Set<String> PROMISES =
      Set.of("queued", "pending", "in_progress", "processing", "running");
  private static final Set<String> DONE = Set.of("completed", "succeeded");
  private static final Set<String> FAILED = Set.of("failed", "error");
  private static final Set<String> CANCELLED = Set.of("cancelled", "canceled");

  /** Judges an exchange; without a readable answer only its status counts. */
  static Verdict of(Exchange exchange, @Nullable Answer answer) {
    Outcome outcome = exchange.outcome();
    if (outcome == Outcome.CANCELLED) {
      return new Verdict(Kind.SERVED, "cancelled", null);
    }
    if (outcome != Outcome.COMPLETE) {
      String status = outcome == Outcome.TIMEOUT ? "timeout" : "error";
      return new Verdict(Kind.SERVED, status, outcome.error());
    }
    int http = exchange.status();
    if (http == REQUEST_TIMEOUT || http == GATEWAY_TIMEOUT) {
      return new Verdict(Kind.SERVED, "timeout", "http_" + http);
    }
    if (http >= 500 || http == TOO_MANY) {
      return new Verdict(Kind.SERVED, "error", "http_" + http);
    }
    if (http >= 300) {
      return new Verdict(Kind.REFUSED, "error", "http_" + http);
    }
    if (answer != null && answer.tellsError()) {
      return new Verdict(Kind.SERVED, "error", "told_in_answer");
    }
    if (answer != null && "abort".equals(answer.finishReason())) {
      return new Verdict(Kind.SERVED, "error", "abort");
    }
    if (exchange.route() == Route.VIDEOS) {
      // What is not understood is no finished video: its latency would be that of the queueing.
      Verdict end = answer == null ? null : ofPoll(answer);
      return end == null ? new Verdict(Kind.UNFINISHED, "ok", null) : end;
    }
    if (answer != null && answer.state() != null && PROMISES.contains(answer.state())) {
      return new Verdict(Kind.UNFINISHED, "ok", null);
    }
    return new Verdict(Kind.SERVED, "ok", null);
  }

  /** What a poll says of the end of a queued video; null when it tells of none. */
  static @Nullable Verdict ofPoll(Answer poll) {
    String state = poll.state();
    if (state == null) {
      return null;
    }
    if (DONE.contains(state)) {
      return new Verdict(Kind.SERVED, "ok", null);
    }
    if (FAILED.contains(state)) {
      return new Verdict(Kind.SERVED, "error", "video_failed");
    }
    return CANCELLED.contains(state) ? new Verdict(Kind.SERVED, "cancelled", null) : null;
  }

  boolean isOk() {
    return kind == Kind.SERVED && status.equals("ok");
  }
}

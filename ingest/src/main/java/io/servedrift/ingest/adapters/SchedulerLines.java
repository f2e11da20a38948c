package io.servedrift.ingest.adapters;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a scheduler about its batches, without request ids, as serving events of the node: one
 * when the cache becomes full and one when it has room again; per minute one with the retractions
 * and one with the sizes of the dispatched batches. Shares are ratios whatever the line writes.
 */
final class SchedulerLines {
  static final String COUNTED = "line of the scheduler, counted in a serving event";
  static final String NO_TIME = "line of the scheduler without a usable time";

  /** From this token usage on, the cache counts as full, and below the other as roomy. */
  static final double FULL = 0.9;

  static final double ROOMY = 0.8;

  private static final Pattern USAGE =
      Pattern.compile("(?:Prefill|Decode) batch\\b.*\\btoken usage: ([0-9.]{1,12})(%?)");
  private static final Pattern RETRACTED = Pattern.compile("#retracted_reqs: (\\d{1,9})");
  private static final Pattern DISPATCH =
      Pattern.compile(
          "\\b(?:Dynamic b|B)atch dispatch:"
              + " size=(\\d{1,6})/(\\d{1,6}).*?queue_wait=([0-9.]{1,12})ms");
  private static final Pattern FLUSH = Pattern.compile("Cache flushed successfully");
  private static final Pattern SUMMARY =
      Pattern.compile(
          "\\b(?:Dynamic b|B)atch stats \\(last|Processed dynamic batch|denoising step batch:"
              + " size=");

  private final AdapterSettings settings;
  private @Nullable Instant minute;
  private @Nullable SourceLine from;
  private long retracted;
  private long retractions;
  private long dispatches;
  private long dispatched;
  private long largest;
  private long limit;
  private double waitedMs;
  private boolean full;

  SchedulerLines(AdapterSettings settings) {
    this.settings = settings;
  }

  /**
   * Takes a line.
   *
   * @return false when it is none of a scheduler's
   */
  boolean take(String line, @Nullable Instant at, SourceLine place, AdapterOutput out) {
    Matcher usage = USAGE.matcher(line);
    Matcher retraction = RETRACTED.matcher(line);
    Matcher dispatch = DISPATCH.matcher(line);
    boolean isUsage = usage.find();
    boolean isRetraction = retraction.find();
    boolean isDispatch = dispatch.find();
    boolean isFlush = FLUSH.matcher(line).find();
    if (!isUsage && !isRetraction && !isDispatch && !isFlush) {
      boolean summary = SUMMARY.matcher(line).find();
      if (summary) {
        out.skip(COUNTED, place);
      }
      return summary;
    }
    if (at == null) {
      out.skip(NO_TIME, place);
      return true;
    }
    turnTo(at, out);
    from = place.place();
    out.skip(COUNTED, place);
    if (isRetraction) {
      retractions++;
      retracted += number(retraction.group(1));
    }
    if (isDispatch) {
      dispatch(dispatch);
    }
    if (isFlush) {
      out.event(event("cache_flush", at).json(), place);
    }
    if (isUsage) {
      usage(usage, at, place, out);
    }
    return true;
  }

  private void dispatch(Matcher dispatch) {
    long size = number(dispatch.group(1));
    dispatches++;
    dispatched += size;
    largest = Math.max(largest, size);
    limit = number(dispatch.group(2));
    waitedMs += decimal(dispatch.group(3));
  }

  private void usage(Matcher usage, Instant at, SourceLine place, AdapterOutput out) {
    double share = decimal(usage.group(1)) / (usage.group(2).isEmpty() ? 1 : 100);
    boolean nowFull = full ? share > ROOMY : share >= FULL;
    if (nowFull != full && share <= 1) {
      full = nowFull;
      EventDraft event =
          event(nowFull ? "cache_pressure" : "cache_pressure_ended", at)
              .put("attributes.token_usage", String.format(Locale.ROOT, "%.2f", share));
      out.event(event.json(), place);
    }
  }

  private void turnTo(Instant at, AdapterOutput out) {
    Instant its = at.truncatedTo(ChronoUnit.MINUTES);
    if (minute != null && its.isAfter(minute)) {
      flush(out);
    }
    if (minute == null || its.isAfter(minute)) {
      minute = its;
    }
  }

  /** Live: gives the minutes that are over. */
  void pass(Instant now, AdapterOutput out) {
    if (minute != null && now.isAfter(minute.plus(Duration.ofSeconds(90)))) {
      flush(out);
      minute = null;
    }
  }

  /** Gives what the current minute has. */
  void flush(AdapterOutput out) {
    Instant start = minute;
    SourceLine place = from;
    if (start == null || place == null) {
      return;
    }
    if (retractions > 0) {
      out.event(
          event("preemption_pressure", start)
              .put("attributes.retracted_requests", Long.toString(retracted))
              .put("attributes.window_seconds", "60")
              .json(),
          place);
    }
    if (dispatches > 0) {
      out.event(
          event("dispatch_sizes", start)
              .put("attributes.dispatches", Long.toString(dispatches))
              .put("attributes.size_mean", text((double) dispatched / dispatches))
              .put("attributes.size_max", Long.toString(largest))
              .put("attributes.size_limit", Long.toString(limit))
              .put("attributes.queue_wait_mean_seconds", text(waitedMs / dispatches / 1_000))
              .put("attributes.window_seconds", "60")
              .json(),
          place);
    }
    retractions = 0;
    retracted = 0;
    dispatches = 0;
    dispatched = 0;
    largest = 0;
    waitedMs = 0;
  }

  private EventDraft event(String kind, Instant at) {
    String identity =
        String.join(
            "\n",
            settings.deployment().orElse(""),
            settings.node().orElse(""),
            kind,
            at.toString());
    UUID id = UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8));
    return EventDraft.servingEvent(settings)
        .put("event_id", id.toString())
        .put("at", at)
        .put("kind", kind);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }

  private static long number(String digits) {
    return Long.parseLong(digits);
  }

  private static double decimal(String digits) {
    try {
      return Double.parseDouble(digits);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}

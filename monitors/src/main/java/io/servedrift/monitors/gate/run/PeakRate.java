package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The arrival rate of load 1.0: as given, else as found by this run before, else that of recorded
 * traffic, else found from what the old side gets through. Not thread-safe.
 */
final class PeakRate {
  /** Of what a closed loop gets through: an open loop at 1.2 of it is still below capacity. */
  static final double OF_CAPACITY = .7;

  private final RunOptions options;
  private final @Nullable RecordedTraffic traffic;
  private final RunListener listener;

  PeakRate(RunOptions options, @Nullable RecordedTraffic traffic, RunListener listener) {
    this.options = options;
    this.traffic = traffic;
    this.listener = listener;
  }

  /** Requests per second, null while it is still to be found. */
  @Nullable Double known(RunRecord record) {
    if (options.peakPerSecond() != null) {
      return options.peakPerSecond();
    }
    if (record.peak() != null) {
      return record.peak();
    }
    return traffic == null ? null : traffic.peakPerSecond();
  }

  /** Requests per second; what is found from the old side at fixed concurrency is kept. */
  double of(RunLog log) throws IOException {
    Double known = known(log.record());
    if (known != null) {
      return known;
    }
    double peak = found(log.record().answers());
    log.peak(peak);
    listener.said(
        String.format(
            Locale.ROOT,
            "peak rate: %.2f/s, %.0f %% of what the old side does with %d in flight",
            peak,
            100 * OF_CAPACITY,
            options.typicalConcurrency()));
    return peak;
  }

  private double found(List<Answer> answers) {
    double seconds = options.block().toMillis() / 1e3;
    long good = 0;
    long blocks = 0;
    for (Answer answer : answers) {
      if (answer.arm().side() == Side.OLD && answer.arm().regime() == Regime.FIXED_CONCURRENCY) {
        good += answer.ok() ? 1 : 0;
        blocks = Math.max(blocks, answer.block() + 1L);
      }
    }
    // An endpoint that gives no good answer is asked once a second, which shows that it does not.
    return good == 0 ? 1 : OF_CAPACITY * good / (blocks * seconds);
  }
}

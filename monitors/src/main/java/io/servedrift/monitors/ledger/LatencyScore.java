package io.servedrift.monitors.ledger;

import io.servedrift.schemas.avro.EvalResult;
import java.util.Locale;
import java.util.regex.Pattern;

/** Tells a score that is a time, which means nothing without the concurrency it was measured at. */
public final class LatencyScore {
  private static final Pattern TIME =
      Pattern.compile(
          "(.*[_./ -])?(latency|ttft|tpot|itl|time_to_first_token|queue|seconds)([_./ -].*)?");

  /** A metric that says nothing itself: the evaluation's name says what it is a statistic of. */
  private static final Pattern STATISTIC =
      Pattern.compile("p\\d+([._]\\d+)?|mean|median|avg|average|min|max");

  private static final Pattern RATE = Pattern.compile(".*(per_?sec|/s\\b|throughput|_rate\\b).*");

  private LatencyScore() {}

  /** By the name of the metric; by that of the evaluation when the metric is {@code p99} or so. */
  public static boolean is(EvalResult eval) {
    String metric = eval.getMetric().toLowerCase(Locale.ROOT);
    String name = eval.getName().toLowerCase(Locale.ROOT);
    return isTime(metric) || (STATISTIC.matcher(metric).matches() && isTime(name));
  }

  private static boolean isTime(String name) {
    return TIME.matcher(name).matches() && !RATE.matcher(name).matches();
  }
}

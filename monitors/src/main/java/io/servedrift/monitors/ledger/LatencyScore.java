package io.servedrift.monitors.ledger;

import io.servedrift.schemas.avro.EvalResult;
import java.util.Locale;
import java.util.regex.Pattern;

/** Tells a score that is a time, which means nothing without the concurrency it was measured at. */
public final class LatencyScore {
  private static final Pattern NAME =
      Pattern.compile(
          "(.*[_./ -])?(latency|ttft|tpot|itl|time_to_first_token|queue|seconds)([_./ -].*)?");

  private LatencyScore() {}

  /** By the name of the metric, or that of the evaluation. */
  public static boolean is(EvalResult eval) {
    return matches(eval.getMetric()) || matches(eval.getName());
  }

  private static boolean matches(String name) {
    return NAME.matcher(name.toLowerCase(Locale.ROOT)).matches();
  }
}

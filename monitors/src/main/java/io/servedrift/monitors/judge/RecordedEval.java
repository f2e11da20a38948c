package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.avro.EvalResult;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * An evaluation as far as live scores are compared with it. Immutable.
 *
 * @param name of the evaluation and its metric, {@code name/metric}
 * @param value mean over the data set, in the unit of the metric
 * @param n number of values; 0 when it was not said
 * @param standardError of {@code value}; NaN when it was not said
 * @param configId configuration that was measured; empty when it was not said
 * @param modelId model that was measured; empty when it was not said
 * @param dataset name and version of the data; empty when it was not said
 * @param supersedes id of the evaluation whose place it takes; empty when it takes none
 */
record RecordedEval(
    String evalId,
    long atMicros,
    String name,
    double value,
    long n,
    double standardError,
    String configId,
    String modelId,
    String dataset,
    String supersedes) {
  /** The later one replaces the earlier, of equal times the one with the greater id. */
  static final Comparator<RecordedEval> AGE =
      Comparator.comparingLong(RecordedEval::atMicros).thenComparing(RecordedEval::evalId);

  static RecordedEval of(EvalResult eval) {
    return new RecordedEval(
        eval.getEvalId(),
        Micros.of(eval.getAt()),
        name(eval.getName(), eval.getMetric()),
        eval.getValue(),
        eval.getN() == null ? 0 : eval.getN(),
        eval.getStderr() == null ? Double.NaN : eval.getStderr(),
        text(eval.getConfigId()),
        text(eval.getModelId()),
        text(eval.getDataset()),
        text(eval.getSupersedes()));
  }

  /**
   * Whether live scores can be compared with it: not when it describes no known system, or was
   * changed after it was made.
   */
  static boolean isUsable(EvalResult eval) {
    return !Boolean.TRUE.equals(eval.getUnconfigured())
        && EvalDigest.standing(eval) != EvalDigest.Standing.ALTERED;
  }

  /** The one that counts: a correction whatever its time, else the later one. */
  static RecordedEval standing(RecordedEval one, RecordedEval other) {
    if (one.supersedes.equals(other.evalId)) {
      return one;
    }
    return other.supersedes.equals(one.evalId) || AGE.compare(one, other) < 0 ? other : one;
  }

  private static String name(String name, String metric) {
    return name + "/" + metric;
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  /**
   * Standard error, that of n independent values when none was recorded.
   *
   * @param deviation standard deviation of a live value
   * @return NaN when neither was recorded: nothing can be compared with a number alone
   */
  double error(double deviation) {
    return Double.isNaN(standardError) && n > 0
        ? deviation / StrictMath.sqrt((double) n)
        : standardError;
  }

  void write(Content.Writer out) {
    out.text(evalId);
    out.whole(atMicros);
    out.text(name);
    out.number(value);
    out.whole(n);
    out.number(standardError);
    out.text(configId);
    out.text(modelId);
    out.text(dataset);
    out.text(supersedes);
  }

  static RecordedEval read(Content.Reader in) {
    return new RecordedEval(
        in.text(),
        in.whole(),
        in.text(),
        in.number(),
        in.whole(),
        in.number(),
        in.text(),
        in.text(),
        in.text(),
        in.text());
  }
}

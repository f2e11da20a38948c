package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.QuantileRatio;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** From intervals and margins to states, and from the states of parts to that of the whole. */
final class Verdicts {
  private Verdicts() {}

  /** A difference of which only a loss, a gain, or both count. */
  static MeasureState ofDifference(Interval interval, double margin, ScoreRule.Worse worse) {
    if (interval.lower() == 0 && interval.upper() == 0) {
      return MeasureState.PASS;
    }
    boolean low = worse != ScoreRule.Worse.UP;
    boolean high = worse != ScoreRule.Worse.DOWN;
    if ((low && interval.upper() < -margin) || (high && interval.lower() > margin)) {
      return MeasureState.FAIL;
    }
    boolean inside = (!low || interval.lower() > -margin) && (!high || interval.upper() < margin);
    return inside ? MeasureState.PASS : MeasureState.INSUFFICIENT;
  }

  /** Something that must stay at or below a bound. */
  static MeasureState atMost(double low, double high, double bound) {
    return high <= bound
        ? MeasureState.PASS
        : low > bound ? MeasureState.FAIL : MeasureState.INSUFFICIENT;
  }

  /** Something that must reach a bound. */
  static MeasureState atLeast(double low, double high, double bound) {
    return low >= bound
        ? MeasureState.PASS
        : high < bound ? MeasureState.FAIL : MeasureState.INSUFFICIENT;
  }

  /** All must pass (intersection-union): one that fails fails all. Nothing is insufficient. */
  static CheckState all(Collection<MeasureState> required) {
    if (required.contains(MeasureState.FAIL)) {
      return CheckState.FAIL;
    }
    boolean passed = !required.isEmpty() && required.stream().allMatch(s -> s == MeasureState.PASS);
    return passed ? CheckState.PASS : CheckState.INSUFFICIENT;
  }

  /** What several measures that must all pass say together; none is insufficient. */
  static MeasureState together(List<Measure> measures) {
    return switch (all(measures.stream().map(Measure::state).toList())) {
      case PASS -> MeasureState.PASS;
      case FAIL -> MeasureState.FAIL;
      default -> MeasureState.INSUFFICIENT;
    };
  }

  /** One that passes is enough; all must fail to fail. */
  static MeasureState any(MeasureState one, MeasureState other) {
    if (one == MeasureState.PASS || other == MeasureState.PASS) {
      return MeasureState.PASS;
    }
    return one == MeasureState.FAIL && other == MeasureState.FAIL
        ? MeasureState.FAIL
        : MeasureState.INSUFFICIENT;
  }

  /** The largest n that a part needs; null when none can say. */
  static @Nullable Long needed(Collection<Measure> measures) {
    Long most = null;
    for (Measure measure : measures) {
      Long needed = measure.needed();
      if (measure.state() == MeasureState.INSUFFICIENT && needed != null) {
        most = most == null ? needed : Long.valueOf(Math.max(most, needed));
      }
    }
    return most;
  }

  /** A check from its parts; {@code shown} are listed behind and decide nothing. */
  static CheckResult check(
      CheckName name, List<Measure> required, List<Measure> shown, String passed) {
    CheckState state = all(required.stream().map(Measure::state).toList());
    List<Measure> measures = new ArrayList<>(required);
    measures.addAll(shown);
    return new CheckResult(
        name,
        state,
        why(state, required, passed),
        measures,
        state == CheckState.INSUFFICIENT ? needed(required) : null);
  }

  static CheckResult insufficient(CheckName name, String why) {
    return new CheckResult(name, CheckState.INSUFFICIENT, why, List.of(), null);
  }

  static CheckResult notApplicable(CheckName name, String why) {
    return new CheckResult(name, CheckState.NOT_APPLICABLE, why, List.of(), null);
  }

  /** A measure that could not be made. */
  static Measure missing(String name, String of, String why) {
    return new Measure(
        name, of, null, null, null, 0.95, 0, null, "", MeasureState.INSUFFICIENT, null, why);
  }

  /** The same measure, deciding nothing. */
  static Measure reported(Measure m) {
    return m.as(MeasureState.REPORTED, m.test());
  }

  static String why(CheckState state, List<Measure> required, String passed) {
    return switch (state) {
      case PASS -> passed;
      case FAIL -> "beyond the margin: " + named(required, MeasureState.FAIL);
      default -> "cannot be decided: " + named(required, MeasureState.INSUFFICIENT);
    };
  }

  private static String named(List<Measure> measures, MeasureState state) {
    List<Measure> matching = measures.stream().filter(m -> m.state() == state).toList();
    String text = matching.stream().limit(3).map(Verdicts::text).collect(Collectors.joining("; "));
    return matching.size() > 3 ? text + "; and " + (matching.size() - 3) + " more" : text;
  }

  private static String text(Measure m) {
    if (m.value() == null) {
      return m.name() + " (" + m.of() + "): " + m.test();
    }
    String interval =
        m.low() == null || m.high() == null
            ? ""
            : " [" + number(m.low()) + ", " + number(m.high()) + "]";
    String margin = m.margin() == null ? "" : ", margin " + number(m.margin());
    return m.name() + " (" + m.of() + ") " + number(m.value()) + interval + margin + ", n=" + m.n();
  }

  /** Four significant digits. */
  static String number(double value) {
    return String.format(Locale.ROOT, "%.4g", value);
  }

  /** A limit of a ratio; null when a side was too small to have one. */
  static @Nullable Double limit(QuantileRatio ratio, double limit) {
    return Double.isFinite(ratio.error()) ? Double.valueOf(limit) : null;
  }
}

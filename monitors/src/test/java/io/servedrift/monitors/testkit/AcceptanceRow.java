package io.servedrift.monitors.testkit;

import io.servedrift.monitors.stats.Interval;
import java.util.Locale;

/**
 * One line of the acceptance table.
 *
 * @param part of the table
 * @param name what was measured
 * @param n series, scenarios or runs
 * @param value the figure; infinite: never
 * @param interval 95 % interval of it; its ends may be infinite
 * @param unit of the figure, {@code share}, {@code min} or {@code per month}
 * @param bar what the figure is held against, as text; empty: shown for comparison only
 * @param met whether it holds
 */
public record AcceptanceRow(
    String part,
    String name,
    long n,
    double value,
    Interval interval,
    String unit,
    String bar,
    Met met) {
  /** Whether a bar holds. */
  public enum Met {
    YES("yes"),
    NO("NO"),
    /** Below the bar, in too few runs to say so: the interval holds the bar. */
    INSUFFICIENT("too few"),
    /** There is no bar. */
    NONE("-");

    private final String word;

    Met(String word) {
      this.word = word;
    }

    /** Word in the table. */
    public String word() {
      return word;
    }
  }

  /** A share that has to be so high; below {@code enough} runs a miss may be too few to say. */
  static AcceptanceRow atLeast(
      String part, String name, ScenarioScorer.Share share, double bar, long enough) {
    boolean holds = share.n() > 0 && share.value() >= bar;
    boolean open = share.n() < enough && share.interval().upper() >= bar;
    return of(part, name, share, String.format(Locale.ROOT, ">= %.2f", bar), met(holds, open));
  }

  /** A share that may be so high at most. */
  static AcceptanceRow atMost(
      String part, String name, ScenarioScorer.Share share, double bar, long enough) {
    boolean holds = share.n() > 0 && share.value() <= bar;
    boolean open = share.n() < enough && share.interval().lower() <= bar && bar > 0;
    return of(
        part,
        name,
        share,
        bar == 0 ? "none" : String.format(Locale.ROOT, "<= %.2f", bar),
        met(holds, share.n() == 0 || open));
  }

  /** A share that is only shown. */
  static AcceptanceRow shown(String part, String name, ScenarioScorer.Share share) {
    return of(part, name, share, "", Met.NONE);
  }

  private static AcceptanceRow of(
      String part, String name, ScenarioScorer.Share share, String bar, Met met) {
    return new AcceptanceRow(
        part, name, share.n(), share.value(), share.interval(), "share", bar, met);
  }

  /** A median delay in minutes that may be so long at most. */
  static AcceptanceRow delay(
      String part, String name, long n, ScenarioScorer.Delay delay, double bar, long enough) {
    return new AcceptanceRow(
        part,
        name,
        n,
        delay.median(),
        new Interval(delay.lower(), delay.upper()),
        "min",
        String.format(Locale.ROOT, "<= %.0f", bar),
        met(delay.median() <= bar, n < enough && delay.lower() <= bar));
  }

  /**
   * Alarms where none was due.
   *
   * @param series that were watched
   * @param per100 alarms that 100 such series may have; infinite: shown only
   */
  static AcceptanceRow alarms(
      String part, String name, long series, ScenarioScorer.FalseAlarms alarms, double per100) {
    boolean shown = Double.isInfinite(per100);
    double allowed = per100 * series / 100;
    boolean open =
        series < 100 && PoissonInterval.rate(alarms.alarms(), 1, 0.95).lower() <= allowed;
    return new AcceptanceRow(
        part,
        name,
        series,
        alarms.rate(),
        alarms.perMonth(),
        "per month",
        shown ? "" : String.format(Locale.ROOT, "<= %.2f", per100 / 100),
        shown ? Met.NONE : met(alarms.alarms() <= allowed, open));
  }

  private static Met met(boolean holds, boolean open) {
    return holds ? Met.YES : open ? Met.INSUFFICIENT : Met.NO;
  }

  /** The figure with its interval. */
  String measured() {
    int digits = unit.equals("share") || Math.abs(value) < 10 ? 3 : 0;
    return number(value, digits)
        + " ("
        + number(interval.lower(), digits)
        + ".."
        + number(interval.upper(), digits)
        + ") "
        + unit;
  }

  private static String number(double x, int digits) {
    if (Double.isNaN(x)) {
      return "?";
    }
    return Double.isInfinite(x)
        ? (x > 0 ? "never" : "0")
        : String.format(Locale.ROOT, "%." + digits + "f", x);
  }
}

package io.servedrift.monitors.detection;

/**
 * When evidence is shown, ticketed and paged. All of it derives from one number, the false alarms a
 * deployment may have in 30 days, tickets and pages together.
 *
 * <p>A family that alarms at M &gt;= A minutes has at most one false alarm in A minutes on average.
 * With a share w of the budget b per month its alert level is A = 43,200 / (b w). A page needs ten
 * times that, so that at most one in ten false alarms wakes somebody; the watch level is the square
 * root and only marks charts.
 *
 * <p>The shares of all families add up to at most 1, so the budget holds however dependent they
 * are. e-d-BH ({@code stats.EBenjaminiHochberg}) would let families that shift together alarm on
 * less evidence each; but it bounds the false share of the alarms over patience and not their
 * number, which is what is promised, and an incident that hits many families is found in the first
 * of them. So it is not used.
 *
 * <p>Example: b = 1 and one family give alert at 4.3e4, page at 4.3e5, watch at 208; 23 families of
 * equal share give alert at 9.9e5, about one false alarm per 1.9 years and family.
 *
 * @param watch M from which a series is marked, in minutes
 * @param alert M from which a finding opens, in minutes
 * @param page M from which it may page, in minutes
 */
public record AlarmLevels(double watch, double alert, double page) {
  /** How strong the evidence of a family is. */
  public enum Level {
    QUIET,
    WATCH,
    ALERT,
    PAGE
  }

  private static final double MINUTES_PER_MONTH = 30 * 24 * 60;
  private static final double PAGE_FACTOR = 10;
  private static final double MOST_PER_MONTH = 1000;

  /** Below this many minutes an alarm would say nothing. */
  private static final double LEAST_MINUTES = 60;

  /** Checks that the levels ascend. */
  public AlarmLevels {
    if (!(watch >= 1 && watch <= alert && alert <= page && page < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "alarm levels " + watch + ", " + alert + ", " + page + ": must ascend from 1");
    }
  }

  /**
   * Levels of a family.
   *
   * @param falseAlarmsPerMonth budget of the deployment, above 0, at most 1000
   * @param share of the budget that falls to the family, above 0, at most 1
   */
  public static AlarmLevels of(double falseAlarmsPerMonth, double share) {
    if (!(falseAlarmsPerMonth > 0 && falseAlarmsPerMonth <= MOST_PER_MONTH)) {
      throw new IllegalArgumentException(
          "false_alarms_per_month="
              + falseAlarmsPerMonth
              + ": must be above 0 and at most "
              + MOST_PER_MONTH);
    }
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share=" + share + ": must be above 0 and at most 1");
    }
    double alert = Math.max(LEAST_MINUTES, MINUTES_PER_MONTH / (falseAlarmsPerMonth * share));
    return new AlarmLevels(Math.sqrt(alert), alert, PAGE_FACTOR * alert);
  }

  /**
   * Level of a statistic.
   *
   * @param reading M, counted in panes
   * @param paneMinutes length of a pane in minutes
   */
  public Level levelOf(FamilyDetector.Reading reading, double paneMinutes) {
    double minutes = reading.statistic() * paneMinutes;
    if (minutes >= page) {
      return Level.PAGE;
    }
    return minutes >= alert ? Level.ALERT : minutes >= watch ? Level.WATCH : Level.QUIET;
  }
}

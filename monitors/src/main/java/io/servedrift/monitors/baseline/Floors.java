package io.servedrift.monitors.baseline;

import java.util.List;

/**
 * Smallest shifts that matter. They are part of what is tested: traffic that moved by less is
 * normal, however much of it there is.
 *
 * @param meanOverall in standard deviations of single values, all traffic
 * @param meanStratum the same for strata, classes, nodes and contrasts
 * @param minimumShift for means in the unit of the metric; the larger of both counts
 * @param countOverall relative increase of the rate by level, all traffic: 0.25 for a quarter more
 * @param countStratum the same for strata, classes and shares
 * @param absoluteRate for ratios: increase of the rate itself, 0.002 for 0.2 percentage points; the
 *     larger of both counts
 */
public record Floors(
    double meanOverall,
    double meanStratum,
    double minimumShift,
    List<Double> countOverall,
    List<Double> countStratum,
    double absoluteRate) {
  /** Checks ranges. */
  public Floors {
    countOverall = List.copyOf(countOverall);
    countStratum = List.copyOf(countStratum);
    requireNotNegative("meanOverall", meanOverall);
    requireNotNegative("meanStratum", meanStratum);
    requireNotNegative("minimumShift", minimumShift);
    requireNotNegative("absoluteRate", absoluteRate);
    countOverall.forEach(floor -> requireNotNegative("countOverall", floor));
    countStratum.forEach(floor -> requireNotNegative("countStratum", floor));
    if (countOverall.size() != countStratum.size()) {
      throw new IllegalArgumentException(
          "floors: "
              + countOverall.size()
              + " levels overall and "
              + countStratum.size()
              + " in strata, must be the same number");
    }
  }

  private static void requireNotNegative(String name, double value) {
    if (!(value >= 0 && Double.isFinite(value))) {
      throw new IllegalArgumentException(name + "=" + value + ": must be finite and at least 0");
    }
  }

  /** With another smallest shift in the unit of the metric. */
  public Floors withMinimumShift(double shift) {
    return new Floors(meanOverall, meanStratum, shift, countOverall, countStratum, absoluteRate);
  }

  double mean(Track track) {
    return track.kind() == Track.Kind.MEAN && track.overall() ? meanOverall : meanStratum;
  }

  double count(Track track) {
    return track.kind() == Track.Kind.COUNT && track.overall()
        ? countOverall.get(track.level())
        : countStratum.get(track.level());
  }
}

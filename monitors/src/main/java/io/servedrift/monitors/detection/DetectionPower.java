package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.TrackCalibration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What would be seen, and how soon: the smallest shift of each track that reaches a level within a
 * time, at the traffic of the baseline (STATISTICS B.5). An expectation, not a guarantee: half of
 * the shifts of that size take longer.
 */
public final class DetectionPower {
  private static final double SECONDS_PER_MINUTE = 60;
  private static final double MICROS_PER_MINUTE = 60_000_000;
  private static final double TOKEN_DEPTH = 5;
  private static final double TOKENS_PER_MINUTE = 1;

  private final Baseline baseline;
  private final double levelNats;
  private final MixtureWeights weights;

  /** In what unit a shift is. */
  public enum Unit {
    /** Difference of means, in the unit of the metric (of its logarithm for durations). */
    DIFFERENCE,
    /** Count over the expected count, or odds over the expected odds. */
    FACTOR,
    /** Rate of failures. */
    RATE
  }

  /**
   * Smallest shift of a track.
   *
   * @param shift size; infinite when nothing could be seen in that time
   */
  public record Visible(TrackCalibration track, double shift, Unit unit) {}

  /**
   * For a family and a level.
   *
   * @param levelMinutes M to be reached, in minutes; above 0
   */
  public DetectionPower(Baseline baseline, double levelMinutes) {
    this.baseline = baseline;
    double paneMinutes = baseline.paneMicros() / MICROS_PER_MINUTE;
    levelNats = StrictMath.log(levelMinutes / paneMinutes);
    weights = new MixtureWeights(baseline);
  }

  /** Evidence one component of a track needs for the family to reach the level, in nats. */
  public double natsNeeded(TrackCalibration track) {
    return levelNats - StrictMath.log(weights.of(track));
  }

  /** Smallest shift of every track within a time, in the order of the tracks. */
  public List<Visible> smallestShifts(Duration within) {
    List<Visible> found = new ArrayList<>();
    for (TrackCalibration track : baseline.tracks()) {
      found.add(smallestShift(track, within));
    }
    return found;
  }

  /** Smallest shift of one track within a time. */
  public Visible smallestShift(TrackCalibration track, Duration within) {
    double minutes = within.toSeconds() / SECONDS_PER_MINUTE;
    double part = minutes / track.referenceMinutes();
    boolean inTime = natsNeeded(track) <= TOKEN_DEPTH + TOKENS_PER_MINUTE * minutes;
    double smallest = Double.POSITIVE_INFINITY;
    for (int component = 0; inTime && component < track.components(); component++) {
      smallest = Math.min(smallest, smallest(track, component, part));
    }
    return new Visible(track, smallest, unit(track));
  }

  private static Unit unit(TrackCalibration track) {
    if (track.track().kind().gaussian()) {
      return Unit.DIFFERENCE;
    }
    return track.ratio() ? Unit.RATE : Unit.FACTOR;
  }

  private double smallest(TrackCalibration track, int component, double part) {
    double inflation = track.inflation() * track.replayFactors().get(component);
    double bet = track.bet(component);
    double nats = natsNeeded(track);
    double expected = track.referencePrecision() * part;
    return switch (track.track().kind()) {
      case MEAN, CONTRAST -> {
        double updates = track.referenceUpdates() * part;
        double z = Math.sqrt(inflation) * (nats / updates + bet * bet / 2) / bet;
        double deviation = Math.sqrt(track.referenceUpdates() / track.referencePrecision());
        yield (z + track.uncertainty()) * deviation + track.floor();
      }
      case COUNT -> {
        double n = baseline.table().n(track.track().stratum(), track.track().trafficClass()) * part;
        double count =
            (nats * inflation + (bet - 1) * track.normalCount(expected, n)) / StrictMath.log(bet);
        yield track.ratio() ? rate(count / n) : count / expected;
      }
      case SHARE -> {
        double other = track.otherExpected() * part;
        double normal = track.normalShare(expected / (expected + other));
        double perEvent = StrictMath.log(1 + normal * (bet - 1));
        double gain = StrictMath.log(bet) - perEvent;
        yield gain > 0
            ? (nats * inflation + other * perEvent) / (expected * gain)
            : Double.POSITIVE_INFINITY;
      }
    };
  }

  private static double rate(double rate) {
    return rate <= 1 ? rate : Double.POSITIVE_INFINITY;
  }
}

package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.EvidencePath;
import io.servedrift.monitors.baseline.Observation;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.baseline.TrackFeed;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a shift is gone: the roles of the test swapped. What is called normal is now "the track
 * is still off by {@code margin} or more"; at M &gt;= {@link #CLEAR} that is given up. Not
 * thread-safe.
 */
public final class Recovery {
  /** M, in panes, from which the shift counts as gone. */
  public static final double CLEAR = 1e3;

  private static final double MICROS_PER_MINUTE = 60_000_000;

  private final double paneMinutes;
  private final TrackCalibration track;
  private final TrackFeed feed;
  private final int sign;
  private final double margin;
  private final List<EvidencePath> paths = new ArrayList<>();

  /**
   * Watches for the end of a shift.
   *
   * @param track one of {@link Baseline#tracks}
   * @param sign direction of the shift, +1 or -1; only means have -1
   * @param margin means: in the unit of the metric; counts and shares: relative increase; ratios:
   *     increase of the rate. Half of the shift is a good choice; a margin near 0 would never end.
   */
  public Recovery(Baseline baseline, TrackCalibration track, int sign, double margin) {
    int at = baseline.tracks().indexOf(track);
    if (at < 0) {
      throw new IllegalArgumentException(track.track() + ": is no track of " + baseline);
    }
    if (!(margin > 0)) {
      throw new IllegalArgumentException("margin=" + margin + ": must be above 0");
    }
    this.track = track;
    this.sign = sign;
    this.margin = margin;
    feed = baseline.newFeeds().get(at);
    paneMinutes = baseline.paneMicros() / MICROS_PER_MINUTE;
    for (int bet = 0; bet < track.components(); bet++) {
      if (track.sign(bet) > 0) {
        paths.add(new EvidencePath());
      }
    }
  }

  /**
   * Takes the next pane.
   *
   * @return whether the shift is gone
   */
  public boolean next(PaneCounts pane) {
    Observation seen = feed.next(pane);
    double total = 0;
    for (int bet = 0; bet < paths.size(); bet++) {
      EvidencePath path = paths.get(bet);
      path.pass(paneMinutes);
      if (seen != null) {
        path.step(logFactor(seen, bet));
      }
      total += path.statistic();
    }
    return total / paths.size() >= CLEAR;
  }

  private double logFactor(Observation seen, int component) {
    double bet = track.bet(component);
    double inflation = track.inflation();
    return switch (track.track().kind()) {
      case MEAN, CONTRAST -> {
        double deviation = Math.sqrt(track.variance(seen));
        double z = margin / deviation - sign * track.standardised(seen) - track.uncertainty();
        yield bet / Math.sqrt(inflation) * z - bet * bet / 2;
      }
      case COUNT ->
          (-seen.observed() * StrictMath.log(bet) + (1 - 1 / bet) * shifted(seen)) / inflation;
      case SHARE -> {
        double odds = seen.expected() / (1 - Math.min(seen.expected(), 1 - 1e-9)) * (1 + margin);
        double other = 1 / (1 + odds / track.uncertainty());
        yield ((seen.size() - seen.observed()) * StrictMath.log(bet)
                - seen.size() * StrictMath.log(1 + other * (bet - 1)))
            / inflation;
      }
    };
  }

  /** Count that is expected if the shift lasts. */
  private double shifted(Observation seen) {
    return track.ratio()
        ? seen.expected() + margin * seen.size()
        : seen.expected() * (1 + margin) / track.uncertainty();
  }

  /** Writes the state, for a checkpoint. */
  public void write(Content.Writer out) {
    feed.write(out);
    paths.forEach(path -> path.write(out));
  }

  /** Reads what {@link #write} wrote. */
  public void read(Content.Reader in) {
    feed.read(in);
    paths.forEach(path -> path.read(in));
  }
}

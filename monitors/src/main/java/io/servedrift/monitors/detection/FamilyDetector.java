package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.EvidencePath;
import io.servedrift.monitors.baseline.LoadCuts;
import io.servedrift.monitors.baseline.Observation;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.baseline.TrackFeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Looks at every pane of one family (configuration, metric, statistic) for as long as it lives. The
 * family's M is the average over its components (by {@link MixtureWeights}) of Shiryaev-Roberts
 * e-detectors, which is an e-detector again: while nothing shifts, the expected time to M at least
 * A is at least A panes (Shin, Ramdas and Rinaldo 2023, arXiv:2203.03532), however often one looks.
 *
 * <p>The state is a function of the baseline and the sequence of panes; a pane that never came
 * changes nothing. Not thread-safe.
 */
public final class FamilyDetector {
  private static final double MICROS_PER_MINUTE = 60_000_000;
  private static final long NEVER = Long.MIN_VALUE;

  private final Baseline baseline;
  private final List<Tracked> tracks = new ArrayList<>();
  private long lastStartMicros = NEVER;

  /** A track with its state. */
  private static final class Tracked {
    final TrackCalibration calibration;
    final TrackFeed feed;
    final List<EvidencePath> paths = new ArrayList<>();
    final long[] lastQuietMicros;
    final History history = new History();
    final double weight;
    final double upWeight;
    final double downWeight;

    Tracked(TrackCalibration calibration, TrackFeed feed, MixtureWeights weights) {
      this.calibration = calibration;
      this.feed = feed;
      weight = weights.of(calibration);
      upWeight = weights.of(calibration, 1);
      downWeight = weights.of(calibration, -1);
      for (int component = 0; component < calibration.components(); component++) {
        paths.add(new EvidencePath());
      }
      lastQuietMicros = new long[calibration.components()];
      Arrays.fill(lastQuietMicros, NEVER);
    }

    /** Its part of the family's M. */
    double part() {
      double total = 0;
      for (EvidencePath path : paths) {
        total += path.statistic();
      }
      return total * weight;
    }

    /** Its part of the M of one direction. */
    double part(int sign) {
      double total = 0;
      for (int component = 0; component < paths.size(); component++) {
        total += calibration.sign(component) == sign ? paths.get(component).statistic() : 0;
      }
      return total * (sign > 0 ? upWeight : downWeight);
    }

    /** The component with the most evidence, the first of equals. */
    int strongest() {
      int best = 0;
      for (int component = 1; component < paths.size(); component++) {
        if (paths.get(component).statistic() > paths.get(best).statistic()) {
          best = component;
        }
      }
      return best;
    }
  }

  /**
   * What the family says after a pane.
   *
   * @param startMicros start of the pane
   * @param statistic M, the average over the components
   * @param outOfSupport whether the load is beyond what the baseline saw, so that what follows the
   *     load was not judged
   */
  public record Reading(long startMicros, double statistic, boolean outOfSupport) {
    /** Natural logarithm of M. */
    public double logStatistic() {
      return StrictMath.log(Math.max(statistic, 1e-300));
    }
  }

  /**
   * A track by its share of the evidence.
   *
   * @param calibration the track and how it behaves
   * @param statistic M of its strongest component
   * @param share of the family's evidence, 0 to 1
   * @param sign +1 for more, -1 for less
   * @param bet of the strongest component
   */
  public record Evidence(
      TrackCalibration calibration, double statistic, double share, int sign, double bet) {}

  /** Starts without evidence. */
  public FamilyDetector(Baseline baseline) {
    this.baseline = baseline;
    MixtureWeights weights = new MixtureWeights(baseline);
    List<TrackFeed> feeds = baseline.newFeeds();
    for (int i = 0; i < feeds.size(); i++) {
      tracks.add(new Tracked(baseline.tracks().get(i), feeds.get(i), weights));
    }
  }

  /** What it compares with. */
  public Baseline baseline() {
    return baseline;
  }

  /**
   * Takes a pane without weighing it: only what means gather over several panes goes on. For the
   * panes between the reference and the first judged one.
   */
  public void absorb(PaneCounts pane) {
    advance(pane);
    for (Tracked track : tracks) {
      track.feed.next(pane);
    }
  }

  /**
   * Takes the next pane.
   *
   * @throws IllegalArgumentException when it does not start after the pane before
   */
  public Reading next(PaneCounts pane) {
    double minutes = advance(pane);
    for (Tracked track : tracks) {
      Observation seen = track.feed.next(pane);
      for (EvidencePath path : track.paths) {
        path.pass(minutes);
      }
      if (seen == null) {
        continue;
      }
      track.history.add(pane.startMicros(), track.calibration, seen);
      for (int component = 0; component < track.paths.size(); component++) {
        double statistic =
            track.paths.get(component).step(track.calibration.logFactor(seen, component));
        if (statistic <= 1) {
          track.lastQuietMicros[component] = pane.startMicros();
        }
      }
    }
    return new Reading(
        pane.startMicros(),
        statistic(),
        baseline.table().cuts().bucketOf(pane.load()) == LoadCuts.OUT_OF_SUPPORT);
  }

  private double advance(PaneCounts pane) {
    if (lastStartMicros != NEVER && pane.startMicros() <= lastStartMicros) {
      throw new IllegalArgumentException(
          pane + ": must start after the pane before, " + lastStartMicros);
    }
    double minutes =
        (lastStartMicros == NEVER ? baseline.paneMicros() : pane.startMicros() - lastStartMicros)
            / MICROS_PER_MINUTE;
    lastStartMicros = pane.startMicros();
    return minutes;
  }

  /** M: the average over the components. */
  public double statistic() {
    double total = 0;
    for (Tracked track : tracks) {
      total += track.part();
    }
    return total;
  }

  /**
   * M of one direction: the average over the components that watch for more, or for less. An
   * e-detector of its own: where one direction pages and the other is merely worth knowing, as with
   * the mean of a latency, each is held against its own level.
   *
   * @param sign +1 or -1
   * @return 0 when no component watches in this direction
   */
  public double statistic(int sign) {
    double total = 0;
    for (Tracked track : tracks) {
      total += track.part(sign);
    }
    return total;
  }

  /** Forgets the evidence, after an alarm or a promotion; what means have gathered stays. */
  public void restart() {
    for (Tracked track : tracks) {
      track.paths.forEach(EvidencePath::restart);
    }
  }

  /** The tracks with the most evidence, most first: where to look before attribution. */
  public List<Evidence> top(int most) {
    double total = statistic();
    List<Evidence> found = new ArrayList<>();
    for (Tracked track : tracks) {
      int strongest = track.strongest();
      found.add(
          new Evidence(
              track.calibration,
              track.paths.get(strongest).statistic(),
              total > 0 ? track.part() / total : 0,
              track.calibration.sign(strongest),
              track.calibration.bet(strongest)));
    }
    found.sort(Comparator.comparingDouble(Evidence::share).reversed());
    return List.copyOf(found.subList(0, Math.min(most, found.size())));
  }

  /**
   * When the shift of a track began, and how large it is since.
   *
   * @param track one of {@link Baseline#tracks}
   * @return nothing known below two observations
   */
  public Optional<Shift> shift(TrackCalibration track) {
    for (Tracked candidate : tracks) {
      if (candidate.calibration.equals(track)) {
        return candidate.history.shift(track, candidate.lastQuietMicros[candidate.strongest()]);
      }
    }
    throw new IllegalArgumentException(track.track() + ": is no track of this baseline");
  }

  /** Writes the state, for a checkpoint. Equal states give equal bytes. */
  public byte[] encodeState() {
    Content.Writer out = new Content.Writer();
    out.text(baseline.id());
    out.whole(lastStartMicros);
    for (Tracked track : tracks) {
      track.feed.write(out);
      track.paths.forEach(path -> path.write(out));
      for (long quiet : track.lastQuietMicros) {
        out.whole(quiet);
      }
      track.history.write(out);
    }
    return out.bytes();
  }

  /**
   * Goes on from {@link #encodeState}.
   *
   * @throws IllegalArgumentException when the state belongs to another baseline
   */
  public static FamilyDetector decodeState(Baseline baseline, byte[] state) {
    Content.Reader in = new Content.Reader(state);
    String id = in.text();
    if (!id.equals(baseline.id())) {
      throw new IllegalArgumentException(
          "detector state of baseline " + id + ": must be of baseline " + baseline.id());
    }
    FamilyDetector detector = new FamilyDetector(baseline);
    detector.lastStartMicros = in.whole();
    for (Tracked track : detector.tracks) {
      track.feed.read(in);
      track.paths.forEach(path -> path.read(in));
      for (int component = 0; component < track.lastQuietMicros.length; component++) {
        track.lastQuietMicros[component] = in.whole();
      }
      track.history.read(in);
    }
    in.end();
    return detector;
  }
}

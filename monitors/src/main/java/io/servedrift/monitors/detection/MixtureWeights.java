package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.TrackCalibration;
import java.util.List;

/**
 * What each component counts in a family's average. Weights are at least 0 and sum to 1, so the
 * average of e-detectors stays an e-detector at the same level.
 *
 * <p>Components of all traffic share {@value #WHOLE}, those of single classes and nodes the rest:
 * with equal weights the many slices would take most of it, and what moves everywhere would need
 * more evidence the more classes there are. Immutable.
 */
final class MixtureWeights {
  private static final double WHOLE = .9;
  private static final int BOTH_SIGNS = 0;

  private final List<TrackCalibration> tracks;

  MixtureWeights(Baseline baseline) {
    tracks = baseline.tracks();
  }

  /** Weight of a component in the average over all. */
  double of(TrackCalibration track) {
    return of(track, BOTH_SIGNS);
  }

  /**
   * Weight of a component in the average over those that watch in one direction.
   *
   * @param sign +1 or -1, the direction of the component
   */
  double of(TrackCalibration track, int sign) {
    int mine = components(isSlice(track), sign);
    int others = components(!isSlice(track), sign);
    double share = others == 0 ? 1 : isSlice(track) ? 1 - WHOLE : WHOLE;
    return mine == 0 ? 0 : share / mine;
  }

  private int components(boolean slices, int sign) {
    int number = 0;
    for (TrackCalibration track : tracks) {
      for (int component = 0;
          isSlice(track) == slices && component < track.components();
          component++) {
        number += sign == BOTH_SIGNS || track.sign(component) == sign ? 1 : 0;
      }
    }
    return number;
  }

  private static boolean isSlice(TrackCalibration track) {
    return track.track().slice() != null;
  }
}

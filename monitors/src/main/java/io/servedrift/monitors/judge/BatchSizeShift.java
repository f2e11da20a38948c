package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Whether requests moved in batches of one size only. A young baseline has seen the large batches
 * of its bursts; a load that rises later fills the same size with others, and how long those take
 * it cannot know.
 */
final class BatchSizeShift {
  private static final Set<Stratum> BATCHES =
      EnumSet.of(Stratum.BATCH_1, Stratum.BATCH_2_3, Stratum.BATCH_4_7, Stratum.BATCH_8_UP);

  private BatchSizeShift() {}

  /**
   * Whether a track is about batches of a size, and all requests did not surely move with it,
   * beyond the quantile that the track is about or a higher one: what is slow in one size only may
   * lie beyond the p50 of all requests in any case, and shows further out.
   *
   * @param window since the onset
   * @param sign up (1) or down (-1)
   */
  static boolean only(Baseline baseline, Track track, List<PaneCounts> window, int sign) {
    if (!BATCHES.contains(track.stratum())) {
      return false;
    }
    int own = Math.max(0, track.level());
    int levels = Math.max(1, baseline.spec().tails().size());
    for (int level = own; level < levels; level++) {
      Effect all = Effect.of(baseline, level, window);
      if (sign > 0 ? all.lower() > 0 : all.upper() < 0) {
        return false;
      }
    }
    return true;
  }
}

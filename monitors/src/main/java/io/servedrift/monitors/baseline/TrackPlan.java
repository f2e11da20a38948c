package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.FamilySpec.Scope;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import java.util.ArrayList;
import java.util.List;

/**
 * Which tracks a family asks for; {@link BaselineFit} keeps those that the reference supports. A
 * function of its arguments.
 */
final class TrackPlan {
  private static final List<Stratum> WITH_OWN_TRACK =
      List.of(
          Stratum.ALL,
          Stratum.HIT,
          Stratum.MISS,
          Stratum.BATCH_1,
          Stratum.BATCH_2_3,
          Stratum.BATCH_4_7,
          Stratum.BATCH_8_UP,
          Stratum.PREEMPTED);

  private final FamilySpec spec;
  private final TrafficClasses classes;
  private final List<String> nodes;
  private final List<Track> tracks = new ArrayList<>();

  TrackPlan(FamilySpec spec, TrafficClasses classes, List<String> nodes) {
    this.spec = spec;
    this.classes = classes;
    this.nodes = nodes;
  }

  /** The tracks, in a fixed order: all traffic before its parts. */
  List<Track> tracks() {
    tracks.clear();
    if (spec.statistic() == Statistic.MEAN) {
      addMeans();
    } else {
      addCounts();
    }
    return List.copyOf(tracks);
  }

  /**
   * Strata and contrasts, each class for itself, each node against the others; and where there is
   * no past to compare with, each contrast within each class as well, for classes differ in how
   * often they are hit.
   */
  private void addMeans() {
    strata().forEach(stratum -> tracks.add(Track.mean(stratum)));
    contrasts().forEach(contrast -> tracks.add(Track.contrast(contrast)));
    List<Slice> slices = classSlices();
    slices.forEach(slice -> tracks.add(Track.mean(Stratum.ALL).in(slice)));
    if (spec.scope() == Scope.PREDECESSOR) {
      for (Slice slice : slices) {
        contrasts().forEach(contrast -> tracks.add(Track.contrast(contrast).in(slice)));
      }
    }
    for (int node = 0; nodes.size() > 1 && node < nodes.size(); node++) {
      tracks.add(Track.node(new Slice(Slice.Axis.NODE, node, nodes.get(node))));
    }
  }

  private void addCounts() {
    for (int level = 0; level < spec.tails().size(); level++) {
      for (Stratum stratum : strata()) {
        tracks.add(Track.count(level, stratum));
      }
      for (Slice slice : classSlices()) {
        tracks.add(Track.count(level, Stratum.ALL).in(slice));
      }
    }
    for (int level = 0; level < spec.tails().size(); level++) {
      for (Contrast contrast : contrasts()) {
        // Everything else is cut at other thresholds than the subject and cannot be split by it.
        if (!contrast.others().isEmpty()) {
          tracks.add(Track.share(level, contrast));
        }
      }
    }
  }

  /**
   * The largest classes; a single one is all traffic. A duration against a predecessor follows the
   * load in every class, and all of them say the same.
   */
  private List<Slice> classSlices() {
    boolean useful =
        switch (spec.scope()) {
          case ADJUSTED -> true;
          case MARGINAL -> false;
          case PREDECESSOR -> !spec.logarithmic();
        };
    List<Slice> slices = new ArrayList<>();
    if (useful && classes.size() > 1) {
      for (int g = 0; g < Math.min(spec.mostSlices(), classes.size()); g++) {
        slices.add(new Slice(Slice.Axis.TRAFFIC_CLASS, g, classes.name(g)));
      }
    }
    return slices;
  }

  private List<Stratum> strata() {
    return switch (spec.scope()) {
      case ADJUSTED -> WITH_OWN_TRACK;
      case MARGINAL -> List.of(Stratum.ALL);
      case PREDECESSOR -> List.of(Stratum.ALL, Stratum.MISS, Stratum.BATCH_1, Stratum.BATCH_2_3);
    };
  }

  private List<Contrast> contrasts() {
    return switch (spec.scope()) {
      case ADJUSTED ->
          List.of(Contrast.HIT_VS_MISS, Contrast.LARGE_VS_SMALL_BATCH, Contrast.PREEMPTED_VS_NOT);
      case MARGINAL -> List.of();
      case PREDECESSOR ->
          List.of(
              Contrast.HIT_VS_MISS,
              Contrast.LARGE_VS_SMALL_BATCH,
              Contrast.HIT_IN_LARGE_BATCH_VS_REST);
    };
  }
}

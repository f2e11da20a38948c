package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MixtureWeightsTest {
  private static final SimulatedSeries SERIES =
      SimulatedSeries.clip(ReferenceTraffic.of(11, 2, Regime.REAL, 20));
  private static final int REFERENCE = 2880;

  /** Weight of all components of whole traffic, or of slices; sign 0 is both directions. */
  private static double sum(Baseline baseline, boolean slices, int sign) {
    MixtureWeights weights = new MixtureWeights(baseline);
    double sum = 0;
    for (TrackCalibration track : baseline.tracks()) {
      for (int component = 0; component < track.components(); component++) {
        if ((track.track().slice() != null) == slices
            && (sign == 0 || track.sign(component) == sign)) {
          sum += sign == 0 ? weights.of(track) : weights.of(track, sign);
        }
      }
    }
    return sum;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, -1})
  void leavesNineTenthsToAllTraffic_howeverManySlicesThereAre(int sign) {
    for (int slices : new int[] {1, FamilySpec.MOST_SLICES}) {
      Baseline baseline = SERIES.baseline(FamilySpec.scoreMean().slicedInto(slices), REFERENCE);
      assertThat(sum(baseline, false, sign)).isCloseTo(.9, within(1e-12));
      assertThat(sum(baseline, true, sign)).isCloseTo(.1, within(1e-12));
    }
  }

  @Test
  void weighsAllAlike_whenThereAreNoSlices() {
    Baseline baseline = SERIES.baseline(FamilySpec.scoreMean(), REFERENCE);
    MixtureWeights weights = new MixtureWeights(baseline);
    int components = baseline.tracks().stream().mapToInt(TrackCalibration::components).sum();
    assertThat(baseline.tracks())
        .allSatisfy(
            track -> assertThat(weights.of(track)).isCloseTo(1.0 / components, within(1e-15)));
  }
}

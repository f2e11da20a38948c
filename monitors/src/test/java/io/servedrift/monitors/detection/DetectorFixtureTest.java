package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineFit;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.Observation;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Thresholds;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.baseline.TrackFeed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** The formulas against values of an independent implementation, on the same requests. */
class DetectorFixtureTest {
  private static final double RELATIVE = 1e-6;
  private static final double RESTART_AT = 1e4;

  private static final Family CLIP =
      new Family(
          FamilySpec.scoreMean(),
          SimulatedTraffic.clipThresholds(),
          SimulatedTraffic.Request::clip,
          SimulatedTraffic.EXPECTED.get("clip"));
  private static final Family LATENCY =
      new Family(
          FamilySpec.durationTail(),
          SimulatedTraffic.latencyThresholds(),
          SimulatedTraffic.Request::latency,
          SimulatedTraffic.EXPECTED.get("latency"));

  private static final class Family {
    final List<PaneCounts> reference;
    final List<PaneCounts> judged;
    final Baseline baseline;
    final JsonNode expected;

    Family(
        FamilySpec spec,
        Thresholds thresholds,
        ToDoubleFunction<SimulatedTraffic.Request> value,
        JsonNode expected) {
      List<PaneCounts> all = SimulatedTraffic.panes(spec, thresholds, value);
      int cut = SimulatedTraffic.referenceMinutes();
      reference = all.subList(0, cut);
      judged = all.subList(cut, all.size());
      baseline =
          BaselineFit.fit(
              spec, SimulatedTraffic.CLASSES, thresholds, reference, SimulatedTraffic.PANE_MICROS);
      this.expected = expected;
    }

    FamilyDetector detector() {
      FamilyDetector detector = new FamilyDetector(baseline);
      reference.forEach(detector::absorb);
      return detector;
    }
  }

  private static void check(String what, double actual, double right) {
    assertThat(actual).as(what).isCloseTo(right, within(RELATIVE * Math.abs(right)));
  }

  /** Name of a track in the fixture. */
  private static String name(Track track) {
    String[] names = {"all", "hit", "miss", "b1", "b2-3", "b4-7", "b8+", "pre"};
    String stratum = names[track.stratum().index()];
    return switch (track.kind()) {
      case MEAN, COUNT -> stratum;
      case CONTRAST -> stratum + " contrast";
      case SHARE -> stratum + " share";
    };
  }

  @Test
  void findsLoadBuckets_ofTheFirstMinutes() {
    JsonNode right = SimulatedTraffic.EXPECTED.get("load_bucket_first20_monitored");
    for (int i = 0; i < right.size(); i++) {
      assertThat(CLIP.baseline.table().cuts().bucketOf(CLIP.judged.get(i).load()))
          .isEqualTo(right.get(i).intValue());
    }
    long outside =
        CLIP.judged.stream()
            .filter(pane -> CLIP.baseline.table().cuts().bucketOf(pane.load()) < 0)
            .count();
    assertThat(outside)
        .isEqualTo(SimulatedTraffic.EXPECTED.get("out_of_support_minutes").longValue());
  }

  @Test
  void addsUpTheReference_byStratum() {
    // The fixtures know the strata but for hits in large batches, which come last.
    for (Stratum stratum : Stratum.all().subList(0, Stratum.HIT_BATCH_8_UP.index())) {
      int s = stratum.index();
      assertThat(CLIP.baseline.table().n(stratum))
          .isEqualTo(CLIP.expected.get("n_ref").get(s).doubleValue());
      check(
          "sum of " + stratum,
          CLIP.baseline.table().sum(stratum),
          CLIP.expected.get("sumS_ref").get(s).doubleValue());
      for (int level = 0; level < LATENCY.baseline.table().levels(); level++) {
        assertThat(LATENCY.baseline.table().exceedances(level, stratum))
            .isEqualTo(LATENCY.expected.get("K_ref").get(level).get(s).doubleValue());
      }
    }
  }

  private static int components(Baseline baseline) {
    return baseline.tracks().stream().mapToInt(TrackCalibration::components).sum();
  }

  @Test
  void estimatesPaneVarianceAndInflation_ofMeansAndContrasts() {
    JsonNode right = CLIP.expected.get("tau_kappa");
    assertThat(CLIP.baseline.tracks()).hasSize(right.size());
    for (int i = 0; i < right.size(); i++) {
      TrackCalibration track = CLIP.baseline.tracks().get(i);
      String name = right.get(i).get(0).textValue();
      assertThat(name(track.track())).isEqualTo(name);
      check("tau " + name, Math.sqrt(track.paneVariance()), right.get(i).get(1).doubleValue());
      check("kappa " + name, track.inflation(), right.get(i).get(2).doubleValue());
    }
    assertThat(components(CLIP.baseline)).isEqualTo(CLIP.expected.get("components").intValue());
  }

  @Test
  void estimatesInflation_ofCountsAndShares() {
    JsonNode right = LATENCY.expected.get("phi");
    assertThat(LATENCY.baseline.tracks()).hasSize(right.size());
    for (int i = 0; i < right.size(); i++) {
      TrackCalibration track = LATENCY.baseline.tracks().get(i);
      String name = right.get(i).get(1).textValue();
      double quantile = right.get(i).get(0).doubleValue();
      assertThat(name(track.track())).isEqualTo(name);
      assertThat(1 - LATENCY.baseline.table().tail(track.track().level())).isEqualTo(quantile);
      check("phi " + quantile + " " + name, track.inflation(), right.get(i).get(2).doubleValue());
    }
    assertThat(components(LATENCY.baseline))
        .isEqualTo(LATENCY.expected.get("components").intValue());
  }

  @Test
  void gathersPanes_untilAMeanHasEnoughValues() {
    List<TrackFeed> feeds = CLIP.baseline.newFeeds();
    TrackCalibration overall = CLIP.baseline.tracks().get(0);
    CLIP.reference.forEach(feeds.get(0)::next);
    JsonNode right = CLIP.expected.get("first_component_l");
    for (int i = 0; i < right.size(); i++) {
      Observation seen = feeds.get(0).next(CLIP.judged.get(i));
      if (right.get(i).isNull()) {
        assertThat(seen).as("pane %s", i).isNull();
      } else {
        assertThat(seen).as("pane %s", i).isNotNull();
        check("pane " + i, overall.logFactor(seen, 0), right.get(i).doubleValue());
      }
    }
  }

  @Test
  void followsTheEvidence_hourByHour() {
    checkEvidence(CLIP);
    checkEvidence(LATENCY);
  }

  private static void checkEvidence(Family family) {
    FamilyDetector detector = family.detector();
    JsonNode right = family.expected.get("logM_every_60");
    List<Integer> alarms = new ArrayList<>();
    for (int minute = 0; minute < family.judged.size(); minute++) {
      FamilyDetector.Reading reading = detector.next(family.judged.get(minute));
      if (minute % 60 == 59) {
        check("log M at " + minute, reading.logStatistic(), right.get(minute / 60).doubleValue());
      }
      if (reading.statistic() >= RESTART_AT) {
        alarms.add(minute);
        detector.restart();
      }
    }
    List<Integer> rightAlarms = new ArrayList<>();
    family.expected.get("alarms_at_1e4").forEach(minute -> rightAlarms.add(minute.intValue()));
    assertThat(alarms).isEqualTo(rightAlarms);
  }
}

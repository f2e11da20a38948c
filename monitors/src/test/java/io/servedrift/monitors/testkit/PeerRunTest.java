package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PeerRunTest {
  private static final int SERIES = 3;

  /**
   * Alarms per series and 30 days on traffic in which nothing goes wrong, as measured on the
   * original generator with 100 series. Scores: KS 98, Wasserstein 89, PSI 0, ADWIN 24,
   * Page-Hinkley on z-scores 651; log latencies: 104, 101, 7.3, 134, 856. The ranges allow for
   * three series that differ by half their mean.
   */
  @Test
  void alarmsAsOftenAsKnown_whenNothingGoesWrong() {
    Map<Peer, Integer> scores = new EnumMap<>(Peer.class);
    Map<Peer, Integer> latencies = new EnumMap<>(Peer.class);
    for (int seed = 0; seed < SERIES; seed++) {
      ReferenceTraffic traffic = ReferenceTraffic.of(40 + seed, 37, Regime.REAL, 20);
      PeerRun ofScores = new PeerRun(ReferenceTraffic.REFERENCE_MINUTES, seed);
      PeerRun ofLatencies = new PeerRun(ReferenceTraffic.REFERENCE_MINUTES, seed);
      traffic.forEachMinute(
          m -> {
            for (int i = 0; i < m.size(); i++) {
              ofScores.add(m.index(), m.clip(i));
              ofLatencies.add(m.index(), m.logLatency(i));
            }
          });
      ofScores.closeHoursBefore(traffic.minutes());
      ofLatencies.closeHoursBefore(traffic.minutes());
      for (Peer peer : Peer.values()) {
        scores.merge(peer, ofScores.alarms(peer).size(), Integer::sum);
        latencies.merge(peer, ofLatencies.alarms(peer).size(), Integer::sum);
      }
    }
    assertThat(scores.get(Peer.KS)).isBetween(SERIES * 65, SERIES * 135);
    assertThat(scores.get(Peer.WASSERSTEIN)).isBetween(SERIES * 50, SERIES * 130);
    assertThat(scores.get(Peer.PSI)).isLessThan(SERIES);
    assertThat(scores.get(Peer.ADWIN)).isBetween(SERIES * 12, SERIES * 40);
    assertThat(scores.get(Peer.PAGE_HINKLEY)).isBetween(SERIES * 450, SERIES * 850);
    assertThat(latencies.get(Peer.KS)).isBetween(SERIES * 65, SERIES * 140);
    assertThat(latencies.get(Peer.WASSERSTEIN)).isBetween(SERIES * 60, SERIES * 140);
    assertThat(latencies.get(Peer.PSI)).isLessThan(SERIES * 30);
    assertThat(latencies.get(Peer.ADWIN)).isBetween(SERIES * 75, SERIES * 200);
    assertThat(latencies.get(Peer.PAGE_HINKLEY)).isBetween(SERIES * 600, SERIES * 1_150);
  }

  @Test
  void namesTheFirstHourOfTheShift_whenAllValuesMove() {
    PeerRun run = new PeerRun(24 * 60, 1);
    SplittableRandom random = new SplittableRandom(2);
    int shift = 30 * 60;
    for (int minute = 0; minute < 40 * 60; minute++) {
      for (int i = 0; i < 5; i++) {
        run.add(minute, random.nextGaussian() + (minute >= shift ? 2 : 0));
      }
    }
    run.closeHoursBefore(40 * 60);
    assertThat(run.alarms(Peer.WASSERSTEIN)).last().isEqualTo(shift + 60);
    assertThat(run.alarms(Peer.PSI)).containsExactly(shift + 60);
    assertThat(run.alarms(Peer.KS)).last().isEqualTo(shift + 60);
    assertThat(run.alarms(Peer.ADWIN)).hasSize(1).allMatch(at -> at >= shift && at < shift + 30);
  }

  @Test
  void skipsHours_whenTheyHoldFewValues() {
    PeerRun run = new PeerRun(24 * 60, 1);
    SplittableRandom random = new SplittableRandom(2);
    for (int minute = 0; minute < 24 * 60; minute++) {
      run.add(minute, random.nextGaussian());
    }
    for (int hour = 24; hour < 30; hour++) {
      for (int i = 0; i < 29; i++) {
        run.add(hour * 60 + i, 50);
      }
    }
    run.closeHoursBefore(30 * 60);
    assertThat(run.alarms(Peer.PSI)).isEmpty();
    for (int i = 0; i < 30; i++) {
      run.add(30 * 60 + i, 50);
    }
    run.closeHoursBefore(31 * 60);
    assertThat(run.alarms(Peer.PSI)).containsExactly(31 * 60);
  }
}

package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.testkit.ReferenceTraffic.Minute;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToDoubleBiFunction;
import org.junit.jupiter.api.Test;

class PeerRunTest {
  private static final int SERIES = 4;

  /**
   * Alarms per series and 30 days on traffic in which nothing goes wrong, as measured on the
   * original generator with 100 series: KS 98, Wasserstein 89, PSI 0, ADWIN 24, Page-Hinkley on
   * z-scores 651. The ranges allow for four series that differ by half their mean.
   */
  @Test
  void alarmsAsOftenAsKnown_whenScoresAreQuiet() {
    Map<Peer, Double> rates = rates(Regime.REAL, Minute::clip);
    assertThat(rates.get(Peer.KS)).isBetween(70.0, 130.0);
    assertThat(rates.get(Peer.WASSERSTEIN)).isBetween(55.0, 125.0);
    assertThat(rates.get(Peer.PSI)).isLessThan(1);
    assertThat(rates.get(Peer.ADWIN)).isBetween(12.0, 40.0);
    assertThat(rates.get(Peer.PAGE_HINKLEY)).isBetween(450.0, 850.0);
  }

  /** Known: KS 104, Wasserstein 101, PSI 7.3, ADWIN 134, Page-Hinkley 856. */
  @Test
  void alarmsAsOftenAsKnown_whenLatenciesAreQuiet() {
    Map<Peer, Double> rates = rates(Regime.REAL, Minute::logLatency);
    assertThat(rates.get(Peer.KS)).isBetween(70.0, 135.0);
    assertThat(rates.get(Peer.WASSERSTEIN)).isBetween(65.0, 135.0);
    assertThat(rates.get(Peer.PSI)).isBetween(0.0, 30.0);
    assertThat(rates.get(Peer.ADWIN)).isBetween(80.0, 190.0);
    assertThat(rates.get(Peer.PAGE_HINKLEY)).isBetween(600.0, 1_150.0);
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

  private static Map<Peer, Double> rates(Regime regime, ToDoubleBiFunction<Minute, Integer> value) {
    Map<Peer, Double> rates = new EnumMap<>(Peer.class);
    for (int seed = 0; seed < SERIES; seed++) {
      ReferenceTraffic traffic = ReferenceTraffic.of(40 + seed, 37, regime, 20);
      PeerRun run = new PeerRun(ReferenceTraffic.REFERENCE_MINUTES, seed);
      traffic.forEachMinute(
          m -> {
            for (int i = 0; i < m.size(); i++) {
              run.add(m.index(), value.applyAsDouble(m, i));
            }
          });
      run.closeHoursBefore(traffic.minutes());
      for (Peer peer : Peer.values()) {
        rates.merge(peer, run.alarms(peer).size() / (double) SERIES, Double::sum);
      }
    }
    return rates;
  }
}

package io.servedrift.monitors.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LoadMeterTest {
  private static final long MINUTE = 60_000_000L;

  /** Minute and count in turn. */
  private static SortedMap<Long, Long> arrivals(long... minutesAndCounts) {
    SortedMap<Long, Long> arrivals = new TreeMap<>();
    for (int i = 0; i < minutesAndCounts.length; i += 2) {
      arrivals.put(minutesAndCounts[i] * MINUTE, minutesAndCounts[i + 1]);
    }
    return arrivals;
  }

  @Test
  void isTheMeanOverTheMinutesSeen_thenOverFifteen() {
    LoadMeter meter = new LoadMeter(MINUTE);
    assertThat(meter.observe(100 * MINUTE, arrivals(100, 30))).isEqualTo(30);
    assertThat(meter.observe(101 * MINUTE, arrivals(101, 60))).isEqualTo(45);
    // Two minutes without a pane: (30 + 60 + 30) / 5.
    assertThat(meter.observe(104 * MINUTE, arrivals(104, 30))).isEqualTo(24);
    // Minutes 100 to 114 are in the window: (30 + 60 + 30 + 30) / 15.
    assertThat(meter.observe(114 * MINUTE, arrivals(114, 30))).isEqualTo(10);
    // Minute 100 has left it: (60 + 30 + 30 + 30) / 15.
    assertThat(meter.observe(115 * MINUTE, arrivals(115, 30))).isEqualTo(10);
  }

  @Test
  void isTheSameFromCountsAndFromArrivals_whenRequestsAreFast() {
    SplittableRandom random = new SplittableRandom(7);
    LoadMeter counts = new LoadMeter(MINUTE);
    LoadMeter times = new LoadMeter(MINUTE);
    for (long minute = 0; minute < 100; minute++) {
      long n = 1L + random.nextInt(50);
      assertThat(times.observe(minute * MINUTE, arrivals(minute, n)))
          .isEqualTo(counts.observe(minute * MINUTE, (double) n));
    }
  }

  @Test
  void countsAPaneOfAnyLengthPerMinute() {
    LoadMeter meter = new LoadMeter(2_000_000);
    assertThat(meter.observe(0, arrivals(0, 4))).isEqualTo(120);
    assertThat(meter.observe(2_000_000, Collections.emptySortedMap())).isEqualTo(60);
  }

  @Test
  void endsWithTheMedianArrival() {
    LoadMeter meter = new LoadMeter(MINUTE);
    meter.observe(100 * MINUTE, arrivals(100, 10));
    meter.observe(101 * MINUTE, arrivals(101, 20));
    // 3 of 5 requests arrived by minute 101: (10 + 21) / 2, and minute 102 does not count.
    assertThat(meter.observe(102 * MINUTE, arrivals(98, 2, 101, 1, 102, 2))).isEqualTo(31 / 2.0);
    // Half of them by minute 102 is enough: (10 + 21 + 3) / 3.
    assertThat(meter.observe(103 * MINUTE, arrivals(102, 1, 103, 1))).isEqualTo(34 / 3.0);
    // No request at all: the pane itself is the end: (10 + 21 + 3 + 1 + 0) / 5.
    assertThat(meter.observe(104 * MINUTE, Collections.emptySortedMap())).isEqualTo(7);
  }

  @Test
  void staysAtTheArrivalRate_whenAQueueGrowsToTenMinutesAndServesLessThanArrives() {
    LoadMeter meter = new LoadMeter(MINUTE);
    LoadMeter completions = new LoadMeter(MINUTE);
    for (long minute = 0; minute < 30; minute++) {
      assertThat(meter.observe(minute * MINUTE, arrivals(minute, 60))).isEqualTo(60);
      completions.observe(minute * MINUTE, 60.0);
    }
    // 60 per minute go on arriving, 40 per minute are served in order: after 30 minutes the queue
    // is 10 minutes long.
    double least = 60;
    double most = 60;
    double byCompletions = 60;
    for (long served = 0, minute = 30; minute < 60; minute++) {
      SortedMap<Long, Long> arrived = new TreeMap<>();
      for (int i = 0; i < 40; i++) {
        arrived.merge((30 + served++ / 60) * MINUTE, 1L, Long::sum);
      }
      double load = meter.observe(minute * MINUTE, arrived);
      least = Math.min(least, load);
      most = Math.max(most, load);
      byCompletions = completions.observe(minute * MINUTE, 40.0);
    }
    // The last arrival pane is served in part: at most 40 of its 60 are missing of 15 x 60.
    assertThat(least).isBetween(60 - 40 / 15.0, 60.0);
    assertThat(most).isEqualTo(60);
    assertThat(byCompletions).isEqualTo(40);
  }

  @Test
  void isTheArrivalRateFromTheFirstPaneOn_whenItStartsBesideALongQueue() {
    LoadMeter meter = new LoadMeter(MINUTE);
    for (long minute = 100; minute < 140; minute++) {
      assertThat(meter.observe(minute * MINUTE, arrivals(minute - 10, 50))).isEqualTo(50);
    }
  }

  /**
   * The median arrival lies 6 panes back. Of what arrived k - 1 panes ago 1 - exp(-k/10) has
   * finished, so the mean over k = 7 to 21 is 1 - exp(-0.7) (1 - exp(-1.5)) / (1 - exp(-0.1)) / 15
   * = 0.7297.
   */
  @Test
  void readsLowByAQuarter_whenLatenciesAreExponentialWithTenMinutes() {
    LoadMeter meter = new LoadMeter(MINUTE);
    double load = 0;
    for (long minute = 0; minute < 200; minute++) {
      SortedMap<Long, Long> arrived = new TreeMap<>();
      for (long age = 0; age <= 60; age++) {
        double share = Math.exp(-age / 10.0) - Math.exp(-(age + 1) / 10.0);
        arrived.put((minute - age) * MINUTE, Math.round(1e6 * share));
      }
      load = meter.observe(minute * MINUTE, arrived);
    }
    assertThat(load / 1e6).isCloseTo(0.7297, within(0.0005));
  }

  @Test
  void countsOnePane_whenRequestsAreFromBeforeTheFirst() {
    LoadMeter meter = new LoadMeter(MINUTE);
    meter.observe(100 * MINUTE, arrivals(100, 20));
    assertThat(meter.observe(101 * MINUTE, arrivals(90, 7))).isEqualTo(7);
  }

  @Test
  void forgetsNothingThatMayStillCount_andNothingElseIsKept() {
    LoadMeter meter = new LoadMeter(MINUTE);
    for (long minute = 0; minute < 1000; minute++) {
      meter.observe(minute * MINUTE, arrivals(minute, 2));
    }
    // From an hour ago: minutes 926 to 940, and one request more in the last of them.
    assertThat(meter.observe(1000 * MINUTE, arrivals(940, 1))).isCloseTo(31 / 15.0, within(1e-12));
    Content.Writer out = new Content.Writer();
    meter.write(out);
    assertThat(out.bytes().length).isLessThan(80 * 16);
  }

  @Test
  void goesOnAsBefore_afterItWasWrittenAndRead() {
    SplittableRandom random = new SplittableRandom(11);
    LoadMeter meter = new LoadMeter(MINUTE);
    LoadMeter restarted = new LoadMeter(MINUTE);
    for (long minute = 0; minute < 200; minute++) {
      Content.Writer out = new Content.Writer();
      restarted.write(out);
      Content.Reader in = new Content.Reader(out.bytes());
      restarted = LoadMeter.read(in);
      in.end();
      SortedMap<Long, Long> arrived = new TreeMap<>();
      for (int n = random.nextInt(20); n > 0; n--) {
        arrived.merge((minute - random.nextInt(61)) * MINUTE, 1L, Long::sum);
      }
      assertThat(restarted.observe(minute * MINUTE, arrived))
          .isEqualTo(meter.observe(minute * MINUTE, arrived));
    }
  }

  @Test
  void refusesPanesOutOfOrder_arrivalsOfTheFutureAndCountsBelowOne() {
    LoadMeter meter = new LoadMeter(MINUTE);
    meter.observe(10 * MINUTE, arrivals(10, 1));
    assertThatThrownBy(() -> meter.observe(10 * MINUTE, arrivals(10, 1)))
        .hasMessageContaining("must start after the pane before");
    assertThatThrownBy(() -> meter.observe(11 * MINUTE, arrivals(12, 1)))
        .hasMessageContaining("must not be after the pane");
    assertThatThrownBy(() -> meter.observe(11 * MINUTE, arrivals(11, 0)))
        .hasMessageContaining("must be at least 1");
  }
}

package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.alert.MissingData.Kind;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricPolicy.SeverityCap;
import io.servedrift.monitors.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class DataWatchTest {
  private static final Instant T0 = Instant.parse("2026-03-02T00:00:00Z"); // a Monday
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Duration LEAST = Duration.ofMinutes(15);

  private final DataWatch watch = watch("");

  private static DataWatch watch(String policy) {
    return new DataWatch(Policy.parse(policy, "test"), new MetricLayouts(), LEAST, WINDOW);
  }

  private static Instant at(double hours) {
    return T0.plusSeconds(Math.round(hours * 3600));
  }

  private static SeriesKey key(String config, String metric) {
    return new SeriesKey("image-gen", config.equals("*") ? "*" : "m", config, metric);
  }

  private static void window(DataWatch watch, String config, String metric, Instant start, long n) {
    watch.window(key(config, metric), start, start.plus(WINDOW), n);
  }

  /** {@code n} values in each window of a span. */
  private void values(String config, String metric, double fromHour, double toHour, long n) {
    for (Instant t = at(fromHour); t.isBefore(at(toHour)); t = t.plus(WINDOW)) {
      window(watch, config, metric, t, n);
    }
  }

  /** As {@link #values}, of the deployment and of its only configuration. */
  private void both(String metric, double fromHour, double toHour, long n) {
    values("*", metric, fromHour, toHour, n);
    values("c1", metric, fromHour, toHour, n);
  }

  private void heartbeats(double fromHour, double toHour) {
    for (Instant t = at(fromHour); t.isBefore(at(toHour)); t = t.plusSeconds(60)) {
      watch.heartbeat("image-gen", t);
    }
  }

  private List<String> missing(double hour) {
    return watch.check(at(hour)).stream()
        .map(m -> m.configId() + " " + m.metric() + " " + m.kind() + " " + m.severity())
        .toList();
  }

  @Test
  void tellsOfASilentDeployment_afterAQuarterOfAnHour_untilDataComes() {
    both("error_ratio", 0, 3, 1200);

    assertThat(missing(3 + 14 / 60.0)).isEmpty();
    assertThat(watch.check(at(3.25)))
        .containsExactly(
            new MissingData(
                "image-gen",
                "*",
                "*",
                "all",
                SeverityCap.TICKET,
                Kind.SILENT,
                at(3),
                3600, // a quarter of an hour at 4 a second
                null));
    assertThat(missing(16)).containsExactly("* all SILENT TICKET"); // 13 hours

    values("*", "error_ratio", 16, 16 + 1 / 12.0, 1);
    assertThat(missing(16 + 1 / 12.0)).isEmpty();
  }

  @Test
  void saysThatNodesLive_whenHeartbeatsGoOn() {
    both("error_ratio", 0, 3, 1200);
    heartbeats(0, 3.5);

    assertThat(missing(3.5)).containsExactly("* all NO_TRAFFIC TICKET");
    assertThat(watch.check(at(3.5)).get(0).description())
        .isEqualTo(
            "image-gen: its nodes live (last heartbeat 2026-03-02T03:29:00Z), but no request since"
                + " 2026-03-02T03:00:00Z, about 7200 were to be expected: traffic goes elsewhere, or"
                + " the recording is off.");
    assertThat(missing(4)).containsExactly("* all SILENT TICKET"); // no heartbeat for half an hour
  }

  @Test
  void pagesForASilentDeploymentOnly_whenThePolicySaysSo() {
    DataWatch paging = watch("metrics: {latency: {no_data: page}}");
    for (Instant t = at(0); t.isBefore(at(3)); t = t.plus(WINDOW)) {
      window(paging, "*", "error_ratio", t, 1200);
    }
    assertThat(paging.check(at(4)))
        .extracting(MissingData::severity)
        .containsExactly(SeverityCap.PAGE);

    paging.heartbeat("image-gen", at(3.9));
    assertThat(paging.check(at(4)))
        .extracting(MissingData::severity)
        .containsExactly(SeverityCap.TICKET);
  }

  @Test
  void isSilent_whenThePolicyIgnoresMissingDataOrMutesOrInMaintenance() {
    for (String policy :
        List.of(
            "metrics: {latency: {no_data: ignore}}",
            "metrics: {latency: {muted: true}}",
            "maintenance: [{deployment: image-gen, from: '2026-03-02T03:30:00Z',"
                + " to: '2026-03-02T05:00:00Z', why: move}]")) {
      DataWatch quiet = watch(policy);
      for (Instant t = at(0); t.isBefore(at(3)); t = t.plus(WINDOW)) {
        window(quiet, "*", "error_ratio", t, 1200);
      }
      assertThat(quiet.check(at(4))).as(policy).isEmpty();
    }
  }

  @Test
  void waitsLonger_whenRequestsAreRare() {
    for (double hour = 0; hour < 10; hour += 1 / 12.0) { // 30 an hour, in every second window 5
      if (Math.round(hour * 12) % 2 == 0) {
        window(watch, "*", "error_ratio", at(hour), 5);
      }
    }
    // The last ended 5 minutes before 10:00. 30 an hour: 20 are expected after 40 minutes.
    assertThat(missing(9 + 55 / 60.0 + 39 / 60.0)).isEmpty();
    assertThat(missing(9 + 55 / 60.0 + 41 / 60.0)).containsExactly("* all SILENT TICKET");
  }

  @Test
  void neverCriesWolf_whenThirtyRequestsAnHourComeByChance() {
    for (long seed = 1; seed <= 20; seed++) {
      DataWatch each = watch("");
      Random random = new Random(seed);
      double hour = -Math.log(1 - random.nextDouble()) / 30;
      for (Instant t = T0; t.isBefore(at(30 * 24)); t = t.plus(WINDOW)) {
        int n = 0;
        for (; at(hour).isBefore(t.plus(WINDOW)); n++) {
          hour += -Math.log(1 - random.nextDouble()) / 30;
        }
        window(each, "*", "error_ratio", t, n);
        assertThat(each.check(t.plus(WINDOW))).as("seed %d, %s", seed, t).isEmpty();
      }
    }
  }

  /** What a stream whose rate depends on the hour of the week is told of, checked each window. */
  private List<Instant> told(Function<Double, Integer> perWindow, double hours) {
    List<Instant> told = new ArrayList<>();
    boolean before = false;
    for (int i = 0; i < 12 * hours; i++) {
      double hour = i / 12.0;
      window(watch, "*", "error_ratio", at(hour), perWindow.apply(hour));
      Instant now = at(hour).plus(WINDOW);
      boolean after = !watch.check(now).isEmpty();
      if (after && !before) {
        told.add(now);
      }
      before = after;
    }
    return told;
  }

  @Test
  void knowsTheNight_fromTheSecondOneOn() {
    // Open from 8 to 22 o'clock; the first night is news.
    assertThat(told(hour -> hour % 24 >= 8 && hour % 24 < 22 ? 300 : 0, 20 * 24))
        .containsExactly(at(22.25));
  }

  @Test
  void stillTellsByDay_whenNightsAreQuiet() {
    double outage = 9 * 24 + 12;
    assertThat(
            told(hour -> hour < outage && hour % 24 >= 8 && hour % 24 < 22 ? 300 : 0, 10 * 24 - 6))
        .containsExactly(at(22.25), at(outage + 0.25));
  }

  @Test
  void knowsTheWeekend_fromTheSecondOneOn() {
    // Monday to Friday around the clock; the first Saturday is news.
    assertThat(told(hour -> hour % (7 * 24) < 5 * 24 ? 300 : 0, 28 * 24))
        .containsExactly(at(5 * 24 + 0.25));
  }

  @Test
  void waitsForTheNextRun_whenTrafficComesInHourlyJobs() {
    // 600 requests at the full hour; one job comes 20 minutes late, the last is the one at 100 h.
    assertThat(
            told(
                hour -> {
                  long windowOfHour = Math.round(hour * 12) % 12;
                  long h = Math.round(Math.floor(hour + 1e-9));
                  boolean late = h == 60;
                  return h <= 100 && windowOfHour == (late ? 4 : 0) ? 600 : 0;
                },
                104))
        .containsExactly(at(100 + 1 / 12.0 + 2 * 55 / 60.0));
  }

  @Test
  void tellsOfAMetricThatStops_whileRequestsGoOn() {
    both("error_ratio", 0, 8, 100);
    both("clip", 0, 6, 10); // every tenth is scored
    both("queue", 0, 6, 100); // of durations only latency is missed

    // 20 scores are expected after 200 requests: two windows; a quarter of an hour is longer.
    assertThat(missing(6 + 14 / 60.0)).isEmpty();
    assertThat(watch.check(at(6.25)))
        .containsExactly(
            new MissingData(
                "image-gen",
                "*",
                "*",
                "clip",
                SeverityCap.TICKET,
                Kind.METRIC_GONE,
                at(6),
                30,
                null));

    both("clip", 7, 7.5, 10);
    assertThat(missing(7.5)).isEmpty();
  }

  @Test
  void tellsOnlyOfTheSilence_whenScoresStopWithTheRequests() {
    both("error_ratio", 0, 6, 100);
    both("clip", 0, 6, 100);

    assertThat(missing(7)).containsExactly("* all SILENT TICKET");
  }

  @Test
  void tellsOfOneConfiguration_whenOnlyItsScorerStops() {
    both("error_ratio", 0, 8, 200);
    values("c2", "error_ratio", 0, 8, 100);
    both("clip", 0, 8, 100);
    values("c2", "clip", 0, 6, 100);

    assertThat(missing(8)).containsExactly("c2 clip METRIC_GONE TICKET");
  }

  @Test
  void isSilent_whenAConfigurationIsReplaced() {
    values("*", "error_ratio", 0, 12, 100);
    values("*", "clip", 0, 12, 100);
    for (String metric : List.of("error_ratio", "clip")) {
      values("old", metric, 0, 6, 100);
      values("new", metric, 6, 12, 100);
    }
    for (double hour = 6; hour <= 12; hour += 1 / 12.0) {
      assertThat(missing(hour)).isEmpty();
    }
  }

  @Test
  void isSilent_afterATestOfMinutes() {
    both("error_ratio", 0, 0.5, 6000);

    assertThat(missing(1)).isEmpty();
    assertThat(missing(24)).isEmpty();
  }

  @Test
  void takesADeploymentForRetired_afterAWeek() {
    both("error_ratio", 0, 48, 100);

    assertThat(missing(48 + 7 * 24)).containsExactly("* all SILENT TICKET");
    assertThat(missing(48 + 7 * 24 + 0.1)).isEmpty();
  }

  @Test
  void doesNotCountWhatWasFoldedAsASeries() {
    values("other", "error_ratio", 0, 12, 100);
    values("other", "clip", 0, 6, 100);

    assertThat(missing(12)).isEmpty();
  }

  @Test
  void readsNoClock_soThatNothingIsMissingWhileTheMonitorIsDown() {
    both("error_ratio", 0, 3, 1200);
    assertThat(watch.check()).isEmpty();
    watch.partitions(2);
    watch.closedThrough(0, at(20));
    assertThat(watch.closedThrough()).isEmpty();
    assertThat(watch.check()).isEmpty();

    // Down for 13 hours: the slowest partition tells how far one knows.
    watch.closedThrough(1, at(3));
    assertThat(watch.closedThrough()).contains(at(3));
    assertThat(watch.check()).isEmpty();

    watch.closedThrough(1, at(4));
    assertThat(watch.check()).hasSize(1);
  }

  @Test
  void saysTheSameAfterARestart_inWhateverOrderPartitionsAreRead() {
    both("error_ratio", 0, 200, 100);
    both("clip", 0, 198, 20);
    DataWatch again = watch("");
    for (String metric : List.of("clip", "error_ratio")) {
      for (String config : List.of("c1", "*")) {
        for (double hour = 0; hour < (metric.equals("clip") ? 198 : 200); hour += 1 / 12.0) {
          window(again, config, metric, at(hour), metric.equals("clip") ? 20 : 100);
        }
      }
    }
    assertThat(watch.check(at(200))).hasSize(1);
    for (double hour = 198; hour < 220; hour += 0.25) {
      assertThat(again.check(at(hour))).isEqualTo(watch.check(at(hour)));
    }
  }

  @Test
  void listensToTheShortestWindowsOnly() {
    watch.window(key("*", "error_ratio"), at(0), at(1), 1000);
    both("error_ratio", 1, 1.25, 1000);

    assertThat(missing(5)).isEmpty(); // 15 minutes of history, not 75
  }
}

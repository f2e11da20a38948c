package io.servedrift.monitors.pane;

import static io.servedrift.monitors.pane.TestEvents.START;
import static io.servedrift.monitors.pane.TestEvents.request;
import static io.servedrift.monitors.pane.TestEvents.score;
import static io.servedrift.monitors.pane.TestEvents.tick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.ArrivalCount;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.CorrectionKind;
import io.servedrift.schemas.avro.PaneExemplar;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PartitionAggregatorTest {
  private final Recorder out = new Recorder();
  private final Tally tally = new Tally();
  private final PartitionAggregator aggregator = aggregator(PaneSettings.defaults());

  private PartitionAggregator aggregator(PaneSettings settings) {
    return new PartitionAggregator(0, 1, settings, new MetricLayouts(), out, tally, false);
  }

  private void requests(org.apache.avro.specific.SpecificRecord event) {
    aggregator.accept(Channel.REQUESTS, event, "test", null);
  }

  private void scores(org.apache.avro.specific.SpecificRecord event) {
    aggregator.accept(Channel.SCORES, event, "test", null);
  }

  private static Instant at(double seconds) {
    return START.plusNanos((long) (seconds * 1e9));
  }

  private long n(String metric) {
    return out.paneSummaries().stream()
        .filter(pane -> pane.getMetric().equals(metric))
        .mapToLong(pane -> pane.getTotal().getN())
        .sum();
  }

  @Test
  void closesPane_whenClockPassesEndPlusGrace() {
    requests(tick(at(0)));
    requests(request("a", at(1), 2.0));
    requests(tick(at(69.9)));
    assertThat(out.paneSummaries()).isEmpty();
    requests(tick(at(70)));
    assertThat(out.paneSummaries())
        .extracting(PaneSummary::getMetric)
        .containsExactly("error_ratio", "latency");
    assertThat(out.sent.get(out.sent.size() - 1))
        .isInstanceOfSatisfying(
            Watermark.class,
            watermark -> assertThat(watermark.getLatencyClosedThrough()).isEqualTo(at(60)));
  }

  @Test
  void listsCorrection_whenRequestIsMoreThanGraceBehindItsPartition() {
    requests(tick(at(0)));
    requests(tick(at(100)));
    requests(request("in-time", at(90), 2.0));
    requests(request("late", at(89.999), 2.0));
    requests(tick(at(200)));
    assertThat(n("latency")).isEqualTo(1);
    assertThat(out.corrections).hasSize(1);
    Correction correction = out.corrections.get(0);
    assertThat(correction.getKind()).isEqualTo(CorrectionKind.LATE_REQUEST);
    assertThat(correction.getRequestId()).isEqualTo("late");
    assertThat(correction.getLateByMicros()).isEqualTo(1000);
    assertThat(correction.getBeyondHorizon()).isFalse();
  }

  @Test
  void countsFirstOfEachId_whenRecordsRepeat() {
    requests(tick(at(0)));
    requests(request("a", at(1), 2.0));
    requests(request("a", at(1), 2.0));
    requests(request("a", at(1), 3.0));
    requests(tick(at(100)));
    assertThat(n("latency")).isEqualTo(1);
    assertThat(tally.get("duplicates")).isEqualTo(2);
    assertThat(tally.get("conflicts")).isEqualTo(1);
  }

  @Test
  void keepsIdsOfDeploymentsApart() {
    RequestEvent other = request("a", at(1), 2.0);
    other.setDeployment("chat");
    requests(request("a", at(1), 2.0));
    requests(other);
    requests(tick(at(100)));
    assertThat(n("latency")).isEqualTo(2);
    assertThat(tally.get("duplicates")).isZero();
  }

  @Test
  void honestNodesStayInTime_whenOneNodeRunsHalfAMinuteAhead() {
    requests(tick(at(0)));
    requests(request("fast-clock", at(30), 2.0));
    requests(request("honest", at(0.5), 2.0));
    requests(tick(at(1)));
    requests(request("honest-2", at(1.5), 2.0));
    requests(tick(at(100)));
    assertThat(n("latency")).isEqualTo(3);
    assertThat(out.corrections).isEmpty();
  }

  @Test
  void rejectsRecordAndMovesNoClock_whenItIsStillTooFarAheadAtTheNextTick() {
    requests(tick(at(0)));
    requests(request("far", at(600), 2.0));
    assertThat(tally.get("requests_waiting")).isEqualTo(1);
    requests(tick(at(1)));
    assertThat(tally.get("requests_waiting")).isZero();
    requests(request("honest", at(1.5), 2.0));
    requests(tick(at(100)));
    assertThat(out.rejected).hasSize(1);
    assertThat(out.rejected.get(0).reason()).isEqualTo("future_time");
    assertThat(out.rejected.get(0).detail())
        .contains("2026-03-01T10:10:00Z")
        .contains("clock of the node");
    assertThat(n("latency")).isEqualTo(1);
    assertThat(out.corrections).isEmpty();
  }

  @Test
  void movesNoClock_whenTheVeryFirstRecordIsYearsAhead() {
    requests(request("far", at(1e9), 2.0));
    requests(tick(at(0)));
    requests(request("honest", at(1), 2.0));
    requests(tick(at(100)));
    assertThat(out.rejected).extracting(Reading.Rejected::reason).containsExactly("future_time");
    assertThat(n("latency")).isEqualTo(1);
    assertThat(out.corrections).isEmpty();
  }

  @Test
  void countsWaitingRecords_whenTicksWereInterruptedForHours() {
    requests(tick(at(0)));
    for (int hour = 1; hour <= 13; hour++) {
      requests(request("r" + hour, at(hour * 3600.0), 2.0));
    }
    requests(tick(at(13 * 3600.0 + 1)));
    requests(tick(at(14 * 3600.0)));
    assertThat(n("latency")).isEqualTo(13);
    assertThat(out.rejected).isEmpty();
    assertThat(out.corrections).isEmpty();
  }

  @Test
  void letsTheEarliestPass_whenTooManyWait() {
    PaneSettings few =
        new PaneSettings(
            Duration.ofSeconds(60),
            PaneSettings.defaults().windows(),
            Duration.ofSeconds(10),
            Duration.ofMinutes(2),
            Duration.ofMinutes(15),
            Duration.ofSeconds(60),
            3,
            10,
            10,
            10);
    PartitionAggregator small = aggregator(few);
    small.accept(Channel.REQUESTS, tick(at(0)), "test", null);
    small.accept(Channel.REQUESTS, request("far", at(1e9), 2.0), "test", null);
    for (int i = 0; i < 100; i++) {
      small.accept(Channel.REQUESTS, request("r" + i, at(3600 + 10 * i), 2.0), "test", null);
      assertThat(tally.get("requests_waiting")).isLessThanOrEqualTo(3);
    }
    assertThat(n("latency"))
        .as("a backlog closes its panes while it streams through")
        .isGreaterThan(50);
    small.accept(Channel.REQUESTS, tick(at(4700)), "test", null);
    assertThat(n("latency")).isEqualTo(100);
    assertThat(tally.get("tick_interruptions")).isEqualTo(98);
    assertThat(out.rejected).extracting(Reading.Rejected::reason).containsExactly("future_time");
    assertThat(out.corrections).isEmpty();
  }

  @Test
  void keepsHonestRecordsInTime_whenOneOfThoseThatWaitedForTheFirstTickIsAhead() {
    requests(request("ahead", at(59), 2.0));
    for (int i = 0; i < 10; i++) {
      requests(request("honest-" + i, at(i / 10.0), 2.0));
    }
    requests(tick(at(1)));
    requests(tick(at(100)));
    assertThat(n("latency")).isEqualTo(11);
    assertThat(out.corrections).isEmpty();
  }

  @Test
  void givesAScoreToTheRequestThatWasRememberedWhenItCame_whicheverTopicIsReadFirst() {
    for (boolean scoreFirst : new boolean[] {true, false}) {
      Recorder own = new Recorder();
      PartitionAggregator each =
          new PartitionAggregator(
              0, 1, PaneSettings.defaults(), new MetricLayouts(), own, new Tally(), false);
      each.accept(Channel.REQUESTS, tick(at(0)), "test", null);
      each.accept(Channel.SCORES, tick(at(0)), "test", null);
      each.accept(Channel.REQUESTS, request("a", at(1), 2.0), "test", null);
      if (scoreFirst) {
        each.accept(Channel.SCORES, score("a", "clip", 0.31, at(3)), "test", null);
      }
      each.accept(Channel.REQUESTS, tick(at(2000)), "test", null);
      each.accept(Channel.REQUESTS, request("a", at(2000), 2.0), "test", null);
      if (!scoreFirst) {
        each.accept(Channel.SCORES, score("a", "clip", 0.31, at(3)), "test", null);
      }
      each.accept(Channel.SCORES, tick(at(3000)), "test", null);
      each.accept(Channel.REQUESTS, tick(at(3000)), "test", null);
      assertThat(own.paneSummaries())
          .filteredOn(pane -> pane.getMetric().equals("clip"))
          .singleElement()
          .satisfies(pane -> assertThat(pane.getStart()).isEqualTo(START));
    }
  }

  @Test
  void joinsLateScore_whetherItIsReadBeforeOrAfterItsRequest() {
    scores(score("after", "clip", 0.31, at(3)));
    requests(request("after", at(1), 2.0));
    requests(request("before", at(1), 2.0));
    scores(score("before", "clip", 0.32, at(3)));
    requests(tick(at(300)));
    scores(tick(at(300)));
    assertThat(n("clip")).isEqualTo(2);
    assertThat(tally.get("scores_joined")).isEqualTo(2);
  }

  @Test
  void firstScoreWins_theOneInTheRequestBeingFirst() {
    RequestEvent scored = request("a", at(1), 2.0);
    scored.setScores(Map.of("clip", 0.30));
    requests(scored);
    scores(score("a", "clip", 0.99, at(3)));
    scores(score("a", "aesthetic", 5.0, at(3)));
    scores(score("a", "aesthetic", 6.0, at(4)));
    requests(tick(at(300)));
    scores(tick(at(300)));
    assertThat(n("clip")).isEqualTo(1);
    assertThat(n("aesthetic")).isEqualTo(1);
    assertThat(out.paneSummaries())
        .filteredOn(pane -> pane.getMetric().equals("clip"))
        .allSatisfy(pane -> assertThat(pane.getTotal().getMax()).isEqualTo(0.30));
    assertThat(tally.get("scores_repeated")).isEqualTo(2);
  }

  @Test
  void waitsForScores_scoreGraceLongerThanForLatency() {
    requests(tick(at(0)));
    scores(tick(at(0)));
    requests(request("a", at(1), 2.0));
    requests(tick(at(189)));
    scores(tick(at(189)));
    scores(score("a", "clip", 0.31, at(189.5)));
    assertThat(n("clip")).isZero();
    requests(tick(at(190)));
    scores(tick(at(190)));
    assertThat(n("clip")).isEqualTo(1);
  }

  @Test
  void listsCorrection_whenScoreComesAfterItsPane() {
    requests(tick(at(0)));
    scores(tick(at(0)));
    requests(request("a", at(1), 2.0));
    requests(tick(at(400)));
    scores(tick(at(400)));
    scores(score("a", "clip", 0.31, at(400)));
    assertThat(n("clip")).isZero();
    assertThat(out.corrections).hasSize(1);
    assertThat(out.corrections.get(0).getKind()).isEqualTo(CorrectionKind.LATE_SCORE);
    assertThat(out.corrections.get(0).getMetric()).isEqualTo("clip");
    assertThat(out.corrections.get(0).getValue()).isEqualTo(0.31);
  }

  @Test
  void countsScore_whenItsRequestNeverComes() {
    requests(tick(at(0)));
    scores(tick(at(0)));
    scores(score("nobody", "clip", 0.31, at(1)));
    assertThat(tally.get("scores_pending")).isEqualTo(1);
    requests(tick(at(2000)));
    scores(tick(at(2000)));
    assertThat(tally.get("scores_pending")).isZero();
    assertThat(tally.get("scores_unmatched")).isEqualTo(1);
  }

  @Test
  void entersSeries_byStatus() {
    for (RequestStatus status : RequestStatus.values()) {
      RequestEvent event = request(status.name(), at(1), 2.0);
      event.setStatus(status);
      requests(event);
    }
    requests(tick(at(100)));
    assertThat(n("latency")).isEqualTo(1);
    assertThat(n("error_ratio")).isEqualTo(3);
  }

  @Test
  void countsWhenRequestsArrived_byArrivedAtElseLatencyElseTheEnd() {
    requests(tick(at(0)));
    RequestEvent said = request("said", at(30), 1.0);
    said.setArrivedAt(at(-61));
    requests(said);
    requests(request("by-latency", at(31), 32.0));
    RequestEvent failed = request("failed", at(32), 100.0);
    failed.setStatus(RequestStatus.TIMEOUT);
    requests(failed);
    RequestEvent unknown = request("unknown", at(33), 1.0);
    unknown.setStatus(RequestStatus.ERROR);
    unknown.setLatencySeconds(null);
    requests(unknown);
    RequestEvent anHour = request("an-hour", at(34), 3600.0);
    requests(anHour);
    RequestEvent aDay = request("a-day", at(35), 86_400.0);
    aDay.setConfigId("c2");
    aDay.setScores(Map.of("clip", 0.3));
    requests(aDay);
    RequestEvent cancelled = request("cancelled", at(36), 2.0);
    cancelled.setStatus(RequestStatus.CANCELLED);
    requests(cancelled);
    requests(tick(at(300)));
    scores(tick(at(300)));

    assertThat(out.paneSummaries())
        .filteredOn(pane -> pane.getMetric().equals("error_ratio"))
        .extracting(PaneSummary::getConfigId, PaneSummary::getArrivals)
        .containsExactly(
            tuple(
                "c1",
                List.of(
                    new ArrivalCount(at(-3600), 1L),
                    new ArrivalCount(at(-120), 2L),
                    new ArrivalCount(at(-60), 1L),
                    new ArrivalCount(at(0), 1L))),
            tuple("c2", List.of(new ArrivalCount(at(-3600), 1L))));
    assertThat(out.paneSummaries()).extracting(PaneSummary::getMetric).contains("latency", "clip");
    assertThat(out.paneSummaries())
        .filteredOn(pane -> !pane.getMetric().equals("error_ratio"))
        .allSatisfy(pane -> assertThat(pane.getArrivals()).isEmpty());
  }

  @Test
  void showsARequestOfEachSeries() {
    requests(tick(at(0)));
    RequestEvent event = request("a", at(1), 2.5);
    event.setScores(Map.of("clip", 0.3));
    Workload workload = new Workload();
    workload.setAdapters(List.of());
    workload.setPromptClass("portrait");
    event.setWorkload(workload);
    requests(event);
    requests(tick(at(300)));
    scores(tick(at(300)));
    long hash = ExemplarSample.hash("image-gen", "a");
    assertThat(out.paneSummaries())
        .extracting(PaneSummary::getMetric, PaneSummary::getExemplars)
        .containsExactlyInAnyOrder(
            tuple("error_ratio", List.of(shown(hash, 0))),
            tuple("latency", List.of(shown(hash, 2.5))),
            tuple("clip", List.of(shown(hash, 0.3))));
  }

  private static PaneExemplar shown(long hash, double value) {
    return new PaneExemplar(hash, "a", value, "unknown", "unknown", "portrait", "gpu-0", at(1));
  }

  @Test
  void leavesSyntheticOut_withItsScores() {
    RequestEvent synthetic = request("gate-1", at(1), 2.0);
    synthetic.setSynthetic(true);
    requests(synthetic);
    scores(score("gate-1", "clip", 0.31, at(2)));
    requests(tick(at(300)));
    scores(tick(at(300)));
    assertThat(out.paneSummaries()).isEmpty();
    assertThat(tally.get("synthetic")).isEqualTo(1);
    assertThat(tally.get("scores_unused")).isEqualTo(1);
  }

  @Test
  void refusesValueAndKeepsTheRest_whenAYesNoScoreIsNeitherYesNorNo() {
    RequestEvent event = request("a", at(1), 2.0);
    event.setScores(Map.of("json_valid", 0.7, "clip", 0.3));
    requests(event);
    requests(tick(at(300)));
    scores(tick(at(300)));
    assertThat(out.rejected).hasSize(1);
    assertThat(out.rejected.get(0).detail()).contains("json_valid");
    assertThat(n("latency")).isEqualTo(1);
    assertThat(n("clip")).isEqualTo(1);
    assertThat(n("json_valid")).isZero();
  }

  @Test
  void refusesAScoreNamedLikeAMetric() {
    RequestEvent event = request("a", at(1), 2.0);
    event.setScores(Map.of("latency", 700.0, "stage:denoise", 3.0));
    requests(tick(at(0)));
    requests(event);
    scores(tick(at(0)));
    scores(score("a", "error_ratio", 1, at(2)));
    requests(tick(at(300)));
    scores(tick(at(300)));
    assertThat(out.rejected).hasSize(3);
    assertThat(n("latency")).isEqualTo(1);
    assertThat(n("stage:denoise")).isZero();
    assertThat(out.paneSummaries())
        .filteredOn(pane -> pane.getMetric().equals("latency"))
        .allSatisfy(pane -> assertThat(pane.getTotal().getMax()).isEqualTo(2.0));
  }

  @Test
  void rejectsWhatDoesNotBelongHere() {
    ServingEvent event =
        new ServingEvent("e-1", at(1), "image-gen", null, ServingEventKind.CACHE_FLUSH, Map.of());
    requests(event);
    scores(request("a", at(1), 2.0));
    assertThat(out.rejected)
        .extracting(Reading.Rejected::reason)
        .containsOnly("wrong_topic")
        .hasSize(2);
  }

  @Test
  void conservesRecords_overMixedInput() {
    requests(tick(at(0)));
    requests(request("a", at(1), 2.0));
    requests(request("a", at(1), 2.0));
    requests(request("far", at(1000), 2.0));
    requests(tick(at(50)));
    requests(request("late", at(20), 2.0));
    requests(request("waits", at(500), 2.0));
    assertThat(tally.get("requests_read"))
        .isEqualTo(
            tally.get("requests_accepted")
                + tally.get("duplicates")
                + tally.get("late_requests")
                + tally.get("synthetic")
                + tally.get("requests_rejected")
                + tally.get("requests_waiting"))
        .isEqualTo(5);
  }
}

package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class ServingSimulatorTest {
  /** A day on one node, busy at its peak. */
  private static List<SpecificRecord> day;

  private static synchronized List<RequestEvent> day() {
    if (day == null) {
      day =
          Scenario.of(
                  SimulatorSettings.image(11, Duration.ofDays(1)).withLoad(1.1, 1),
                  FaultLibrary.otherBits(Duration.ofHours(1)))
              .events();
    }
    return served(day);
  }

  @Test
  void writesWhatTheReaderAccepts_whenReadAsJsonAndAsAvro() {
    EventReader reader = new EventReader();
    for (SimulatorSettings settings :
        List.of(
            SimulatorSettings.image(1, Duration.ofMinutes(9)),
            SimulatorSettings.text(2, Duration.ofMinutes(9)))) {
      Scenario scenario =
          Scenario.of(
              settings,
              FaultLibrary.rollingRestart(Duration.ofMinutes(2), 3, Duration.ofMinutes(1)),
              FaultLibrary.modelChanges(Duration.ofMinutes(8), "clip", 0.01));
      Set<String> types = new HashSet<>();
      for (SpecificRecord event : scenario.events()) {
        types.add(event.getClass().getSimpleName());
        byte[] json = EventJson.write(event).getBytes(StandardCharsets.UTF_8);
        assertThat(reader.readJson(json))
            .isInstanceOfSatisfying(
                Reading.Accepted.class,
                accepted -> {
                  assertThat(accepted.unknownFields()).isZero();
                  assertThat(accepted.cacheConflicts()).isZero();
                });
        assertThat(reader.read(EventCodec.encode(event)))
            .isInstanceOfSatisfying(
                Reading.Accepted.class, accepted -> assertThat(accepted.event()).isEqualTo(event));
      }
      assertThat(types)
          .containsExactlyInAnyOrder("RequestEvent", "ScoreEvent", "ServingEvent", "ConfigRecord");
    }
  }

  @Test
  void keepsEventTimeOrder_whenRequestsAreDelayedAndScoresComeLate() {
    Instant last = Instant.MIN;
    for (SpecificRecord event :
        Scenario.of(
                SimulatorSettings.image(3, Duration.ofHours(1)),
                FaultLibrary.extraQueueing(Duration.ofMinutes(10), 0.25, 2.5),
                FaultLibrary.frequentFlushes(Duration.ofMinutes(2), Duration.ofHours(1)))
            .events()) {
      Instant at = EventTimes.of(event);
      assertThat(at).isAfterOrEqualTo(last);
      last = at;
    }
  }

  @Test
  void repeatsItself_whenTheSeedIsTheSame() {
    List<SpecificRecord> first = hour(5).events();
    assertThat(hour(5).events().equals(first)).isTrue();
    assertThat(hour(6).events().equals(first)).isFalse();
  }

  private static Scenario hour(long seed) {
    return Scenario.of(
        SimulatorSettings.image(seed, Duration.ofHours(1)),
        FaultLibrary.cacheHitsLoseClip(Duration.ofMinutes(30), 0.02));
  }

  /**
   * Arrivals of a Poisson process see the mean number inside (PASTA), which is rate times mean time
   * inside (Little). Neither is built in.
   */
  @Test
  void obeysLittlesLaw_whenTheLoadIsSteady() {
    List<RequestEvent> requests =
        served(
            Scenario.of(
                    SimulatorSettings.image(7, Duration.ofHours(8)).withLoad(1.4, 1).steady(),
                    FaultLibrary.otherBits(Duration.ofHours(1)))
                .events());
    double seen = mean(requests, e -> e.getBatch().getRunning() + e.getBatch().getWaiting());
    double rate = requests.size() / (8 * 3_600.0);
    double inside = rate * mean(requests, RequestEvent::getLatencySeconds);
    assertThat(rate).isCloseTo(1.4, offset(5 * Math.sqrt(1.4 / (8 * 3_600))));
    // 40,000 requests in about 10,000 busy periods; inside counts the half step after the last.
    assertThat(seen / inside).isBetween(0.97, 1.03);
  }

  @Test
  void growsBatchesQueuesEvictionsAndPreemptions_whenLoadRises() {
    Map<Long, Integer> perHour = new HashMap<>();
    day().forEach(e -> perHour.merge(hourOf(e), 1, Integer::sum));
    List<Long> hours =
        perHour.keySet().stream().sorted(Comparator.comparing(perHour::get)).toList();
    Set<Long> calm = Set.copyOf(hours.subList(0, 6));
    Set<Long> busy = Set.copyOf(hours.subList(hours.size() - 6, hours.size()));
    assertThat(ratio(busy, calm, e -> e.getBatch().getSizeMean())).isGreaterThan(2);
    assertThat(ratio(busy, calm, RequestEvent::getQueueSeconds)).isGreaterThan(1.5);
    assertThat(ratio(busy, calm, e -> e.getCache().getEvictions())).isGreaterThan(2);
    assertThat(ratio(busy, calm, RequestEvent::getLatencySeconds)).isGreaterThan(1.3);
    double preempted =
        mean(in(busy), e -> e.getScheduling().getPreemptions() > 0 ? 1 : 0)
            - mean(in(calm), e -> e.getScheduling().getPreemptions() > 0 ? 1 : 0);
    assertThat(preempted).isGreaterThan(0.005);
  }

  @Test
  void movesHitsAndScoresTogether_whenClassesDiffer() {
    double portraitHits = mean(ofClass("portrait"), e -> e.getCache().getHit() ? 1 : 0);
    double typographyHits = mean(ofClass("typography"), e -> e.getCache().getHit() ? 1 : 0);
    assertThat(portraitHits).isBetween(0.35, 0.75);
    assertThat(typographyHits).isLessThan(0.05);
    double portraits = scores(ofClass("portrait"));
    double typography = scores(ofClass("typography"));
    assertThat(portraits - typography).isCloseTo(0.04, offset(0.002));
    // Hits look better than misses although no score depends on the cache.
    List<RequestEvent> hits = where(day(), e -> e.getCache().getHit());
    List<RequestEvent> misses = where(day(), e -> !e.getCache().getHit());
    assertThat(scores(hits) - scores(misses)).isGreaterThan(0.002);
  }

  @Test
  void takesLongerWhenPreempted_whenComparedWithinLargeBatches() {
    List<RequestEvent> large = where(day(), e -> e.getBatch().getSizeMax() >= 8);
    double with =
        mean(
            where(large, e -> e.getScheduling().getPreemptions() > 0),
            RequestEvent::getLatencySeconds);
    double without =
        mean(
            where(large, e -> e.getScheduling().getPreemptions() == 0),
            RequestEvent::getLatencySeconds);
    assertThat(with - without).isGreaterThan(0.3);
  }

  @Test
  void scoresEachRequestOnce_whenScoresComeInlineAndLate() {
    day();
    Map<String, RequestEvent> requests = new HashMap<>();
    Map<String, Integer> scores = new HashMap<>();
    long late = 0;
    for (SpecificRecord event : day) {
      if (event instanceof RequestEvent request) {
        requests.put(request.getRequestId(), request);
        request.getScores().keySet().forEach(name -> count(scores, request.getRequestId(), name));
      }
    }
    for (SpecificRecord event : day) {
      if (event instanceof ScoreEvent score) {
        late++;
        count(scores, score.getRequestId(), score.getName());
        RequestEvent request = requests.get(score.getRequestId());
        assertThat(request.getStatus()).isEqualTo(RequestStatus.OK);
        assertThat(Duration.between(request.getFinishedAt(), score.getScoredAt()))
            .isBetween(Duration.ofMillis(50), Duration.ofSeconds(90));
      }
    }
    assertThat(scores).hasSize(2 * day().size());
    assertThat(scores.values()).allMatch(n -> n == 1);
    double share = late / (double) scores.size();
    assertThat(share).isCloseTo(0.5, offset(5 * 0.5 / Math.sqrt(scores.size())));
  }

  private static void count(Map<String, Integer> scores, String id, String name) {
    scores.merge(id + "/" + name, 1, Integer::sum);
  }

  @Test
  void servesNobody_whenThereIsAGap() {
    Duration onset = Duration.ofHours(1);
    Scenario scenario =
        Scenario.of(
            SimulatorSettings.image(8, Duration.ofHours(15)).withLoad(0.5, 1),
            FaultLibrary.gap(onset, Duration.ofHours(13)));
    List<RequestEvent> requests = served(scenario.events());
    Instant from = scenario.onset();
    Instant to = from.plus(Duration.ofHours(13));
    assertThat(
            where(requests, e -> e.getArrivedAt().isAfter(from) && e.getArrivedAt().isBefore(to)))
        .isEmpty();
    assertThat(where(requests, e -> e.getArrivedAt().isBefore(from))).hasSizeGreaterThan(100);
    assertThat(where(requests, e -> e.getArrivedAt().isAfter(to))).hasSizeGreaterThan(100);
  }

  @Test
  void failsWhatItHoldsAndForgetsItsCache_whenANodeRestarts() {
    Duration onset = Duration.ofMinutes(90);
    Scenario scenario =
        Scenario.of(
            SimulatorSettings.image(9, Duration.ofHours(3)),
            FaultLibrary.rollingRestart(onset, 1, Duration.ofMinutes(1)));
    List<SpecificRecord> events = scenario.events();
    Instant stop = scenario.onset();
    Instant start = stop.plusSeconds(60);
    List<RequestEvent> ofNode =
        events.stream()
            .filter(RequestEvent.class::isInstance)
            .map(RequestEvent.class::cast)
            .filter(e -> "gpu-0".equals(e.getNode()))
            .toList();
    assertThat(
            where(
                ofNode,
                e -> e.getStatus() == RequestStatus.ERROR && e.getFinishedAt().equals(stop)))
        .isNotEmpty();
    assertThat(ofNode)
        .noneMatch(e -> e.getFinishedAt().isAfter(stop) && e.getFinishedAt().isBefore(start));
    Predicate<RequestEvent> justBefore =
        e -> e.getArrivedAt().isAfter(stop.minusSeconds(120)) && e.getArrivedAt().isBefore(stop);
    Predicate<RequestEvent> justAfter =
        e -> e.getArrivedAt().isAfter(start) && e.getArrivedAt().isBefore(start.plusSeconds(120));
    double before = mean(where(served(ofNode), justBefore), e -> e.getCache().getHit() ? 1 : 0);
    double after = mean(where(served(ofNode), justAfter), e -> e.getCache().getHit() ? 1 : 0);
    assertThat(after).isLessThan(before - 0.05);
    assertThat(
            events.stream()
                .filter(ServingEvent.class::isInstance)
                .map(e -> ((ServingEvent) e).getKind()))
        .containsExactly(ServingEventKind.NODE_STOPPED, ServingEventKind.NODE_STARTED);
  }

  private static long hourOf(RequestEvent e) {
    return e.getArrivedAt().getEpochSecond() / 3_600;
  }

  private static List<RequestEvent> in(Set<Long> hours) {
    return where(day(), e -> hours.contains(hourOf(e)));
  }

  private static double ratio(Set<Long> a, Set<Long> b, ToDoubleFunction<RequestEvent> value) {
    return mean(in(a), value) / mean(in(b), value);
  }

  private static List<RequestEvent> ofClass(String name) {
    return where(day(), e -> e.getWorkload().getPromptClass().equals(name));
  }

  private static double scores(List<RequestEvent> requests) {
    return mean(
        where(requests, e -> e.getScores().containsKey("clip")), e -> e.getScores().get("clip"));
  }

  private static List<RequestEvent> where(
      List<RequestEvent> requests, Predicate<RequestEvent> condition) {
    return requests.stream().filter(condition).toList();
  }

  static double mean(List<RequestEvent> requests, ToDoubleFunction<RequestEvent> value) {
    return requests.stream().mapToDouble(value).average().orElseThrow();
  }

  static List<RequestEvent> served(List<? extends SpecificRecord> events) {
    return events.stream()
        .filter(RequestEvent.class::isInstance)
        .map(RequestEvent.class::cast)
        .filter(e -> e.getStatus() == RequestStatus.OK)
        .toList();
  }
}

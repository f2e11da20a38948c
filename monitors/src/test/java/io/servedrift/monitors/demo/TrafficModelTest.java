package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TrafficModelTest {
  private static final Instant START = Instant.parse("2026-11-30T10:00:00Z");
  private static final Duration SPAN = Duration.ofMinutes(20);
  private static List<SpecificRecord> events;
  private static List<RequestEvent> requests;

  @BeforeAll
  static void generate() {
    events = take(new TrafficModel(7, START), START.plus(SPAN));
    requests = of(RequestEvent.class);
  }

  private static List<SpecificRecord> take(TrafficModel model, Instant end) {
    List<SpecificRecord> taken = new ArrayList<>();
    for (SpecificRecord event = model.next();
        EventTimes.of(event).isBefore(end);
        event = model.next()) {
      taken.add(event);
    }
    return taken;
  }

  private static <T> List<T> of(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static boolean batching(RequestEvent r) {
    return r.getNode().startsWith("gpu-b");
  }

  private static boolean hit(RequestEvent r) {
    return Boolean.TRUE.equals(r.getCache().getHit());
  }

  private static double mean(Predicate<RequestEvent> which) {
    return requests.stream()
        .filter(r -> r.getStatus() == RequestStatus.OK)
        .filter(which)
        .mapToDouble(RequestEvent::getInferenceSeconds)
        .average()
        .orElseThrow();
  }

  @Test
  void givesTheSameEvents_whenSeedAndStartAreTheSame() {
    assertThat(take(new TrafficModel(7, START), START.plusSeconds(120)))
        .isEqualTo(
            events.subList(
                0,
                (int)
                    events.stream()
                        .filter(e -> EventTimes.of(e).isBefore(START.plusSeconds(120)))
                        .count()));
    assertThat(take(new TrafficModel(8, START), START.plusSeconds(120)))
        .isNotEqualTo(take(new TrafficModel(7, START), START.plusSeconds(120)));
  }

  @Test
  void givesOtherIds_whenTheStartIsAnother() {
    Set<String> ids = new HashSet<>();
    requests.forEach(r -> ids.add(r.getRequestId()));
    assertThat(ids).hasSameSizeAs(requests);
    for (SpecificRecord event :
        take(new TrafficModel(7, START.plusSeconds(1)), START.plusSeconds(60))) {
      if (event instanceof RequestEvent request) {
        assertThat(ids).doesNotContain(request.getRequestId());
      }
    }
  }

  @Test
  void isInEventTimeOrder_always() {
    Instant last = START;
    for (SpecificRecord event : events) {
      assertThat(EventTimes.of(event)).isAfterOrEqualTo(last);
      last = EventTimes.of(event);
    }
  }

  @Test
  void passesTheReader_asAvroAndAsJson() {
    EventReader reader = new EventReader();
    for (SpecificRecord event : events.subList(0, 4000)) {
      for (byte[] payload :
          List.of(
              EventCodec.encode(event), EventJson.write(event).getBytes(StandardCharsets.UTF_8))) {
        Reading reading = reader.read(payload);
        assertThat(reading).as(EventJson.write(event)).isInstanceOf(Reading.Accepted.class);
        Reading.Accepted accepted = (Reading.Accepted) reading;
        if (!(event instanceof ConfigRecord)) {
          assertThat(accepted.event()).isEqualTo(event);
        }
        assertThat(accepted.unknownFields()).isZero();
        assertThat(accepted.cacheConflicts()).isZero();
      }
    }
  }

  @Test
  void splitsTrafficOnTwoConfigurationsOfOneModel() throws Exception {
    Map<String, Integer> byConfig = new HashMap<>();
    requests.forEach(r -> byConfig.merge(r.getConfigId(), 1, Integer::sum));
    assertThat(byConfig).hasSize(2);
    assertThat(requests).extracting(RequestEvent::getModelId).containsOnly(DemoConfigs.modelId());
    double perSecond = (double) requests.size() / SPAN.toSeconds();
    assertThat(perSecond).isBetween(12.0, 24.0);
    assertThat(byConfig.get(DemoConfigs.configId(DemoConfigs.SERIAL)))
        .isBetween(requests.size() / 5, requests.size() / 3);
    assertThat(of(ConfigRecord.class))
        .hasSize(5)
        .allSatisfy(c -> assertThat(byConfig).containsKey(c.getConfigId()))
        .allSatisfy(
            c ->
                assertThat(new ObjectMapper().readTree(c.getModel()).path("name").asText())
                    .isEqualTo("flux-schnell"));
    assertThat(of(ServingEvent.class)).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void isFaster_whenTheCacheWasHit() {
    double hits = mean(r -> batching(r) && hit(r) && r.getWorkload().getSteps() == 20);
    double misses = mean(r -> batching(r) && !hit(r) && r.getWorkload().getSteps() == 20);
    assertThat(hits).isLessThan(0.85 * misses);
    long hit = requests.stream().filter(r -> batching(r) && hit(r)).count();
    assertThat((double) hit / requests.stream().filter(TrafficModelTest::batching).count())
        .isBetween(0.2, 0.8);
    assertThat(requests.stream().filter(r -> !batching(r))).noneMatch(TrafficModelTest::hit);
  }

  @Test
  void isSlower_whenMoreShareTheSteps() {
    double alone =
        mean(
            r ->
                batching(r)
                    && !hit(r)
                    && r.getWorkload().getSteps() == 8
                    && r.getWorkload().getWidth() == 512
                    && r.getBatch().getSizeMean() < 2);
    double crowded =
        mean(
            r ->
                batching(r)
                    && !hit(r)
                    && r.getWorkload().getSteps() == 8
                    && r.getWorkload().getWidth() == 512
                    && r.getBatch().getSizeMean() > 4);
    assertThat(crowded).isGreaterThan(1.5 * alone);
  }

  @Test
  void accountsForEveryStepAndSecond_always() {
    for (RequestEvent r : requests) {
      double latency = Duration.between(r.getArrivedAt(), r.getFinishedAt()).toNanos() / 1e9;
      assertThat(r.getLatencySeconds())
          .isCloseTo(latency, org.assertj.core.data.Offset.offset(1e-6));
      assertThat(r.getQueueSeconds() + r.getInferenceSeconds())
          .isCloseTo(r.getLatencySeconds(), org.assertj.core.data.Offset.offset(2e-6));
      int steps = r.getBatch().getSegments().stream().mapToInt(BatchSegment::getSteps).sum();
      int cached = batching(r) ? r.getCache().getDenoise().getCachedSteps() : 0;
      assertThat(steps + cached).isEqualTo(r.getWorkload().getSteps());
      assertThat(r.getBatch().getSizeMax())
          .isLessThanOrEqualTo(batching(r) ? BatchingNode.MAX_BATCH : 1);
      assertThat(r.getBatch().getNeighbours()).doesNotContain(r.getRequestId());
    }
    assertThat(requests).anyMatch(r -> r.getQueueSeconds() > 0.2);
    double waiting =
        requests.stream().mapToDouble(RequestEvent::getQueueSeconds).max().orElseThrow();
    assertThat(waiting).as("a stable queue").isLessThan(30);
  }

  @Test
  void scoresLaterAndByClass_whenTheRequestWasServed() {
    Map<String, RequestEvent> byId = new HashMap<>();
    requests.forEach(r -> byId.put(r.getRequestId(), r));
    Map<String, double[]> clip = new HashMap<>();
    for (ScoreEvent score : of(ScoreEvent.class)) {
      RequestEvent request = byId.get(score.getRequestId());
      assertThat(request.getStatus()).isEqualTo(RequestStatus.OK);
      assertThat(Duration.between(request.getFinishedAt(), score.getScoredAt()))
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20));
      if (score.getName().equals("clip")) {
        double[] sum =
            clip.computeIfAbsent(request.getWorkload().getPromptClass(), c -> new double[2]);
        sum[0] += score.getValue();
        sum[1]++;
      }
    }
    assertThat(clip).hasSize(5);
    assertThat(clip.get("lettering")[0] / clip.get("lettering")[1])
        .isLessThan(clip.get("portrait")[0] / clip.get("portrait")[1] - 0.02);
  }

  @Test
  void failsSeldom_always() {
    double errors = requests.stream().filter(r -> r.getStatus() == RequestStatus.ERROR).count();
    assertThat(errors / requests.size()).isBetween(0.001, 0.01);
  }

  @Test
  void growsWithItsNodes_whenTheLoadIsHigher() {
    List<SpecificRecord> more = take(new TrafficModel(7, START, 4), START.plusSeconds(120));
    long count = more.stream().filter(RequestEvent.class::isInstance).count();
    assertThat(count / 120.0).isBetween(48.0, 96.0);
    assertThatThrownBy(() -> new TrafficModel(1, START, 0))
        .hasMessage("traffic load=0.0: must be between 0.1 and 1000");
  }
}

package io.servedrift.ingest.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowerTest {
  private static void noPause() {}

  @TempDir private Path folder;
  private Path log;
  private final Sink sink = new Sink();
  private Instant now = Instant.parse("2026-09-20T10:00:00Z");

  /** Acknowledges everything, after refusing as often as it is told. */
  private static final class Sink implements EventSink {
    final List<SpecificRecord> events = new ArrayList<>();
    int refusals;

    @Override
    public boolean offer(SpecificRecord event) {
      throw new UnsupportedOperationException("every event must be acknowledged");
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      if (refusals > 0) {
        refusals--;
        return CompletableFuture.failedFuture(
            new EventDroppedException(DropReason.BROKER_ERROR, "away", null));
      }
      events.add(event);
      return CompletableFuture.completedFuture(
          new Published(RecordRouting.topicFor(event, new Topics("t")), 0, 0));
    }

    List<String> ids() {
      return events.stream()
          .filter(RequestEvent.class::isInstance)
          .map(e -> ((RequestEvent) e).getRequestId())
          .toList();
    }
  }

  private final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return now;
        }
      };

  @BeforeEach
  void name() {
    log = folder.resolve("logs").resolve("a.log");
  }

  private void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private Follower follower(Path path, @Nullable Adapter adapter) throws IOException {
    Path places = folder.resolve("state").resolve("places.json");
    return new Follower(
        new FollowSettings(List.of(path), places, false, 10_000), adapter, sink, clock);
  }

  private static String request(String id) {
    return "{\"type\":\"request\",\"request_id\":\"%s\",\"deployment\":\"d\",\"status\":\"ok\",\"finished_at\":\"2026-09-20T10:00:00Z\",\"latency_seconds\":1.5}\n"
        .formatted(id);
  }

  private void steps(Follower follower, int times) throws IOException, UnfitSourceException {
    for (int i = 0; i < times; i++) {
      follower.step(() -> false, FollowerTest::noPause);
      now = now.plusSeconds(6);
    }
  }

  @Test
  void goesOnAfterARestart_withoutReadingTwice() throws Exception {
    write(log, request("r-1") + request("r-2"));
    try (Follower follower = follower(log, null)) {
      steps(follower, 3);
    }
    write(log, request("r-3"));
    try (Follower follower = follower(log, null)) {
      steps(follower, 3);
    }

    assertThat(sink.ids()).containsExactly("r-1", "r-2", "r-3");
  }

  @Test
  void losesNothing_whenTheBrokerIsAway() throws Exception {
    write(log, request("r-1") + request("r-2"));
    sink.refusals = 3;
    try (Follower follower = follower(log, null)) {
      steps(follower, 2);
      assertThat(follower.counts().published()).isEqualTo(2);
    }

    assertThat(sink.ids()).containsExactlyInAnyOrder("r-1", "r-2");
  }

  @Test
  void countsByTopicWhatTheBrokerHas() throws Exception {
    String score =
        "{\"type\":\"score\",\"request_id\":\"r-1\",\"deployment\":\"d\",\"name\":\"clip\","
            + "\"value\":0.3,\"scored_at\":\"2026-09-20T10:00:00Z\"}\n";
    String configured =
        request("r-2").replace("}\n", ",\"config\":{\"runtime\":{\"name\":\"vllm\"}}}\n");
    write(log, request("r-1") + configured + score + "no event\n");
    sink.refusals = 2;
    try (Follower follower = follower(log, null)) {
      steps(follower, 2);
      FollowCounts counts = follower.counts();

      assertThat(follower.lines()).isEqualTo(4);
      assertThat(counts.publishedByTopic())
          .isEqualTo(
              Map.of(
                  "t-requests-v1",
                  2L,
                  "t-configs-v1",
                  1L,
                  "t-scores-v1",
                  1L,
                  "t-dead-letters-v1",
                  1L));
      assertThat(counts.published()).isEqualTo(5);
    }
  }

  @Test
  void remembersNoPlaceBeforeTheBrokerHasTheEvents() throws Exception {
    write(log, request("r-1"));
    sink.refusals = 1_000;
    try (Follower follower = follower(log, null)) {
      follower.step(() -> true, FollowerTest::noPause);
      now = now.plusSeconds(60);
      assertThat(Files.readString(folder.resolve("state").resolve("places.json")))
          .contains("\"offset\" : 0");
    }
    sink.refusals = 0;
    try (Follower follower = follower(log, null)) {
      steps(follower, 2);
    }

    assertThat(sink.ids()).containsExactly("r-1");
  }

  @Test
  void findsWhatWasRotatedAway_afterACrashInTheFirstMinute() throws Exception {
    Adapter adapter = AdapterFormat.SGLANG_METRICS.open(AdapterSettings.of("g"));
    String line = "{\"id\":\"%s\",\"e2e_latency\":1.5,\"request_finished_ts\":1789898400.0}\n";
    write(log, line.formatted("r-1"));
    try (Follower crashed = follower(log, adapter)) {
      steps(crashed, 1);
    }
    write(log, line.formatted("r-2"));
    Files.move(log, log.resolveSibling("a.log.1"));
    write(log, line.formatted("r-3"));
    try (Follower follower = follower(log, adapter)) {
      steps(follower, 4);
    }

    assertThat(sink.ids()).containsExactly("r-1", "r-1", "r-2", "r-3");
  }

  @Test
  void findsWhatWasCutAndThenRotatedAway_afterACrash() throws Exception {
    write(log, request("r-1") + request("r-2"));
    try (Follower crashed = follower(log, null)) {
      steps(crashed, 2);
      Files.write(log, new byte[0]);
    }
    write(log, request("r-3"));
    Files.move(log, log.resolveSibling("a.log.1"));
    write(log, request("r-4"));
    try (Follower follower = follower(log, null)) {
      steps(follower, 4);
    }

    assertThat(sink.ids()).containsExactly("r-1", "r-2", "r-3", "r-4");
  }

  @Test
  void readsWhatAnAdapterHeldOnceMore_afterACrash() throws Exception {
    AdapterSettings settings = AdapterSettings.of("g").withZone(ZoneOffset.UTC);
    String finished =
        "{\"timestamp\":\"2026-09-20T10:00:00\",\"event\":\"request.finished\",\"rid\":\"d-1\",\"obj\":{\"sampling_params\":{\"num_inference_steps\":4}},\"out\":{\"meta_info\":{\"e2e_latency\":1.0}}}\n";
    String stages =
        "{\"request_id\":\"other\",\"timestamp\":\"2026-09-20T10:00:00+00:00\",\"tag\":\"pipeline_stage_metrics\",\"stages\":[],\"steps\":[],\"total_duration_ms\":9.0}\n";
    write(log, stages + finished);
    try (Follower crashed = follower(log, AdapterFormat.SGLANG_DIFFUSION_LOG.open(settings))) {
      steps(crashed, 1);
      assertThat(sink.ids()).isEmpty();
    }
    try (Follower follower = follower(log, AdapterFormat.SGLANG_DIFFUSION_LOG.open(settings))) {
      steps(follower, 7);
    }

    assertThat(sink.ids()).containsExactly("d-1");
  }

  @Test
  void givesWhatAnAdapterHolds_atAnOrderlyEnd() throws Exception {
    AdapterSettings settings = AdapterSettings.of("g").withZone(ZoneOffset.UTC);
    write(
        log,
        "{\"timestamp\":\"2026-09-20T10:00:00\",\"event\":\"request.finished\",\"rid\":\"d-1\",\"obj\":{},\"out\":{\"meta_info\":{\"e2e_latency\":1.0}}}\n");
    int[] looks = {0};
    try (Follower follower = follower(log, AdapterFormat.SGLANG_DIFFUSION_LOG.open(settings))) {
      follower.run(() -> looks[0]++ > 3, FollowerTest::noPause);
    }
    assertThat(sink.ids()).containsExactly("d-1");
    try (Follower follower = follower(log, AdapterFormat.SGLANG_DIFFUSION_LOG.open(settings))) {
      steps(follower, 8);
    }
    assertThat(sink.ids()).containsExactly("d-1");
  }

  @Test
  void followsFilesThatAppearInAFolder_butNotWhatIsRenamedAway() throws Exception {
    write(log, request("r-1"));
    try (Follower follower = follower(log.getParent(), null)) {
      steps(follower, 2);
      write(log, request("r-2"));
      Files.move(log, log.resolveSibling("a.log.1"));
      write(log, request("r-3"));
      write(log.resolveSibling("b.log"), request("r-4"));
      steps(follower, 5);
    }

    assertThat(sink.ids()).containsExactlyInAnyOrder("r-1", "r-2", "r-3", "r-4");
  }

  @Test
  void findsTheNewestOfMoreFilesThanAreOpen_andReadsTheOthersInTheEnd() throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 1_010; i++) {
      Path file = log.resolveSibling("h-%04d.log".formatted(i));
      write(file, request("r-" + i));
      Files.setLastModifiedTime(file, FileTime.from(now.minusSeconds(5_000_000L - i * 3_600L)));
      ids.add("r-" + i);
    }
    try (Follower follower = follower(log.getParent(), null)) {
      steps(follower, 1);
      assertThat(sink.ids()).hasSize(1_000).contains("r-1009").doesNotContain("r-0");
      steps(follower, 2);
      assertThat(sink.ids()).containsExactlyInAnyOrderElementsOf(ids);

      Path old = log.resolveSibling("h-0000.log");
      write(old, request("again"));
      steps(follower, 2);
      assertThat(sink.ids()).hasSize(1_011).contains("again");
    }
  }

  @Test
  void joinsWhatLiesBehind_beforeTheClockEndsTheWait() throws Exception {
    StringBuilder lines = new StringBuilder();
    String event =
        "{\"specversion\":\"1.0\",\"id\":\"k-%d\",\"type\":\"org.kubeflow.serving.inference.%s\",\"time\":\"2026-09-20T09:%02d:00Z\",\"inferenceservicename\":\"s\",\"data\":{}}\n";
    for (int i = 0; i < 600; i++) {
      lines.append(event.formatted(i, "request", 0));
    }
    for (int i = 0; i < 600; i++) {
      lines.append(event.formatted(i, "response", 1));
    }
    write(log, lines.toString());
    try (Follower follower = follower(log, AdapterFormat.KSERVE.open(AdapterSettings.of("s")))) {
      steps(follower, 4);
    }

    assertThat(sink.ids()).hasSize(600);
    assertThat(sink.events)
        .allSatisfy(e -> assertThat(((RequestEvent) e).getStatus()).isEqualTo(RequestStatus.OK));
  }

  @Test
  void makesADeadLetterOfALineThatCannotBeUsed() throws Exception {
    write(log, "not json\n" + request("r-1"));
    try (Follower follower = follower(log, null)) {
      steps(follower, 2);
      assertThat(follower.counts().rejected()).containsEntry("bad_json", 1L);
    }

    DeadLetter letter = (DeadLetter) sink.events.get(0);
    assertThat(letter.getOrigin()).isEqualTo(log + ":1");
    assertThat(letter.getContent()).isNull();
  }

  @Test
  void saysOfALineThatAnAdapterRejects_howLongItWas() throws Exception {
    write(log, "{\"id\":\"a\",\"text\":\"private\"}\n");
    AdapterSettings settings = AdapterSettings.of("g").withZone(ZoneOffset.UTC);
    try (Follower follower = follower(log, AdapterFormat.SGLANG_METRICS.open(settings))) {
      steps(follower, 1);
    }

    DeadLetter letter = (DeadLetter) sink.events.get(0);
    assertThat(letter.getLength()).isEqualTo(27);
    assertThat(letter.getContent()).isNull();
  }

  @Test
  void endsAtOnce_whenLocalTimesHaveNoZone() throws Exception {
    write(
        log,
        "{\"timestamp\":\"2026-09-20T10:00:00\",\"event\":\"request.finished\",\"rid\":\"d-1\",\"obj\":{},\"out\":{\"meta_info\":{\"e2e_latency\":1.0}}}\n");
    try (Follower follower =
        follower(log, AdapterFormat.SGLANG_DIFFUSION_LOG.open(AdapterSettings.of("g")))) {
      assertThatThrownBy(() -> steps(follower, 3))
          .isInstanceOf(UnfitSourceException.class)
          .hasMessageContaining("--time-zone");
    }
  }

  @Test
  void refusesAStateFileThatIsNone() throws IOException {
    write(folder.resolve("state").resolve("places.json"), "[]");

    assertThatThrownBy(() -> follower(log, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--places");
  }
}

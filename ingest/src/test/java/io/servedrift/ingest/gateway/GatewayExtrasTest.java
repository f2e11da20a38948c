package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Canary prompts and the scorer: beside the traffic, never in its way. */
class GatewayExtrasTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String IMAGES = "/v1/images/generations";
  private static final String IMAGE = "{\"id\":\"%s\",\"data\":[{\"b64_json\":\"aGVsbG8=\"}]}";

  private static GatewayExtras scorer(URI url, double share, int waiting) {
    return new GatewayExtras(
        new ScorerSettings(url, share, waiting), null, Duration.ofMinutes(1), null);
  }

  @Test
  void asksCanaryPromptsAndPublishesTheirScores(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            """
            - {name: one, prompt: first, check: {answer: Paris}}
            - {name: two, prompt: second, check: {answer: Rome}}
            """);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, "{\"choices\":[{\"message\":{\"content\":\"Paris\"}}]}");
                });
        RunningGateway running =
            new RunningGateway(
                upstream.uri(),
                settings -> settings,
                new GatewayExtras(null, CanaryFile.read(file), Duration.ofSeconds(1), null))) {
      await().atMost(SOON).until(() -> running.requests().size() >= 2);
      List<RequestEvent> events = running.requests();
      assertThat(events)
          .allSatisfy(
              event -> {
                assertThat(event.getWorkload().getPromptClass()).isEqualTo("canary");
                assertThat(event.getSynthetic()).isFalse();
                assertThat(event.getScorers().get("answer_correct")).startsWith("canaries@");
                assertThat(event.getScorers())
                    .containsEntry("output_length", "servedrift-gateway@1");
              });
      assertThat(events.get(0).getScores()).containsEntry("answer_correct", 1.0);
      assertThat(events.get(1).getScores()).containsEntry("answer_correct", 0.0);
      assertThat(upstream.heads).noneMatch(head -> head.contains("X-Servedrift"));
    }
  }

  @Test
  void takesNobodysWordForACanary(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"), "- {name: one, prompt: p, check: {answer: Paris}}\n");
    CanaryPrompts prompts = CanaryFile.read(file);
    assertThat(prompts.of("one")).isNull();
    assertThat(prompts.of("x/one")).isNull();
    assertThat(prompts.of(prompts.ticket(prompts.all().get(0)))).isNotNull();
    assertThat(CanaryFile.read(file).of(prompts.ticket(prompts.all().get(0))))
        .as("of another process")
        .isNull();
  }

  @Test
  void countsCanariesWithoutAnswer(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"), "- {name: one, prompt: p, check: {answer: Paris}}\n");
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(503, "{}");
                });
        RunningGateway running =
            new RunningGateway(
                upstream.uri(),
                settings -> settings,
                new GatewayExtras(null, CanaryFile.read(file), Duration.ofSeconds(1), null))) {
      await().atMost(SOON).until(() -> running.gateway.counts().get(Count.CANARY_FAILED) >= 1);
      RequestEvent event = running.requests().get(0);
      assertThat(event.getError()).isEqualTo("http_503");
      assertThat(event.getScores()).as("no answer is not a wrong answer").isEmpty();
    }
  }

  @Test
  void publishesWhatTheScorerSays() throws Exception {
    try (RawUpstream scorer =
            new RawUpstream(
                call -> {
                  String body = new String(call.body(), StandardCharsets.UTF_8);
                  assertThat(body).contains("\"prompt\":\"a cat\"").contains("aGVsbG8=");
                  call.json(
                      200, "{\"scores\":{\"clip\":0.31},\"scorers\":{\"clip\":\"clip-l@ab\"}}");
                });
        RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, IMAGE.formatted("r-1"));
                });
        RunningGateway running =
            new RunningGateway(upstream.uri(), s -> s, scorer(scorer.uri(), 1, 64))) {
      running.post(IMAGES, "{\"prompt\":\"a cat\"}");
      await()
          .atMost(SOON)
          .until(() -> running.events.stream().anyMatch(ScoreEvent.class::isInstance));
      ScoreEvent score =
          (ScoreEvent)
              running.events.stream()
                  .filter(ScoreEvent.class::isInstance)
                  .findFirst()
                  .orElseThrow();
      assertThat(score.getRequestId()).isEqualTo("r-1");
      assertThat(score.getDeployment()).isEqualTo("test");
      assertThat(score.getName()).isEqualTo("clip");
      assertThat(score.getValue()).isEqualTo(0.31);
      assertThat(score.getScorer()).isEqualTo("clip-l@ab");
      assertThat(scorer.heads.get(0)).startsWith("POST /v1/scores HTTP/1.1");
    }
  }

  @Test
  void dropsAndCountsImages_whenTheScorerHangs_andTrafficFlowsOn() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (RawUpstream scorer = new RawUpstream(call -> never.await());
        RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, IMAGE.formatted("r-" + System.nanoTime()));
                });
        RunningGateway running =
            new RunningGateway(upstream.uri(), s -> s, scorer(scorer.uri(), 1, 2))) {
      for (int i = 0; i < 20; i++) {
        assertThat(running.post(IMAGES, "{\"prompt\":\"p\"}").statusCode()).isEqualTo(200);
      }
      await().atMost(SOON).until(() -> running.requests().size() == 20);
      // One is with the scorer, two wait.
      assertThat(running.gateway.counts().get(Count.SCORER_SENT)).isBetween(2L, 3L);
      assertThat(running.gateway.counts().get(Count.SCORER_DROPPED)).isBetween(17L, 18L);
    }
  }

  @Test
  void choosesTheSameRequestsEverywhere_andAboutAsManyAsAsked() {
    long chosen =
        IntStream.range(0, 10_000).filter(i -> ImageScoring.isChosen("r-" + i, 0.2)).count();
    // Binomial(10000, 0.2) has sd 40: five of them.
    assertThat(chosen).isBetween(1_800L, 2_200L);
    assertThat(IntStream.range(0, 1_000).filter(i -> ImageScoring.isChosen("r-" + i, 0.2)))
        .allMatch(i -> ImageScoring.isChosen("r-" + i, 0.5));
    assertThat(IntStream.range(0, 1_000)).allMatch(i -> ImageScoring.isChosen("r-" + i, 1));
  }
}

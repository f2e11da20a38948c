package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a sample of the images to a scorer and publishes what it says as {@code score} events. One
 * thread, a bounded queue; what finds no room, or no answer, is dropped and counted. Nothing waits
 * for it.
 */
final class ImageScoring implements MeasuredListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ImageScoring.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int MAX_IMAGE_CHARS = 11 << 20;
  private static final int MAX_PROMPT = 4_000;
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final ScorerSettings settings;
  private final String deployment;
  private final GatewayCounts counts;
  private final EventSink sink;
  private final Clock clock;
  private final URI scores;
  private final EventReader reader = new EventReader();
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final BlockingQueue<Job> jobs;
  private final Thread thread = new Thread(this::scoreAll, "gateway-scoring");

  private record Job(String requestId, ObjectNode body) {}

  ImageScoring(
      ScorerSettings settings,
      String deployment,
      GatewayCounts counts,
      EventSink sink,
      Clock clock) {
    this.settings = settings;
    this.deployment = deployment;
    this.counts = counts;
    this.sink = sink;
    this.clock = clock;
    String base = settings.url().toString();
    this.scores = URI.create((base.endsWith("/") ? base : base + "/") + "v1/scores");
    this.jobs = new ArrayBlockingQueue<>(settings.waiting());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public void measured(String requestId, Route route, Ask ask, Answer answer) {
    String prompt = ask.promptForScorer();
    if (route != Route.IMAGES
        || answer.images().size() != 1
        || prompt == null
        || !isChosen(requestId, settings.share())) {
      return;
    }
    String image = answer.images().get(0);
    ObjectNode body = JSON.createObjectNode();
    body.put("prompt", prompt).put("image", image);
    boolean fits = image.length() <= MAX_IMAGE_CHARS && prompt.length() <= MAX_PROMPT;
    counts.add(
        fits && jobs.offer(new Job(requestId, body)) ? Count.SCORER_SENT : Count.SCORER_DROPPED);
  }

  /** The same requests are chosen wherever this is asked, whatever else is served. */
  static boolean isChosen(String requestId, double share) {
    String digits = CanonicalText.sha256(requestId).substring(0, 13);
    return Long.parseLong(digits, 16) < share * (1L << 52);
  }

  private void scoreAll() {
    try {
      while (true) {
        score(jobs.take());
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private void score(Job job) throws InterruptedException {
    try {
      HttpResponse<byte[]> answer =
          client.send(
              HttpRequest.newBuilder(scores)
                  .timeout(TIMEOUT)
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofByteArray(
                          job.body().toString().getBytes(StandardCharsets.UTF_8)))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      if (answer.statusCode() != 200) {
        dropped("HTTP " + answer.statusCode());
        return;
      }
      publish(job.requestId(), JSON.readTree(answer.body()));
    } catch (IOException away) {
      dropped(away.getClass().getSimpleName());
    }
  }

  private void dropped(String why) {
    counts.add(Count.SCORER_DROPPED);
    LOG.debug("an image was not scored: {}", why);
  }

  private void publish(String requestId, JsonNode answer) {
    for (Map.Entry<String, JsonNode> score : answer.path("scores").properties()) {
      ObjectNode event = JSON.createObjectNode();
      event
          .put("type", "score")
          .put("request_id", requestId)
          .put("deployment", deployment)
          .put("name", score.getKey())
          .put("scored_at", clock.instant().toString());
      event.set("value", score.getValue());
      event.set("scorer", answer.path("scorers").path(score.getKey()));
      if (reader.readJson(event) instanceof Reading.Accepted accepted) {
        sink.offer(accepted.event());
      } else {
        dropped("no valid score");
      }
    }
  }

  /** Drops what waits. */
  @Override
  public void close() {
    thread.interrupt();
    Job left = jobs.poll();
    while (left != null) {
      counts.add(Count.SCORER_DROPPED);
      left = jobs.poll();
    }
  }
}

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
import java.io.InputStream;
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
 * thread, a queue bounded in images and in bytes; what finds no room, or no answer, is dropped and
 * counted. Nothing waits for it.
 */
final class ImageScoring implements MeasuredListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ImageScoring.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int MAX_IMAGE_CHARS = 11 << 20;
  private static final int MAX_PROMPT = 4_000;
  private static final int MAX_ANSWER = 1 << 20;
  private static final long WAITING_BYTES = 64L << 20;
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
  private final CaptureBudget waiting = new CaptureBudget(WAITING_BYTES);
  private final Thread thread = new Thread(this::scoreAll, "gateway-scoring");

  private record Job(String requestId, ObjectNode body, int bytes) {}

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
        fits && enqueue(new Job(requestId, body, image.length()))
            ? Count.SCORER_SENT
            : Count.SCORER_DROPPED);
  }

  private boolean enqueue(Job job) {
    if (!waiting.take(job.bytes())) {
      return false;
    }
    boolean queued = jobs.offer(job);
    if (!queued) {
      waiting.giveBack(job.bytes());
    }
    return queued;
  }

  /** The same requests are chosen wherever this is asked, whatever else is served. */
  static boolean isChosen(String requestId, double share) {
    String digits = CanonicalText.sha256(requestId).substring(0, 13);
    return Long.parseLong(digits, 16) < share * (1L << 52);
  }

  private void scoreAll() {
    try {
      while (true) {
        Job job = jobs.take();
        try {
          score(job);
        } finally {
          waiting.giveBack(job.bytes());
        }
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private void score(Job job) throws InterruptedException {
    try {
      HttpResponse<InputStream> answer =
          client.send(
              HttpRequest.newBuilder(scores)
                  .timeout(TIMEOUT)
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofByteArray(
                          job.body().toString().getBytes(StandardCharsets.UTF_8)))
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        byte[] bytes = body.readNBytes(MAX_ANSWER + 1);
        if (answer.statusCode() != 200 || bytes.length > MAX_ANSWER) {
          dropped("HTTP " + answer.statusCode() + ", " + bytes.length + " bytes");
        } else {
          publish(job.requestId(), JSON.readTree(bytes));
        }
      }
    } catch (IOException | RuntimeException e) {
      // Whatever fails must not end the scoring of what follows.
      dropped(e.getClass().getSimpleName());
    } catch (InterruptedException closing) {
      dropped("closing");
      throw closing;
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

package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks one canary prompt after the other, round and round, through the gateway's own port, so that
 * they take the way of all requests. One at a time: a slow upstream gets them less often.
 */
final class CanaryRounds implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CanaryRounds.class);

  private final CanaryPrompts prompts;
  private final Duration timeout;
  private final GatewayCounts counts;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ScheduledExecutorService schedule =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "gateway-canaries");
            thread.setDaemon(true);
            return thread;
          });
  private int next;

  CanaryRounds(CanaryPrompts prompts, Duration timeout, GatewayCounts counts) {
    this.prompts = prompts;
    this.timeout = timeout;
    this.counts = counts;
  }

  /** Begins, with the first prompt at once. */
  void start(URI gateway, Duration every) {
    var unused =
        schedule.scheduleWithFixedDelay(
            () -> askNext(gateway), 0, every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void askNext(URI gateway) {
    Canary prompt = prompts.all().get(next);
    next = (next + 1) % prompts.all().size();
    counts.add(Count.CANARY_SENT);
    try {
      HttpResponse<Void> answer =
          client.send(
              HttpRequest.newBuilder(gateway.resolve(prompt.path()))
                  .timeout(timeout)
                  .header("Content-Type", "application/json")
                  .header(CanaryPrompts.HEADER, prompts.ticket(prompt))
                  .POST(HttpRequest.BodyPublishers.ofString(prompt.body().toString()))
                  .build(),
              HttpResponse.BodyHandlers.discarding());
      if (answer.statusCode() != 200) {
        failed(prompt, "HTTP " + answer.statusCode());
      }
    } catch (IOException | RuntimeException e) {
      // Whatever fails must not end the prompts that follow.
      failed(prompt, e.getClass().getSimpleName());
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private void failed(Canary prompt, String why) {
    counts.add(Count.CANARY_FAILED);
    LOG.warn("canary prompt {} got no answer: {}; see the upstream's log", prompt.name(), why);
  }

  @Override
  public void close() {
    schedule.shutdownNow();
  }
}

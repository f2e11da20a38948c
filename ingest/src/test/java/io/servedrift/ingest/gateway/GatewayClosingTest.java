package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class GatewayClosingTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void letsWhatIsUnderWayEnd_andTakesNothingNew() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  asked.countDown();
                  go.await();
                  call.json(200, "{\"choices\":[]}");
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      int port = running.gateway.port();
      CompletableFuture<HttpResponse<String>> answer = send(running.uri(CHAT), "{}");
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(running.gateway::close);
      await().atMost(SOON).until(() -> refuses(port));
      // Longer than Jetty leaves silent connections by itself once it is to stop.
      Thread.sleep(2_000);
      assertThat(closing).isNotDone();
      go.countDown();
      assertThat(answer.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      closing.get(20, TimeUnit.SECONDS);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.OK);
    }
  }

  private static boolean refuses(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return !socket.isConnected();
    } catch (IOException refused) {
      return true;
    }
  }

  /** The sum in the javadoc of {@link GatewayCounts}, with every way a request can go. */
  @Test
  void countsEveryMeasuredRequestOnce_whateverBecomesOfIt() throws Exception {
    CountDownLatch silent = new CountDownLatch(1);
    Reluctant sink = new Reluctant();
    try (RawUpstream upstream =
        new RawUpstream(
            call -> {
              String body = new String(call.body(), StandardCharsets.US_ASCII);
              if (body.contains("wait")) {
                silent.await();
              }
              call.json(
                  body.contains("wrong") ? 400 : 200,
                  call.head().contains("/videos") ? "{\"status\":\"queued\"}" : "{}");
            })) {
      Gateway gateway =
          new Gateway(
              GatewaySettings.of(upstream.uri(), "test").withAddress("127.0.0.1", 0),
              sink,
              GatewayExtras.NONE,
              Clock.systemUTC());
      gateway.start();
      URI chat = URI.create("http://127.0.0.1:" + gateway.port() + CHAT);
      GatewayCounts counts = gateway.counts();
      assertThat(send(chat.resolve("/v1/models"), "{}").get().statusCode()).isEqualTo(200);
      assertThat(send(chat.resolve("/v1/videos"), "{}").get().statusCode()).isEqualTo(200);
      assertThat(send(chat, "wrong").get().statusCode()).isEqualTo(400);
      // Published, not taken by the publisher, and one that the measuring is stuck with.
      for (int i = 0; i < 3; i++) {
        assertThat(send(chat, "{}").get().statusCode()).isEqualTo(200);
      }
      assertThat(sink.stuck.await(20, TimeUnit.SECONDS)).isTrue();
      // Behind that one.
      for (int i = 0; i < 5; i++) {
        assertThat(send(chat, "{}").get().statusCode()).isEqualTo(200);
      }
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        waiting.add(send(chat, "wait"));
      }
      await().atMost(SOON).until(() -> gateway.running() == 2);

      gateway.close(Duration.ofMillis(200), Duration.ofMillis(200));

      for (CompletableFuture<HttpResponse<String>> cut : waiting) {
        int status = cut.handle((told, broken) -> told == null ? 0 : told.statusCode()).get();
        assertThat(status).as("502 or a connection that breaks").isIn(0, 502);
      }
      assertThat(counts.get(Count.MEASURING_DROPPED)).isEqualTo(5 + 2);
      sink.goOn.countDown();
      await().atMost(SOON).until(() -> counts.get(Count.HANDED_OVER) == 2);
      assertThat(gateway.running()).isZero();
      assertThat(gateway.capturedBytes()).isZero();
      assertThat(counts.get(Count.PASSED)).isEqualTo(1);
      assertThat(counts.get(Count.REFUSED)).isEqualTo(1);
      assertThat(counts.get(Count.UNFINISHED)).isEqualTo(1);
      assertThat(counts.get(Count.UNPUBLISHABLE)).isEqualTo(1);
      assertThat(counts.get(Count.MEASURED)).isEqualTo(1 + 1 + 3 + 5 + 2);
      assertThat(
              counts.get(Count.HANDED_OVER)
                  + counts.get(Count.REFUSED)
                  + counts.get(Count.UNFINISHED)
                  + counts.get(Count.MEASURING_DROPPED)
                  + counts.get(Count.UNPUBLISHABLE))
          .isEqualTo(counts.get(Count.MEASURED));
    } finally {
      silent.countDown();
      sink.goOn.countDown();
    }
  }

  private static CompletableFuture<HttpResponse<String>> send(URI target, String body) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return client.sendAsync(
        HttpRequest.newBuilder(target)
            .timeout(Duration.ofSeconds(60))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Takes the first request, refuses the second, and keeps whoever brings the third. */
  private static final class Reluctant implements EventSink {

    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public boolean offer(SpecificRecord event) {
      if (!(event instanceof RequestEvent)) {
        return true;
      }
      int number = requests.incrementAndGet();
      if (number == 3) {
        stuck.countDown();
        try {
          return goOn.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return false;
        }
      }
      return number != 2;
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      return CompletableFuture.failedFuture(new IOException("not asked for"));
    }
  }
}

package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class GatewayPassingTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void passesBodiesByteForByte_whateverTheirFraming() throws Exception {
    byte[] up = new byte[300_001];
    new Random(7).nextBytes(up);
    AtomicReference<byte[]> seen = new AtomicReference<>();
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  byte[] body = call.body();
                  seen.set(body);
                  call.write("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n");
                  if (call.head().contains("/chunked")) {
                    call.write("Transfer-Encoding: chunked\r\n\r\n");
                    for (int from = 0; from < body.length; from += 70_000) {
                      int size = Math.min(70_000, body.length - from);
                      call.write(Integer.toHexString(size) + "\r\n");
                      call.out().write(body, from, size);
                      call.write("\r\n");
                    }
                    call.endStream();
                  } else {
                    call.write("Content-Length: " + body.length + "\r\n\r\n");
                    call.out().write(body);
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      for (String path : List.of("/v1/images/edits/chunked", "/v1/images/edits", "/any/chunked")) {
        for (HttpRequest.BodyPublisher body :
            List.of(
                HttpRequest.BodyPublishers.ofByteArray(up),
                HttpRequest.BodyPublishers.fromPublisher(
                    HttpRequest.BodyPublishers.ofByteArray(up)))) {
          HttpResponse<byte[]> answer =
              running.client.send(
                  HttpRequest.newBuilder(running.uri(path)).POST(body).build(),
                  HttpResponse.BodyHandlers.ofByteArray());
          assertThat(answer.statusCode()).isEqualTo(200);
          assertThat(seen.get()).isEqualTo(up);
          assertThat(answer.body()).isEqualTo(up);
        }
      }
    }
  }

  @Test
  void passesPathAndQueryAsWritten() throws Exception {
    try (RawUpstream upstream = new RawUpstream(call -> call.json(200, "{}"));
        RunningGateway running = new RunningGateway(upstream.uri())) {
      for (String target :
          List.of(
              "/v1/models/Qwen%2FImage?a&b=1%20x&b=2",
              "//double//slash", "/a/../b/./c", "/a;x=1/b?q=a+b%2B", "/caf%C3%A9?%E2%82%AC")) {
        String answer =
            running.raw("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(answer).as(target).startsWith("HTTP/1.1 200");
        assertThat(upstream.heads.get(upstream.heads.size() - 1))
            .startsWith("GET " + target + " HTTP/1.1\r\n");
      }
    }
  }

  @Test
  void leavesOutTheTrailersOfAnAnswer_whichIsWholeWithoutThem() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call ->
                    call.write(
                        "HTTP/1.1 200 OK|Transfer-Encoding: chunked|Trailer: X-Digest||"
                            .concat("5|hello|0|X-Digest: abc|Content-Length: 3||")
                            .replace("|", "\r\n")));
        RunningGateway running = new RunningGateway(upstream.uri())) {
      String call = "GET /x HTTP/1.1\r\nHost: h\r\nTE: trailers\r\n";
      String answers = running.raw(call + "\r\n" + call + "Connection: close\r\n\r\n");

      assertThat(answers).doesNotContain("X-Digest").doesNotContain("Content-Length");
      assertThat(answers.split("HTTP/1.1 200", -1))
          .as("both, in step")
          .hasSize(3)
          .satisfies(each -> assertThat(each[1]).endsWith("5\r\nhello\r\n0\r\n\r\n"))
          .satisfies(each -> assertThat(each[2]).endsWith("\r\n\r\nhello"));
    }
  }

  @Test
  void removesWhatIsMeantForOneHopOnly() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call ->
                    call.write(
                        "HTTP/1.1 200 OK|Content-Length: 2|Keep-Alive: timeout=5|"
                            .concat("Connection: X-Between|X-Between: up|X-End: kept|")
                            .concat("Proxy-Authenticate: Basic||ok")
                            .replace("|", "\r\n")));
        RunningGateway running = new RunningGateway(upstream.uri())) {
      String answer =
          running.raw(
              "GET /x HTTP/1.1|Host: client-host|Connection: close, Upgrade, X-Mine|X-Mine: 1|"
                  .concat("Keep-Alive: 5|TE: trailers|Upgrade: websocket|Trailer: X|")
                  .concat("Proxy-Authorization: Basic secret|X-Kept: 2||")
                  .replace("|", "\r\n"));
      assertThat(answer).startsWith("HTTP/1.1 200");
      String head = upstream.heads.get(0);
      assertThat(head)
          .contains("X-Kept: 2\r\n")
          .contains("Host: " + upstream.uri().getAuthority() + "\r\n")
          .contains("Via: 1.1 servedrift\r\n")
          .doesNotContain("X-Mine")
          .doesNotContain("secret")
          .doesNotContainIgnoringCase("upgrade")
          .doesNotContainIgnoringCase("keep-alive")
          .doesNotContainIgnoringCase("trailer");
      assertThat(answer)
          .contains("X-End: kept")
          .doesNotContain("X-Between")
          .doesNotContain("Keep-Alive")
          .doesNotContain("Proxy-Authenticate")
          .endsWith("ok");
    }
  }

  @Test
  void answers502AndTellsIt_whenTheUpstreamIsAway() throws Exception {
    try (RunningGateway running = new RunningGateway(URI.create("http://127.0.0.1:1"))) {
      var answer = running.post(CHAT, "{}");
      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(answer.body())
          .isEqualTo(
              "{\"error\":{\"message\":\"gateway: Bad Gateway\",\"type\":\"gateway_error\","
                  + "\"param\":null,\"code\":\"502\"}}");
      RequestEvent event = running.onlyRequest();
      assertThat(event.getStatus()).isEqualTo(RequestStatus.ERROR);
      assertThat(event.getError()).isEqualTo("upstream_unreachable");
    }
  }

  @Test
  void answers502_whenTheUpstreamEndsBeforeItsAnswer() throws Exception {
    try (RawUpstream upstream = new RawUpstream(RawUpstream.Call::reset);
        RunningGateway running = new RunningGateway(upstream.uri())) {
      assertThat(running.post(CHAT, "{}").statusCode()).isEqualTo(502);
      assertThat(running.onlyRequest().getError()).isEqualTo("upstream_reset");
    }
  }

  @Test
  void answers502_whenTheUpstreamSpeaksNoHttp() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.write("hello there\r\n\r\n");
                  call.socket().shutdownOutput();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      assertThat(running.post(CHAT, "{}").statusCode()).isEqualTo(502);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.ERROR);
    }
  }

  @Test
  void answers504_whenTheUpstreamIsSilentForTooLong() throws Exception {
    try (RawUpstream upstream = new RawUpstream(call -> Thread.sleep(60_000));
        RunningGateway running =
            new RunningGateway(upstream.uri(), s -> s.withUpstreamTimeout(Duration.ofSeconds(1)))) {
      assertThat(running.post(CHAT, "{}").statusCode()).isEqualTo(504);
      RequestEvent event = running.onlyRequest();
      assertThat(event.getStatus()).isEqualTo(RequestStatus.TIMEOUT);
      assertThat(event.getError()).isEqualTo("upstream_timeout");
    }
  }

  @Test
  void cutsTheAnswerOff_whenTheUpstreamBreaksOffWithinChunks() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.beginStream();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"half\"}}]}");
                  Thread.sleep(200);
                  call.reset();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      String answer = running.raw(chat("{}"));
      assertThat(answer).contains("half").doesNotContain("0\r\n\r\n").doesNotContain("502");
      RequestEvent event = running.onlyRequest();
      assertThat(event.getStatus()).isEqualTo(RequestStatus.ERROR);
      assertThat(event.getError()).isEqualTo("upstream_reset");
    }
  }

  @Test
  void cutsTheAnswerOff_whenTheUpstreamSendsLessThanItAnnounced() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.write(
                      "HTTP/1.1 200 OK|Content-Type: application/json|Content-Length: 1000||"
                          .replace("|", "\r\n")
                          .concat("{\"id\":"));
                  Thread.sleep(200);
                  call.socket().shutdownOutput();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      String answer = running.raw(chat("{}"));
      assertThat(answer).contains("Content-Length: 1000").endsWith("{\"id\":");
      assertThat(running.onlyRequest().getError()).isEqualTo("upstream_reset");
    }
  }

  @Test
  void cancelsAtTheUpstream_whenTheClientLeavesWhileItWaits() throws Exception {
    AtomicBoolean cancelled = new AtomicBoolean();
    CountDownLatch asked = new CountDownLatch(1);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  asked.countDown();
                  cancelled.set(call.in().read() < 0);
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      try (Socket socket = running.connect()) {
        socket.getOutputStream().write(chat("{}").getBytes(StandardCharsets.US_ASCII));
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      }
      await().atMost(SOON).untilTrue(cancelled);
      RequestEvent event = running.onlyRequest();
      assertThat(event.getStatus()).isEqualTo(RequestStatus.CANCELLED);
      assertThat(event.getError()).isNull();
      assertThat(running.gateway.running()).isZero();
    }
  }

  @Test
  void cancelsAtTheUpstream_whenTheClientLeavesWithinAStream() throws Exception {
    AtomicBoolean cancelled = new AtomicBoolean();
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  try {
                    while (true) {
                      call.event("{\"choices\":[{\"delta\":{\"content\":\"word \"}}]}");
                      Thread.sleep(5);
                    }
                  } catch (IOException broken) {
                    cancelled.set(true);
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      try (Socket socket = running.connect()) {
        socket.getOutputStream().write(chat("{}").getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().readNBytes(400)).hasSize(400);
      }
      await().atMost(SOON).untilTrue(cancelled);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.CANCELLED);
    }
  }

  @Test
  void countsAsServed_whenTheClientLeavesAfterTheLastWordOfAStream() throws Exception {
    CountDownLatch left = new CountDownLatch(1);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"all\"}}]}");
                  call.event("[DONE]");
                  left.await();
                  Thread.sleep(100);
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      try (Socket socket = running.connect()) {
        socket.getOutputStream().write(chat("{}").getBytes(StandardCharsets.US_ASCII));
        StringBuilder seen = new StringBuilder();
        while (!seen.toString().contains("[DONE]")) {
          seen.append((char) socket.getInputStream().read());
        }
      }
      left.countDown();
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.OK);
    }
  }

  @Test
  void answersInOrder_whenTheClientSendsTheNextRequestEarly() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  byte[] body = call.body();
                  Thread.sleep(200);
                  call.json(200, new String(body, StandardCharsets.US_ASCII));
                });
        RunningGateway running = new RunningGateway(upstream.uri());
        Socket socket = running.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(keptAlive("{\"n\":1}").getBytes(StandardCharsets.US_ASCII));
      Thread.sleep(60);
      String both = keptAlive("{\"n\":2}") + chat("{\"n\":3}");
      out.write(both.getBytes(StandardCharsets.US_ASCII));
      String answers =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answers.indexOf("{\"n\":1}")).isPositive();
      assertThat(answers.indexOf("{\"n\":2}")).isGreaterThan(answers.indexOf("{\"n\":1}"));
      assertThat(answers.indexOf("{\"n\":3}")).isGreaterThan(answers.indexOf("{\"n\":2}"));
      await().atMost(SOON).until(() -> running.requests().size() == 3);
      assertThat(running.requests()).allMatch(event -> event.getStatus() == RequestStatus.OK);
    }
  }

  @Test
  void holdsTheUpstreamBack_whenTheClientDoesNotRead() throws Exception {
    long size = 100L << 20;
    AtomicLong written = new AtomicLong();
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.write(
                      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                          + size
                          + "\r\n\r\n");
                  byte[] block = new byte[64 * 1024];
                  for (long sent = 0; sent < size; sent += block.length) {
                    call.out().write(block);
                    written.addAndGet(block.length);
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri());
        Socket socket = running.connect()) {
      socket.setReceiveBufferSize(64 * 1024);
      socket.getOutputStream().write(chat("{}").getBytes(StandardCharsets.US_ASCII));
      long stuckAt = awaitStandstill(written);
      assertThat(stuckAt).as("bytes on the way with nobody reading").isLessThan(32L << 20);
      assertThat(running.gateway.capturedBytes()).isLessThanOrEqualTo(64L << 20);
      assertThat(drain(socket.getInputStream())).isGreaterThan(size);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.OK);
      assertThat(running.gateway.counts().get(GatewayCounts.Count.ANSWER_UNREAD)).isEqualTo(1);
      await().atMost(SOON).until(() -> running.gateway.capturedBytes() == 0);
    }
  }

  @Test
  void holdsTheClientBack_whenTheUpstreamDoesNotRead() throws Exception {
    long size = 100L << 20;
    AtomicLong written = new AtomicLong();
    CountDownLatch read = new CountDownLatch(1);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  read.await();
                  call.in().skipNBytes(size);
                  call.json(200, "{}");
                });
        RunningGateway running = new RunningGateway(upstream.uri());
        Socket socket = running.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST /v1/images/edits HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
                  + size
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                byte[] block = new byte[64 * 1024];
                try {
                  for (long sent = 0; sent < size; sent += block.length) {
                    out.write(block);
                    written.addAndGet(block.length);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThat(awaitStandstill(written)).isLessThan(32L << 20);
      read.countDown();
      sending.get(60, TimeUnit.SECONDS);
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 200");
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.OK);
    }
  }

  @Test
  void carriesTwoHundredStreamsAtOnce() throws Exception {
    int streams = 200;
    CountDownLatch allOpen = new CountDownLatch(streams);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"first\"}}]}");
                  allOpen.countDown();
                  allOpen.await();
                  for (int i = 0; i < 20; i++) {
                    call.event("{\"choices\":[{\"delta\":{\"content\":\" " + i + "\"}}]}");
                  }
                  call.event("[DONE]");
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        answers.add(
            running.client.sendAsync(
                HttpRequest.newBuilder(running.uri(CHAT))
                    .POST(HttpRequest.BodyPublishers.ofString("{\"stream\":true}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString()));
      }
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        String body = answer.get(60, TimeUnit.SECONDS).body();
        assertThat(body).contains("first").contains(" 19").endsWith("data: [DONE]\n\n");
      }
      await().atMost(SOON).until(() -> running.requests().size() == streams);
      assertThat(running.requests()).allMatch(event -> event.getStatus() == RequestStatus.OK);
      assertThat(running.requests())
          .extracting(event -> event.getBatch().getRunning())
          .containsOnlyOnce(streams)
          .allMatch(n -> n >= 1 && n <= streams);
      assertThat(running.gateway.running()).isZero();
    }
  }

  private static String chat(String body) {
    return "POST "
        + CHAT
        + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private static String keptAlive(String body) {
    return chat(body).replace("Connection: close\r\n", "");
  }

  /** Waits until a count has not moved for a second, and returns it. */
  static long awaitStandstill(AtomicLong count) throws InterruptedException {
    long before = -1;
    while (count.get() != before || before == 0) {
      before = count.get();
      Thread.sleep(1_000);
    }
    return before;
  }

  private static long drain(InputStream in) throws IOException {
    byte[] block = new byte[64 * 1024];
    long all = 0;
    int n = in.read(block);
    while (n >= 0) {
      all += n;
      n = in.read(block);
    }
    return all;
  }
}

package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
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
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that speak HTTP/2 with prior knowledge, on the port of all others. */
class GatewayHttp2Test {

  private static final String CHAT = "/v1/chat/completions";
  private static final Duration SOON = Duration.ofSeconds(20);

  private final HTTP2Client client = new HTTP2Client();

  @BeforeEach
  void start() throws Exception {
    client.start();
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
  }

  @Test
  void passesBodiesByteForByte_announcedOrNot_whateverTheMethod() throws Exception {
    byte[] up = new byte[300_001];
    new Random(7).nextBytes(up);
    AtomicReference<byte[]> seen = new AtomicReference<>();
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  byte[] body = call.body();
                  seen.set(body);
                  call.write(
                      "HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\nX-End: kept\r\n");
                  call.write("Keep-Alive: timeout=5\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n");
                  call.out().write(body);
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      HttpFields announced = HttpFields.build().put("content-length", up.length);
      for (String method : List.of("POST", "PUT", "GET", "DELETE")) {
        for (HttpFields fields : List.of(HttpFields.EMPTY, announced)) {
          Http2Call call = Http2Call.begin(session, running, method, "/any", fields, true);
          var unused = call.send(up, true);
          assertThat(call.end()).isEqualTo("whole");
          assertThat(call.head().getStatus()).isEqualTo(200);
          assertThat(call.head().getHttpFields().get("x-end")).isEqualTo("kept");
          assertThat(call.head().getHttpFields().get("keep-alive")).isNull();
          assertThat(call.head().getHttpFields().get("x-hop")).isNull();
          assertThat(seen.get()).as(method).isEqualTo(up);
          assertThat(call.body()).as(method).isEqualTo(up);
        }
      }
      Http2Call none = Http2Call.get(session, running, "/none", HttpFields.EMPTY);
      assertThat(none.end()).isEqualTo("whole");
      assertThat(upstream.heads.get(upstream.heads.size() - 1))
          .doesNotContainIgnoringCase("chunked")
          .doesNotContainIgnoringCase("content-length");
    }
  }

  @Test
  void joinsCookies_andSaysWhoAsked() throws Exception {
    try (RawUpstream upstream = new RawUpstream(call -> call.json(200, "{}"));
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      HttpFields fields = HttpFields.build().add("cookie", "a=1").add("cookie", "b=2");
      assertThat(Http2Call.get(session, running, "/p%2Fq?x=%20", fields).end()).isEqualTo("whole");
      assertThat(upstream.heads.get(0))
          .startsWith("GET /p%2Fq?x=%20 HTTP/1.1\r\n")
          .containsIgnoringCase("cookie: a=1; b=2\r\n")
          .contains("Host: " + upstream.uri().getAuthority() + "\r\n")
          .contains("host=\"127.0.0.1:" + running.gateway.port() + "\"")
          .contains("Via: 2.0 servedrift\r\n");
    }
  }

  @Test
  void passesEachEventOfAStreamAtOnce_andMeasuresIt() throws Exception {
    CountDownLatch firstSeen = new CountDownLatch(1);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"id\":\"c\",\"choices\":[{\"delta\":{\"content\":\"one\"}}]}");
                  firstSeen.await();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\" two\"}}]}");
                  call.event("[DONE]");
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      Http2Call call =
          Http2Call.post(session, running, CHAT, "{\"seed\":7}".getBytes(StandardCharsets.UTF_8));
      await().atMost(SOON).until(() -> call.text().contains("one"));
      firstSeen.countDown();
      assertThat(call.end()).isEqualTo("whole");
      assertThat(call.text()).endsWith("data: [DONE]\n\n");
      RequestEvent event = running.onlyRequest();
      assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
      assertThat(event.getRequestId()).isEqualTo("c");
      assertThat(event.getWorkload().getSeed()).isEqualTo(7);
      assertThat(event.getTimeToFirstTokenSeconds()).isPositive();
      assertThat(event.getScores()).containsEntry("output_length", 7.0);
    }
  }

  @Test
  void carriesTwoHundredStreamsOnOneConnection() throws Exception {
    int streams = 200;
    CountDownLatch allOpen = new CountDownLatch(streams);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  allOpen.countDown();
                  allOpen.await();
                  for (int i = 0; i < 20; i++) {
                    call.event("{\"choices\":[{\"delta\":{\"content\":\" " + i + "\"}}]}");
                  }
                  call.event("[DONE]");
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      List<Http2Call> calls = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        calls.add(Http2Call.post(session, running, CHAT, "{}".getBytes(StandardCharsets.UTF_8)));
      }
      for (Http2Call call : calls) {
        assertThat(call.end()).isEqualTo("whole");
        assertThat(call.text()).contains(" 19").endsWith("data: [DONE]\n\n");
      }
      await().atMost(SOON).until(() -> running.requests().size() == streams);
      assertThat(running.requests()).allMatch(event -> event.getStatus() == RequestStatus.OK);
      assertThat(running.gateway.running()).isZero();
    }
  }

  @Test
  void holdsBackTheUpstreamOfOneStream_andNoOther() throws Exception {
    long size = 100L << 20;
    AtomicLong written = new AtomicLong();
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  if (call.head().startsWith("GET /small")) {
                    call.json(200, "{}");
                    return;
                  }
                  call.write("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
                  byte[] block = new byte[64 * 1024];
                  for (long sent = 0; sent < size; sent += block.length) {
                    call.out().write(block);
                    written.addAndGet(block.length);
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      Http2Call slow = Http2Call.begin(session, running, "GET", "/large", HttpFields.EMPTY, false);
      var unused = slow.send(new byte[0], true);
      await().atMost(SOON).until(() -> written.get() > 0);
      assertThat(GatewayPassingTest.awaitStandstill(written)).isLessThan(32L << 20);
      Http2Call other = Http2Call.get(session, running, "/small", HttpFields.EMPTY);
      assertThat(other.end()).isEqualTo("whole");
      slow.reset();
    }
  }

  @Test
  void holdsBackOneUpload_andNoOther() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    byte[] large = new byte[4 << 20];
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  if (call.head().startsWith("POST /stuck")) {
                    read.await();
                  }
                  call.json(200, "\"" + call.body().length + "\"");
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      List<Http2Call> stuck = new ArrayList<>();
      List<CompletableFuture<?>> sending = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Http2Call call =
            Http2Call.begin(session, running, "POST", "/stuck", HttpFields.EMPTY, true);
        sending.add(call.send(large, true));
        stuck.add(call);
      }
      Http2Call other = Http2Call.post(session, running, "/other", large);
      assertThat(other.end()).isEqualTo("whole");
      assertThat(other.text()).isEqualTo("\"" + large.length + "\"");
      assertThat(sending).as("held back by their windows").noneMatch(CompletableFuture::isDone);
      read.countDown();
      for (Http2Call call : stuck) {
        assertThat(call.end()).isEqualTo("whole");
        assertThat(call.text()).isEqualTo("\"" + large.length + "\"");
      }
    }
  }

  @Test
  void cancelsAtTheUpstream_whenTheClientResetsItsStream() throws Exception {
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
      Session session = Http2Call.connect(client, running);
      Http2Call call =
          Http2Call.post(session, running, CHAT, "{}".getBytes(StandardCharsets.UTF_8));
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      call.reset();
      await().atMost(SOON).untilTrue(cancelled);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.CANCELLED);
      assertThat(running.gateway.running()).isZero();
    }
  }

  @Test
  void cancelsAtTheUpstream_whenTheConnectionIsLost() throws Exception {
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
      try (RawHttp2 raw = new RawHttp2(running)) {
        raw.headers(
            1, false, ":method", "POST", ":scheme", "http", ":path", CHAT, ":authority", "x");
        raw.data(1, true, "{}");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      }
      await().atMost(SOON).untilTrue(cancelled);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.CANCELLED);
    }
  }

  @Test
  void resetsTheStream_whenTheUpstreamBreaksOff() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"half\"}}]}");
                  seen.await();
                  call.reset();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      Session session = Http2Call.connect(client, running);
      Http2Call call =
          Http2Call.post(session, running, CHAT, "{}".getBytes(StandardCharsets.UTF_8));
      await().atMost(SOON).until(() -> call.text().contains("half"));
      seen.countDown();
      assertThat(call.end()).startsWith("reset");
      assertThat(running.onlyRequest().getError()).isEqualTo("upstream_reset");
    }
  }

  @Test
  void answers502_whenTheUpstreamIsAway() throws Exception {
    try (RunningGateway running =
        new RunningGateway(URI.create("http://127.0.0.1:" + freePort()))) {
      Session session = Http2Call.connect(client, running);
      Http2Call call =
          Http2Call.post(session, running, CHAT, "{}".getBytes(StandardCharsets.UTF_8));
      assertThat(call.end()).isEqualTo("whole");
      assertThat(call.head().getStatus()).isEqualTo(502);
      assertThat(running.onlyRequest().getError()).isEqualTo("upstream_unreachable");
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  @Test
  void letsStreamsEnd_whenItCloses() throws Exception {
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
      Session session = Http2Call.connect(client, running);
      Http2Call call =
          Http2Call.post(session, running, CHAT, "{}".getBytes(StandardCharsets.UTF_8));
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(running.gateway::close);
      Thread.sleep(2_000);
      assertThat(closing).isNotDone();
      go.countDown();
      assertThat(call.end()).isEqualTo("whole");
      closing.get(20, TimeUnit.SECONDS);
      assertThat(running.onlyRequest().getStatus()).isEqualTo(RequestStatus.OK);
    }
  }
}

package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112: messages that two readers could read differently must not pass. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatewayHostileTest {

  private static final String BODY = "{}";
  private RawUpstream upstream;
  private RunningGateway running;

  @BeforeAll
  void start() throws IOException {
    upstream =
        new RawUpstream(
            call -> {
              byte[] body = call.body();
              call.json(200, "\"" + body.length + "\"");
            });
    running = new RunningGateway(upstream.uri());
  }

  @AfterAll
  void stop() throws IOException {
    running.close();
    upstream.close();
  }

  @BeforeEach
  void forget() {
    upstream.heads.clear();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Section 6.1: both framings; the classic CL.TE and TE.CL.
        "Content-Length: 4|Transfer-Encoding: chunked||0|||GET /admin HTTP/1.1|Host: x||",
        "Transfer-Encoding: chunked|Content-Length: 4||5c||GPOST / HTTP/1.1||0||",
        // TE.TE: forms one reader takes for chunked and another does not.
        "Transfer-Encoding: xchunked||0||",
        "Transfer-Encoding: chunked, identity||0||",
        "Transfer-Encoding: identity|Content-Length: 2||{}",
        "Transfer-Encoding: chunked|Transfer-Encoding: x||0||",
        "Transfer-Encoding:\u000bchunked||0||",
        "Transfer-Encoding : chunked||0||",
        " Transfer-Encoding: chunked||0||",
        "X: y| Transfer-Encoding: chunked|Content-Length: 2||{}",
        // Section 6.3: lengths that differ or are none.
        "Content-Length: 2|Content-Length: 3||{}x",
        "Content-Length: 2, 3||{}x",
        "Content-Length: +2||{}",
        "Content-Length: 0x2||{}",
        "Content-Length: -1||{}",
        "Content-Length: 2 2||{}",
        "Content-Length: 99999999999999999999||{}",
        // Section 5: names and line ends.
        "Content Length: 2||{}",
        "No-Colon-Here||",
        ": nameless||",
        "X: a\u0000b||",
        // Section 7.1: chunk sizes.
        "Transfer-Encoding: chunked||zz|{}||",
        "Transfer-Encoding: chunked||-2|{}|0||",
        "Transfer-Encoding: chunked||0x2|{}|0||",
        "Transfer-Encoding: chunked||fffffffffffffffff|{}|0||",
        "Transfer-Encoding: chunked||2|{}x|0||",
      })
  void refusesRequestsOfTwoMeanings(String rest) throws Exception {
    String answer =
        running.raw(
            "POST /v1/chat/completions HTTP/1.1|Host: x|Connection: close|"
                .concat(rest)
                .replace("|", "\r\n"));
    assertThat(statuses(answer)).as(answer).doesNotContain("200");
    // Where the head was sound the upstream may have seen it, but never a request within the body.
    assertThat(upstream.heads).allMatch(head -> head.startsWith("POST /v1/chat/completions "));
    assertThat(upstream.heads).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void refusesRequestsWithoutOrWithTwoHosts() throws Exception {
    assertThat(running.raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400");
    assertThat(running.raw("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400");
    assertThat(upstream.heads).isEmpty();
  }

  @Test
  void sendsNothingElsewhere_whenTheTargetIsAbsolute() throws Exception {
    String answer =
        running.raw(
            "GET http://elsewhere.invalid/p HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 ");
    assertThat(upstream.heads)
        .allMatch(head -> head.startsWith("GET /p HTTP/1.1\r\nHost: 127.0.0.1"));
  }

  @Test
  void refusesTunnels() throws Exception {
    String authority = "elsewhere.invalid:443";
    String request = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
    try (Socket socket = running.connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      byte[] start = socket.getInputStream().readNBytes(12);
      assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 405");
    }
    assertThat(upstream.heads).isEmpty();
  }

  @Test
  void refusesHeadersBeyondItsLimit() throws Exception {
    String answer =
        running.raw("GET / HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(70_000) + "\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 431");
    assertThat(upstream.heads).isEmpty();
  }

  @Test
  void framesAgain_whatCameInChunksWithExtensionsAndTrailers() throws Exception {
    String answer =
        running.raw(
            "POST /v1/chat/completions HTTP/1.1|Host: x|Connection: close|Transfer-Encoding: chunked"
                .concat("||2;ext=\"x\"|{}|0|X-Trailer: y||")
                .replace("|", "\r\n"));
    assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\"2\"");
    assertThat(upstream.heads).singleElement().asString().doesNotContain("X-Trailer");
  }

  @Test
  void believesNoAnswerOfTwoMeanings() throws Exception {
    for (String framing :
        List.of(
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Content-Length: 5\r\nContent-Length: 6",
            "Content-Length: 5\r\nBad Name: x")) {
      try (RawUpstream liar =
              new RawUpstream(
                  call -> {
                    call.body();
                    call.write(
                        "HTTP/1.1 200 OK\r\n"
                            + framing
                            + "\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
                    call.socket().shutdownOutput();
                  });
          RunningGateway before = new RunningGateway(liar.uri())) {
        assertThat(before.post("/v1/chat/completions", BODY).statusCode())
            .as(framing)
            .isEqualTo(502);
        assertThat(before.onlyRequest().getStatus()).isEqualTo(RequestStatus.ERROR);
      }
    }
  }

  /** The upstream's fault ends the upload too, which must not look as if the client had left. */
  @Test
  void blamesTheUpstream_howeverItsNonsenseMeetsTheUpload() throws Exception {
    int requests = 400;
    try (RawUpstream liar =
            new RawUpstream(
                call -> {
                  call.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n");
                  call.socket().shutdownOutput();
                });
        RunningGateway before = new RunningGateway(liar.uri())) {
      for (int i = 0; i < requests; i++) {
        try (Socket socket = before.connect()) {
          String head = uploadHead(200_000);
          socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
          socket.getOutputStream().write(new byte[i * 500]);
          // An answer, or a reset that took it away: both come after the upstream's fault.
          var unused = socket.getInputStream().read();
        } catch (SocketException cutOff) {
          assertThat(cutOff).isNotInstanceOf(ConnectException.class);
        }
      }
      await().atMost(Duration.ofSeconds(20)).until(() -> before.requests().size() == requests);
      assertThat(before.requests())
          .extracting(RequestEvent::getStatus)
          .containsOnly(RequestStatus.ERROR);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void blamesTheClient_whenItBreaksOffWithinItsUpload(boolean closes) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (RawUpstream waiting =
            new RawUpstream(
                call -> {
                  asked.countDown();
                  call.in().readAllBytes();
                });
        RunningGateway before = new RunningGateway(waiting.uri());
        Socket socket = before.connect()) {
      String head = uploadHead(1_000);
      String chunked = head.replace("Content-Length: 1000", "Transfer-Encoding: chunked");
      String start = closes ? head + "half" : chunked + "4\r\nhalf\r\n";
      socket.getOutputStream().write(start.getBytes(StandardCharsets.US_ASCII));
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      if (closes) {
        socket.shutdownOutput();
      } else {
        socket.getOutputStream().write("zz\r\n".getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(before.onlyRequest().getStatus()).isEqualTo(RequestStatus.CANCELLED);
    }
  }

  private static String uploadHead(int length) {
    return "POST /v1/images/edits HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
  }

  @Test
  void keepsBytesApart_whenTheUpstreamSendsMoreThanItAnnounced() throws Exception {
    try (RawUpstream liar =
            new RawUpstream(
                call -> {
                  call.body();
                  call.write(
                      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
                          + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
                });
        RunningGateway before = new RunningGateway(liar.uri())) {
      for (int i = 0; i < 5; i++) {
        assertThat(before.post("/v1/chat/completions", BODY).body()).doesNotContain("poison");
      }
    }
  }

  private static List<String> statuses(String answers) {
    return answers
        .lines()
        .filter(line -> line.startsWith("HTTP/1.1 "))
        .map(line -> line.substring(9, 12))
        .toList();
  }

  @Test
  void staysSound_afterRandomBytes() throws Exception {
    Random random = new Random(11);
    for (int i = 0; i < 200; i++) {
      byte[] noise = new byte[1 + random.nextInt(400)];
      random.nextBytes(noise);
      try (Socket socket = running.connect()) {
        socket
            .getOutputStream()
            .write("POST /generate HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(noise);
      }
    }
    assertThat(running.post("/v1/chat/completions", BODY).body()).isEqualTo("\"2\"");
    await().atMost(Duration.ofSeconds(20)).until(() -> running.gateway.running() == 0);
  }
}

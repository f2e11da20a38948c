package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9113: what HTTP/2 can carry and HTTP/1.1 cannot must not become a second request. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatewayHttp2HostileTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String[] SOUND = {
    ":method", "POST", ":scheme", "http", ":path", CHAT, ":authority", "x"
  };

  private final CountDownLatch never = new CountDownLatch(1);
  private RawUpstream upstream;
  private RunningGateway running;

  @BeforeAll
  void start() throws IOException {
    upstream =
        new RawUpstream(
            call -> {
              if (call.head().contains("/wait")) {
                never.await();
              }
              byte[] body = call.body();
              call.json(200, "\"" + body.length + "\"");
            });
    running = new RunningGateway(upstream.uri());
  }

  @AfterAll
  void stop() throws IOException {
    never.countDown();
    running.close();
    upstream.close();
  }

  @BeforeEach
  void forget() {
    upstream.heads.clear();
  }

  private static String[] with(String[] before, String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(before));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  private static String[] waiting(String path) {
    return new String[] {":method", "GET", ":scheme", "http", ":path", path, ":authority", "x"};
  }

  private String outcome(String... headers) throws IOException {
    try (RawHttp2 client = new RawHttp2(running)) {
      client.headers(1, true, headers);
      return client.outcome(1);
    }
  }

  @Test
  void takesWhatIsSound() throws Exception {
    assertThat(outcome(with(SOUND, "te", "trailers", "x", "a\tb c"))).isEqualTo("200");
    assertThat(upstream.heads)
        .singleElement()
        .asString()
        .startsWith("POST " + CHAT + " HTTP/1.1\r\n")
        .contains("Host: " + upstream.uri().getAuthority() + "\r\n")
        .contains("host=\"x\";proto=http\r\n")
        .contains("x: a\tb c\r\n")
        .doesNotContainIgnoringCase("te:");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Section 8.2.2: fields of one connection.
        "transfer-encoding|chunked",
        "connection|keep-alive",
        "connection|TE",
        "keep-alive|5",
        "proxy-connection|close",
        "upgrade|h2c",
        "te|gzip",
        // Section 8.2.1: what no line can hold.
        "x|a\r\nY: b",
        "x|a\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n",
        "x|a\nY: b",
        "x|a\rY: b",
        "x|a\u0000b",
        "x|a\u0001b",
        "x| a",
        "x|a\t",
        "X-Upper|1",
        "a b|1",
        "a:b|1",
        "a\r\nb|1",
        "a\u0000|1",
        "|1",
        "caf\u00e9|1",
        // Section 8.3: pseudo-header fields.
        "x|1|:path|/again",
        ":path|/again",
        ":method|GET",
        ":unknown|x",
        ":status|200",
        // Section 8.1.1: a length that is not the body's, or none.
        "content-length|5",
        "content-length|+0",
        "content-length|0x0",
        "content-length|-1",
        "content-length|0, 0",
        "content-length|0|content-length|0",
        "host|x|host|x",
        "host|y",
      })
  void refusesWhatHttp11CannotSay(String fields) throws Exception {
    String outcome = outcome(with(SOUND, fields.split("\\|", -1)));
    assertThat(outcome).isNotEqualTo("200");
    assertNothingPassed(outcome);
  }

  /** Nor anything that comes a moment later, before the request that is sent now. */
  private void assertNothingPassed(String outcome) throws Exception {
    assertThat(running.post("/sentinel", "{}").statusCode()).isEqualTo(200);
    assertThat(upstream.heads).as(outcome).singleElement().asString().startsWith("POST /sentinel ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":method|GET / HTTP/1.1\r\nHost: x\r\n\r\nGET|:scheme|http|:path|/",
        ":method|GET |:scheme|http|:path|/",
        ":method||:scheme|http|:path|/",
        ":method|GET|:scheme|http|:path|/ HTTP/1.1\r\nX: y",
        ":method|GET|:scheme|http|:path|/a b",
        ":method|GET|:scheme|http|:path|/a\u0000",
        ":method|GET|:scheme|http|:path|/caf\u00e9|:authority|x",
        ":method|GET|:scheme|http|:path|*|:authority|x",
        ":method|GET|:scheme|http|:path|/|:authority|user@x",
        ":method|GET|:scheme|http\r\nY: z|:path|/|:authority|x",
        ":method|GET|:scheme|http|:path|no-slash",
        ":method|GET|:scheme|http|:path|",
        ":method|GET|:scheme|http",
        ":method|GET|:scheme|http|:path|/",
        ":method|GET|:path|/",
        ":scheme|http|:path|/",
        "x|1|:method|GET|:scheme|http|:path|/",
        ":method|GET|:scheme|http|:path|/|:authority|x\r\nY: z",
        ":method|CONNECT|:authority|elsewhere.invalid:443",
        ":method|CONNECT|:protocol|websocket|:scheme|http|:path|/|:authority|x",
      })
  void refusesRequestLinesThatAreNone(String fields) throws Exception {
    String outcome = outcome(fields.split("\\|", -1));
    assertThat(outcome).isNotEqualTo("200");
    assertNothingPassed(outcome);
  }

  @Test
  void leavesOutTheTrailersOfARequest_whoseBodyIsWholeWithoutThem() throws Exception {
    for (String[] sound : List.of(SOUND, with(SOUND, "content-length", "2"))) {
      try (RawHttp2 client = new RawHttp2(running)) {
        client.headers(1, false, sound);
        client.data(1, false, "{}");
        client.headers(1, true, "x-trailer", "1");
        assertThat(client.outcome(1)).isEqualTo("200");
      }
    }
    assertThat(upstream.heads).hasSize(2).noneMatch(head -> head.contains("x-trailer"));
  }

  @Test
  void neverPassesABodyAsWhole_whoseLengthIsNotTheAnnouncedOne() throws Exception {
    for (String body : List.of("{}x", "{}GET /admin HTTP/1.1\r\nHost: x\r\n\r\n", "{")) {
      try (RawHttp2 client = new RawHttp2(running)) {
        client.headers(1, false, with(SOUND, "content-length", "2"));
        client.data(1, true, body);
        assertThat(client.outcome(1)).as(body).isNotEqualTo("200");
      }
    }
    try (RawHttp2 client = new RawHttp2(running)) {
      client.headers(1, false, with(SOUND, "content-length", "2"));
      client.data(1, false, "{");
      client.headers(1, true, "x-trailer", "1");
      assertThat(client.outcome(1)).as("ended by trailers").isNotEqualTo("200");
    }
    try (RawHttp2 client = new RawHttp2(running)) {
      client.headers(1, false, with(SOUND, "content-length", "0"));
      client.data(1, true, "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.outcome(1)).as("a body where none is announced").isNotEqualTo("200");
    }
    assertThat(running.post(CHAT, "{}").statusCode()).isEqualTo(200);
    assertThat(upstream.heads).isNotEmpty().allMatch(head -> head.startsWith("POST " + CHAT + " "));
  }

  @Test
  void saysToTheUpstream_thatItsClientCameInClearText() throws Exception {
    assertThat(outcome(":method", "GET", ":scheme", "https", ":path", "/", ":authority", "x"))
        .isEqualTo("200");
    assertThat(upstream.heads).singleElement().asString().contains("proto=http\r\n");
  }

  @Test
  void letsAllStreamsOfAClientEndAtOnce_butOne() throws Exception {
    try (RawHttp2 client = new RawHttp2(running)) {
      for (int i = 0; i < 200; i++) {
        client.headers(2 * i + 1, true, waiting("/wait/" + i));
      }
      await().atMost(Duration.ofSeconds(20)).until(() -> upstream.heads.size() == 200);
      for (int i = 0; i < 200; i++) {
        client.reset(2 * i + 1);
      }
      client.headers(401, true, SOUND);
      assertThat(client.outcome(401)).isEqualTo("200");
    }
  }

  @Test
  void takesSoManyConnectionsOnly() throws Exception {
    List<RawHttp2> open = new ArrayList<>();
    // Of its own: connections of the other tests may not be gone yet.
    try (RunningGateway own = new RunningGateway(upstream.uri())) {
      for (int i = 0; i < ClearTextHttp2.MAX_CONNECTIONS; i++) {
        open.add(new RawHttp2(own));
        assertThat(answer(open.get(i))).isEqualTo("200");
      }
      try (RawHttp2 more = new RawHttp2(own)) {
        assertThat(answer(more)).isNotEqualTo("200");
      }
      assertThat(own.post(CHAT, "{}").statusCode()).as("HTTP/1.1 goes on").isEqualTo(200);
      open.remove(0).close();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                try (RawHttp2 next = new RawHttp2(own)) {
                  return answer(next).equals("200");
                }
              });
    } finally {
      for (RawHttp2 client : open) {
        client.close();
      }
    }
  }

  /** The outcome of a first request; a connection that is refused may break within it. */
  private static String answer(RawHttp2 client) throws IOException {
    try {
      client.headers(1, true, SOUND);
      return client.outcome(1);
    } catch (SocketException refused) {
      return "closed";
    }
  }

  @ParameterizedTest
  @CsvSource({"60000,true", "70000,false"})
  void takesFieldsUpToItsLimit(int bytes, boolean taken) throws Exception {
    try (RawHttp2 client = new RawHttp2(running)) {
      byte[] block = RawHttp2.block(with(SOUND, "x", "a".repeat(bytes)));
      int part = 16_384;
      client.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, Arrays.copyOf(block, part));
      for (int from = part; from < block.length; from += part) {
        int to = Math.min(block.length, from + part);
        int flags = to == block.length ? RawHttp2.END_HEADERS : 0;
        client.frame(RawHttp2.CONTINUATION, flags, 1, Arrays.copyOfRange(block, from, to));
      }
      assertThat(client.outcome(1).equals("200")).isEqualTo(taken);
    } catch (SocketException refused) {
      assertThat(taken).isFalse();
    }
    assertThat(upstream.heads).hasSize(taken ? 1 : 0);
  }

  @Test
  void refusesHeadersBeyondItsLimit() throws Exception {
    try (RawHttp2 client = new RawHttp2(running)) {
      byte[] block = RawHttp2.block(with(SOUND, "x", "a".repeat(10_000)));
      client.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, block);
      assertThat(goneOnWith(client)).isTrue();
    }
    assertThat(upstream.heads).isEmpty();
  }

  /** Sends header fields without end; true when the gateway ends it. */
  private static boolean goneOnWith(RawHttp2 client) throws IOException {
    byte[] more = RawHttp2.block("y", "b".repeat(10_000));
    try {
      for (int i = 0; i < 200; i++) {
        client.frame(RawHttp2.CONTINUATION, 0, 1, more);
      }
    } catch (SocketException refused) {
      return true;
    }
    String outcome = client.outcome(1);
    return outcome.startsWith("goaway") || outcome.equals("closed") || outcome.equals("431");
  }

  @Test
  void refusesStreamsBeyondItsLimit() throws Exception {
    try (RawHttp2 client = new RawHttp2(running)) {
      int streams = ClearTextHttp2.MAX_STREAMS;
      for (int i = 0; i < streams; i++) {
        client.headers(2 * i + 1, true, waiting("/wait/" + i));
      }
      client.headers(2 * streams + 1, true, waiting("/wait/more"));
      assertThat(client.outcome(2 * streams + 1)).as("REFUSED_STREAM").isEqualTo("reset 7");
      await().atMost(Duration.ofSeconds(20)).until(() -> upstream.heads.size() == streams);
    }
    assertThat(upstream.heads).noneMatch(head -> head.contains("/wait/more"));
  }

  /** CVE-2023-44487: asking and resetting at once, again and again. */
  @Test
  void endsAConnectionThatOpensAndResetsWithoutEnd() throws Exception {
    String outcome = "";
    try (RawHttp2 client = new RawHttp2(running)) {
      try {
        for (int i = 0; i < 5_000; i++) {
          client.headers(2 * i + 1, true, SOUND);
          client.reset(2 * i + 1);
        }
      } catch (SocketException cutOff) {
        outcome = "closed";
      }
      if (outcome.isEmpty()) {
        outcome = client.outcome(20_001);
      }
    }
    assertThat(outcome).as("ENHANCE_YOUR_CALM").isIn("goaway 11", "closed");
    await().atMost(Duration.ofSeconds(20)).until(() -> running.gateway.running() == 0);
    assertThat(running.post(CHAT, "{}").statusCode()).isEqualTo(200);
  }

  @Test
  void goesOnInHttp11_whenAClientWouldUpgrade() throws Exception {
    HttpResponse<String> answer =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_2)
            .build()
            .send(
                HttpRequest.newBuilder(running.uri(CHAT))
                    .POST(HttpRequest.BodyPublishers.ofString("{}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    assertThat(answer.body()).isEqualTo("\"2\"");
    assertThat(upstream.heads)
        .singleElement()
        .asString()
        .doesNotContainIgnoringCase("upgrade")
        .doesNotContainIgnoringCase("http2-settings");
  }
}

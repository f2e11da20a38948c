package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.AnswerStatus;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpCallerTest {
  private static final Timeline TIMELINE = Timeline.of(Clock.systemUTC());

  private static HttpCaller caller(String url, Duration timeout, int most) {
    return new HttpCaller(
        new EndpointAccess(URI.create(url), "t0ken", null, timeout, most), TIMELINE);
  }

  private static Call call() {
    byte[] body = "{\"prompt\":\"a cat\",\"seed\":1}".getBytes(StandardCharsets.UTF_8);
    return new Call("/v1/images/generations", body, "r-1");
  }

  @ParameterizedTest
  @CsvSource({
    "NOT_FOUND, ERROR, http_404",
    "BROKEN, ERROR, http_500",
    "TRUNCATED, ERROR, broken_answer",
    "GIANT, ERROR, answer_too_large",
    "HANGING, TIMEOUT, timeout"
  })
  void givesAShortCode_whenThereIsNoAnswer(FakeEndpoint.Way way, AnswerStatus status, String code)
      throws IOException {
    try (FakeEndpoint endpoint = new FakeEndpoint()) {
      endpoint.way = way;
      Duration patience = Duration.ofMillis(way == FakeEndpoint.Way.HANGING ? 200 : 20_000);

      Reply reply = caller(endpoint.url(), patience, 1 << 20).send(call()).join();

      assertThat(reply.ended()).isEqualTo(status);
      assertThat(reply.error()).isEqualTo(code);
      assertThat(reply.body()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"NOT_JSON, not_json", "NO_IMAGE, no_image", "NOT_AN_IMAGE, not_an_image"})
  void refusesAnAnswerThatIsNone(FakeEndpoint.Way way, String code) throws IOException {
    try (FakeEndpoint endpoint = new FakeEndpoint()) {
      endpoint.way = way;
      Reply reply = caller(endpoint.url(), Duration.ofSeconds(20), 1 << 20).send(call()).join();
      Dialect dialect = new ImageDialect(Given.imageNode());

      assertThat(reply.ok()).isTrue();
      assertThat(dialect.read(reply, true).error()).isEqualTo(code);
      assertThat(dialect.read(reply, false).error()).isEqualTo(code);
    }
  }

  @Test
  void saysConnect_whenNobodyListens() throws IOException {
    Reply reply = caller("http://127.0.0.1:1", Duration.ofSeconds(20), 100).send(call()).join();

    assertThat(reply.ended()).isEqualTo(AnswerStatus.ERROR);
    assertThat(reply.error()).isEqualTo("connect");
  }

  @Test
  void giveUp_whenItIsCancelled() throws IOException {
    try (FakeEndpoint endpoint = new FakeEndpoint()) {
      endpoint.way = FakeEndpoint.Way.HANGING;
      CompletableFuture<Reply> reply =
          caller(endpoint.url(), Duration.ofSeconds(60), 100).send(call());

      assertThat(reply.cancel(true)).isTrue();
      assertThat(reply).isCancelled();
    }
  }

  @Test
  void neverShowsTheToken() {
    EndpointAccess access =
        new EndpointAccess(URI.create("http://h:1"), "t0ken", null, Duration.ofSeconds(1), 1);

    assertThat(access.toString()).isEqualTo("http://h:1");
    assertThat(List.of(access).toString()).doesNotContain("t0ken");
  }
}

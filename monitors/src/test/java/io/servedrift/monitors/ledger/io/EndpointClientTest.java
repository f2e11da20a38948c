package io.servedrift.monitors.ledger.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.ledger.Entries;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.schemas.ConfigFingerprint;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointClientTest {
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC);
  private static final String INFO =
      "{\"version\":\"1\",\"deployment\":\"d\",\"config\":{\"batching\":{\"max_batch_size\":8}},"
          + "\"model\":{\"name\":\"flux\"},\"scheduler\":{\"running\":3}}";

  private static SystemCapture capture(InfoEndpoint endpoint)
      throws IOException, InterruptedException {
    return new EndpointClient(endpoint.address(), CLOCK, "t0ken", answer -> answer).capture();
  }

  @Test
  void capturesConfigurationModelAndDeployment() throws Exception {
    try (InfoEndpoint endpoint = new InfoEndpoint(INFO)) {
      SystemCapture seen = capture(endpoint);
      assertThat(seen.deployment()).isEqualTo("d");
      assertThat(seen.config().id())
          .isEqualTo(
              ConfigFingerprint.ofConfig(Entries.json("{'batching':{'max_batch_size':8}}")).id());
      assertThat(seen.model().id())
          .isEqualTo(ConfigFingerprint.ofModel(Entries.json("{'name':'flux'}")).id());
      assertThat(seen.at()).isEqualTo(CLOCK.instant());
      assertThat(endpoint.authorization()).isEqualTo("Bearer t0ken");
    }
  }

  @Test
  void refusesAnswersThatSayNothing() throws Exception {
    try (InfoEndpoint endpoint = new InfoEndpoint("{\"version\":\"1\"}")) {
      assertThatThrownBy(() -> capture(endpoint))
          .isInstanceOf(LedgerException.class)
          .hasMessageContaining("does not say its configuration");
      endpoint.says("not json");
      assertThatThrownBy(() -> capture(endpoint)).hasMessageContaining("one JSON object");
      endpoint.says("[]");
      assertThatThrownBy(() -> capture(endpoint)).isInstanceOf(LedgerException.class);
      endpoint.says("{\"config\":{}," + " ".repeat(1 << 20) + "}");
      assertThatThrownBy(() -> capture(endpoint)).hasMessageContaining("at most");
      endpoint.answers(404);
      assertThatThrownBy(() -> capture(endpoint))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("HTTP 404");
    }
  }

  @Test
  void asksWhereOlderReleasesAnswer_whenTheAddressIsNotKnown() throws Exception {
    try (InfoEndpoint endpoint = new InfoEndpoint(INFO)) {
      endpoint.isOlder();
      assertThat(capture(endpoint).deployment()).isEqualTo("d");
    }
  }

  @Test
  @Timeout(30)
  void doesNotWaitForAnAnswerThatNeverEnds() throws Exception {
    try (InfoEndpoint endpoint = new InfoEndpoint("{")) {
      endpoint.stalls();
      EndpointClient client =
          new EndpointClient(endpoint.address(), CLOCK, null, a -> a, Duration.ofMillis(300));
      assertThatThrownBy(client::capture)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("within 300 ms");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8000/, http://127.0.0.1:8000",
    "https://me:pw@host/base/?key=x#y, https://host/base",
    "http://host, http://host"
  })
  void keepsOnlyTheAddress(String url, String address) {
    assertThat(EndpointClient.address(url)).isEqualTo(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"host:8000", "file:///etc/passwd", "http:", "ftp://host"})
  void refusesWhatIsNoAddress(String url) {
    assertThatThrownBy(() -> EndpointClient.address(url))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

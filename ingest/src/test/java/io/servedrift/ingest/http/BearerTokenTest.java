package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.Javalin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class BearerTokenTest {

  private static final String TOKEN = "0123456789abcdef-token";

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {"Bearer " + TOKEN, "bearer " + TOKEN, "Bearer  " + TOKEN + " "})
  void accepts_whenTokenIsRight(String authorization) throws Exception {
    assertThat(token().accepts(authorization)).isTrue();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "Bearer ",
        "Bearer",
        TOKEN,
        "Basic " + TOKEN,
        "Bearer " + TOKEN + "x",
        "Bearer 0123456789abcdef"
      })
  void refuses_whenTokenIsWrong(String authorization) throws Exception {
    assertThat(token().accepts(authorization)).isFalse();
  }

  @Test
  void answers401WithoutReachingTheRoute_whenRegisteredBefore() throws Exception {
    BearerToken guard = token();
    Javalin server =
        HttpServerFactory.create(
                new HttpSettings("127.0.0.1", 0, List.of(), null),
                config -> {
                  config.routes.before("/v1/events", guard);
                  config.routes.get("/v1/events", ctx -> ctx.result("reached"));
                })
            .start();
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/events"));
      HttpClient client = HttpClient.newHttpClient();
      HttpResponse<String> refused =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      HttpResponse<String> served =
          client.send(
              request.header("Authorization", "Bearer " + TOKEN).build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate"))
          .hasValue("Bearer realm=\"servedrift\"");
      assertThat(refused.body()).startsWith("{\"error\":").doesNotContain("reached");
      assertThat(served.body()).isEqualTo("reached");
    } finally {
      server.stop();
    }
  }

  @Test
  void refusesToStartWithoutShowingToken_whenFileIsUnfit() throws Exception {
    Path weak = Files.writeString(dir.resolve("weak"), "hunter2");
    assertThatThrownBy(() -> BearerToken.fromFile(weak))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 16")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() -> BearerToken.fromFile(dir.resolve("missing")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("missing");
  }

  private BearerToken token() throws IOException {
    return BearerToken.fromFile(Files.writeString(dir.resolve("token"), TOKEN + "\n"));
  }
}

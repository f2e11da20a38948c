package io.servedrift.monitors.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

class RunbookTest {

  @Test
  void hasAnAnchorForEachAlert_andLoadsNothing() throws Exception {
    Javalin server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  new Runbook().register(config.routes);
                })
            .start("127.0.0.1", 0);
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://127.0.0.1:" + server.port() + Runbook.PATH))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body())
          .contains("<h3 id=\"servedriftlatencytailshift\">ServedriftLatencyTailShift</h3>")
          .contains("<h3 id=\"servedriftdatamissing\">ServedriftDataMissing</h3>")
          .contains("<table>")
          .doesNotContain("<script", "<img");
      assertThat(answer.headers().firstValue("Content-Security-Policy"))
          .hasValueSatisfying(
              policy -> assertThat(policy).startsWith("default-src 'none'").contains("sha256-"));
    } finally {
      server.stop();
    }
  }
}

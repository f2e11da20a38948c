package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HealthTest {
  private final AtomicBoolean streams = new AtomicBoolean();
  private Javalin server;

  @BeforeEach
  void start() {
    Health health =
        new Health(
            List.of(
                HealthCheck.of("broker", () -> CheckResult.ready("1 node")),
                HealthCheck.of(
                    "streams",
                    () -> {
                      if (!streams.get()) {
                        throw new IllegalStateException("password=hunter2");
                      }
                      return CheckResult.ready("RUNNING");
                    })));
    PrometheusRegistry registry = new PrometheusRegistry();
    new MonitorMetrics("1", Map::of, Map::of, List::of, List::of, 1).register(registry);
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  health.register(config.routes);
                  config.routes.get("/metrics", new MetricsEndpoint(registry));
                })
            .start("127.0.0.1", 0);
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private HttpResponse<String> get(String path, String accept) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("Accept", accept)
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void answers503WithComponents_whenOneIsNotReady() throws Exception {
    HttpResponse<String> answer = get("/-/ready", "*/*");
    assertThat(answer.statusCode()).isEqualTo(503);
    JsonNode body = new ObjectMapper().readTree(answer.body());
    assertThat(body.path("ready").asBoolean(true)).isFalse();
    assertThat(body.at("/components/broker/ready").asBoolean()).isTrue();
    assertThat(body.at("/components/streams/detail").asText())
        .isEqualTo("check failed: IllegalStateException");
    assertThat(answer.body()).doesNotContain("hunter2");
    assertThat(get("/-/healthy", "*/*").statusCode()).isEqualTo(200);
  }

  @Test
  void answers200_whenAllAreReady() throws Exception {
    streams.set(true);
    HttpResponse<String> answer = get("/-/ready", "*/*");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type"))
        .hasValueSatisfying(t -> assertThat(t).contains("json"));
  }

  @Test
  void servesTextOrOpenMetrics_whenAsked() throws Exception {
    HttpResponse<String> text = get("/metrics", "*/*");
    assertThat(text.statusCode()).isEqualTo(200);
    assertThat(text.body()).contains("servedrift_build_info{").doesNotContain("# EOF");
    HttpResponse<String> open = get("/metrics", "application/openmetrics-text;version=1.0.0");
    assertThat(open.body()).endsWith("# EOF\n");
    assertThat(open.headers().firstValue("content-type").orElseThrow())
        .contains("application/openmetrics-text");
  }

  @Test
  void refuses_whenNamesRepeat() {
    HealthCheck check = HealthCheck.of("x", () -> CheckResult.ready(""));
    assertThatThrownBy(() -> new Health(List.of(check, check))).hasMessageContaining("given twice");
  }
}

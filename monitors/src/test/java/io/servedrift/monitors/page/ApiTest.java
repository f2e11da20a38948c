package io.servedrift.monitors.page;

import static io.servedrift.monitors.page.Fixtures.FIVE;
import static io.servedrift.monitors.page.Fixtures.T0;
import static io.servedrift.monitors.page.Fixtures.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.ServingEventKind;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiTest {
  private static final String HOSTILE = "</script><img src=x onerror=alert(1)>\u2028&\"'";

  private final ReadModel model = new ReadModel(ReadModelLimits.defaults());
  private Javalin server;

  @BeforeEach
  void start() {
    Api api = new Api(model);
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  api.register(config.routes);
                  new Page(api, false).register(config.routes);
                })
            .start("127.0.0.1", 0);
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private HttpResponse<String> get(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode json(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new ObjectMapper().readTree(answer.body());
  }

  @Test
  void givesNumbersPerWindow_whenAsked() throws Exception {
    model.apply(Fixtures.window(key("c1", "latency"), T0, 1500));
    model.apply(Fixtures.lateRequest("c1", T0.plusSeconds(3)));
    JsonNode body =
        json(
            "/api/v1/series?deployment=image-gen&config_id=c1&model_id=m1&metric=latency&window=5m");
    assertThat(body.path("schema_version").asInt()).isEqualTo(1);
    JsonNode series = body.path("series");
    assertThat(series).hasSize(1);
    JsonNode window = series.at("/0/windows/0");
    assertThat(window.path("start").asText()).isEqualTo("2026-11-30T10:00:00Z");
    assertThat(window.path("end").asText()).isEqualTo("2026-11-30T10:05:00Z");
    assertThat(window.path("n").asInt()).isEqualTo(1500);
    double[] sorted = Fixtures.latencies(1500, T0.getEpochSecond());
    Arrays.sort(sorted);
    assertThat(window.path("p50").asDouble()).isCloseTo(sorted[749], within(0.02));
    assertThat(window.path("p99").asDouble()).isCloseTo(sorted[1484], within(0.1));
    assertThat(window.at("/p99_interval/0").asDouble()).isLessThan(window.path("p99").asDouble());
    assertThat(window.at("/p99_interval/1").asDouble())
        .isGreaterThan(window.path("p99").asDouble());
    assertThat(window.path("p99_state").asText()).isEqualTo("sufficient");
    assertThat(window.path("p999").isNull()).isTrue();
    assertThat(window.path("level").asDouble()).isEqualTo(0.95);
    assertThat(window.path("corrections").asInt()).isEqualTo(1);
    assertThat(window.path("mean_interval")).hasSize(2);
  }

  private static org.assertj.core.data.Offset<Double> within(double offset) {
    return org.assertj.core.data.Offset.offset(offset);
  }

  @Test
  void givesNullAndState_whenThereAreTooFewValues() throws Exception {
    model.apply(Fixtures.window(key("c1", "latency"), T0, 60));
    JsonNode window = json("/api/v1/series").at("/series/0/windows/0");
    assertThat(window.path("n").asInt()).isEqualTo(60);
    assertThat(window.path("p99_state").asText()).isEqualTo("insufficient");
    assertThat(window.has("p99")).isTrue();
    assertThat(window.path("p99").isNull()).isTrue();
    assertThat(window.path("p99_interval").isNull()).isTrue();
    assertThat(window.path("p50").isNumber()).isTrue();
  }

  @Test
  void mergesTheWholeRange_whenFromAndToAreGiven() throws Exception {
    double[] all = new double[0];
    for (int i = 0; i < 4; i++) {
      double[] values = Fixtures.latencies(200, i);
      model.apply(
          Fixtures.window(key("c1", "latency"), T0.plus(FIVE.multipliedBy(i)), FIVE, values));
      int old = all.length;
      all = Arrays.copyOf(all, old + values.length);
      System.arraycopy(values, 0, all, old, values.length);
    }
    model.apply(
        Fixtures.window(
            key("c1", "latency"), T0.plus(FIVE.multipliedBy(4)), FIVE, new double[] {900}));
    JsonNode series =
        json("/api/v1/series?limit=1&from=2026-11-30T10:00:00Z&to=2026-11-30T11:20:00%2B01:00")
            .at("/series/0");
    assertThat(series.path("windows")).hasSize(1);
    JsonNode range = series.path("range");
    Arrays.sort(all);
    assertThat(range.path("n").asInt()).isEqualTo(800);
    assertThat(range.path("windows").asInt()).isEqualTo(4);
    assertThat(range.path("start").asText()).isEqualTo("2026-11-30T10:00:00Z");
    assertThat(range.path("end").asText()).isEqualTo("2026-11-30T10:20:00Z");
    assertThat(range.path("max").asDouble()).isEqualTo(all[799]);
    assertThat(range.path("mean").asDouble())
        .isCloseTo(Arrays.stream(all).average().orElseThrow(), within(1e-9));
    assertThat(range.path("p99").asDouble()).isCloseTo(all[791], within(0.0203 * all[791]));
    assertThat(range.path("p99_state").asText()).isEqualTo("wide");
    assertThat(
            json("/api/v1/series?from=" + T0.toEpochMilli()).at("/series/0/range").isMissingNode())
        .isTrue();
  }

  @Test
  void takesLongerWindows_whenShortOnesOfTheRangeAreGone() throws Exception {
    Duration hour = Duration.ofHours(1);
    for (int i = 0; i < 48; i++) {
      model.apply(
          Fixtures.window(
              key("c1", "latency"),
              T0.plus(hour.multipliedBy(i)),
              hour,
              Fixtures.latencies(50, i)));
      model.apply(
          Fixtures.window(
              key("c1", "latency"), T0.plus(hour.multipliedBy(i)), FIVE, Fixtures.latencies(5, i)));
    }
    String to = "&to=" + T0.plus(hour.multipliedBy(48)).toEpochMilli();
    JsonNode old = json("/api/v1/series?from=" + T0.toEpochMilli() + to);
    assertThat(old.path("window").asText()).isEqualTo("1h");
    assertThat(old.at("/series/0/range/n").asInt()).isEqualTo(48 * 50);
    assertThat(
            json("/api/v1/series?from=" + T0.plus(hour.multipliedBy(40)).toEpochMilli() + to)
                .path("window")
                .asText())
        .isEqualTo("5m");
    assertThat(
            json("/api/v1/series?window=5m&from=" + T0.toEpochMilli() + to).path("window").asText())
        .isEqualTo("5m");
  }

  @Test
  void saysSo_whenWindowsCannotBeMerged() throws Exception {
    model.apply(Fixtures.window(key("c1", "latency"), T0, 600));
    SeriesKey other = key("c1", "latency");
    var strange = Fixtures.window(key("c1", "clip"), T0.plus(FIVE), FIVE, new double[] {0.3});
    strange.setMetric(other.metric());
    model.apply(strange);
    JsonNode range =
        json("/api/v1/series?from=2026-11-30T10:00:00Z&to=2026-11-30T11:00:00Z")
            .at("/series/0/range");
    assertThat(range.path("error").asText()).contains("cannot be merged");
    assertThat(range.has("p99")).isFalse();
  }

  @Test
  void keepsTheLatestWindows_whenLimited() throws Exception {
    for (int i = 0; i < 20; i++) {
      model.apply(Fixtures.window(key("c1", "latency"), T0.plus(FIVE.multipliedBy(i)), 10 + i));
    }
    assertThat(json("/api/v1/series").at("/series/0/windows")).hasSize(Api.DEFAULT_WINDOWS);
    JsonNode two = json("/api/v1/series?limit=2").at("/series/0/windows");
    assertThat(two).extracting(w -> w.path("n").asInt()).containsExactly(28, 29);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/series?window=7m | window | 7m | one of 5m, 1h, 24h",
        "/api/v1/series?limit=0 | limit | 0 | a whole number between 1 and 10000",
        "/api/v1/series?limit=99999999999 | limit | 99999999999 | a whole number between 1 and"
            + " 10000",
        "/api/v1/series?from=yesterday | from | yesterday | a time in ISO-8601 with zone, or epoch"
            + " milliseconds",
        "/api/v1/series?to=2026-11-30T10:00:00 | to | 2026-11-30T10:00:00 | a time in ISO-8601 with"
            + " zone, or epoch milliseconds",
        "/api/v1/series?from=2000&to=1000 | to | 1000 | after from",
        "/api/v1/series?metric=a&metric=b | metric | a,b | given once",
        "/api/v1/findings?state=broken | state | broken | one of open, closed, accepted",
        "/api/v1/serving-events?kind=x&limit=1 | kind | x | one of config_changed",
        "/api/v1/deployments?limit=1 | limit | 1 | left out; known parameters are none",
        "/api/v1/configs?conf=1 | conf | 1 | left out; known parameters are config_id, deployment"
      })
  void answers400Naming_whenAParameterIsBad(
      String path, String parameter, String value, String allowed) throws Exception {
    HttpResponse<String> answer = get(path.strip());
    assertThat(answer.statusCode()).isEqualTo(400);
    JsonNode error = new ObjectMapper().readTree(answer.body()).path("error");
    assertThat(error.path("parameter").asText()).isEqualTo(parameter);
    assertThat(error.path("value").asText()).isEqualTo(value);
    assertThat(error.path("allowed").asText()).startsWith(allowed);
  }

  @Test
  void givesDictionaryAndDeployments_whenConfigsAreKnown() throws Exception {
    model.apply(
        Fixtures.config(
            "c1",
            "{\"runtime\":{\"name\":\"sglang\",\"version\":\"0.5.7\"},\"precision\":{\"weights\":\"fp8\"},"
                + "\"batching\":{\"mode\":\"continuous\",\"max_batch_size\":8},\"cache\":{\"conditioning\":\"lru\"}}"));
    model.apply(Fixtures.window(key("c1", "latency"), T0, 10));
    model.apply(Fixtures.window(key("c2", "clip"), T0, Duration.ofHours(1), new double[] {0.3}));
    JsonNode configs = json("/api/v1/configs?deployment=image-gen&config_id=c1");
    assertThat(configs.at("/configs/0/name").asText())
        .isEqualTo("sglang 0.5.7 | fp8 | continuous 8 | cache: conditioning");
    assertThat(configs.at("/configs/0/config/batching/max_batch_size").asInt()).isEqualTo(8);
    assertThat(configs.at("/models/0/name").asText()).isEqualTo("flux-schnell r3");
    assertThat(json("/api/v1/configs?deployment=other").path("configs")).isEmpty();
    JsonNode deployments = json("/api/v1/deployments");
    assertThat(deployments.path("windows"))
        .extracting(JsonNode::asText)
        .containsExactly("5m", "1h", "24h");
    JsonNode deployment = deployments.at("/deployments/0");
    assertThat(deployment.path("deployment").asText()).isEqualTo("image-gen");
    assertThat(deployment.path("configs"))
        .extracting(c -> c.path("config_id").asText())
        .containsExactly("c1", "c2");
    assertThat(deployment.path("metrics"))
        .extracting(JsonNode::asText)
        .containsExactly("clip", "latency");
    assertThat(deployment.path("last_window_end").asText()).isEqualTo("2026-11-30T11:00:00Z");
  }

  @Test
  void filtersFindingsAndEvents_whenAsked() throws Exception {
    model.apply(Fixtures.finding("f1", T0, FindingState.OPEN));
    model.apply(Fixtures.finding("f2", T0.plusSeconds(60), FindingState.CLOSED));
    model.apply(Fixtures.event("e1", T0, ServingEventKind.CACHE_FLUSH));
    model.apply(Fixtures.event("e2", T0.plusSeconds(60), ServingEventKind.DEPLOY));
    assertThat(json("/api/v1/findings").path("findings")).hasSize(2);
    assertThat(ids(json("/api/v1/findings?state=open"), "findings", "finding_id"))
        .containsExactly("f1");
    assertThat(ids(json("/api/v1/findings?id=f2"), "findings", "finding_id")).containsExactly("f2");
    assertThat(ids(json("/api/v1/findings?limit=1"), "findings", "finding_id"))
        .containsExactly("f2");
    assertThat(ids(json("/api/v1/serving-events?kind=deploy"), "serving_events", "event_id"))
        .containsExactly("e2");
    JsonNode first = json("/api/v1/serving-events?to=2026-11-30T10:01:00Z");
    assertThat(ids(first, "serving_events", "event_id")).containsExactly("e1");
    assertThat(first.at("/serving_events/0/kind").asText()).isEqualTo("cache_flush");
  }

  private static List<String> ids(JsonNode body, String list, String id) {
    return body.path(list).findValuesAsText(id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/api/v1/series", "/api/v1/series?window=x", "/nothing"})
  void sendsSecurityHeaders_whateverIsAsked(String path) throws Exception {
    var headers = get(path).headers();
    assertThat(headers.firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(headers.firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(headers.firstValue("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void holdsNoData_whenTheApiAsksForAToken() throws Exception {
    model.apply(Fixtures.window(key("secret-config", "latency"), T0, 10));
    Javalin guarded =
        Javalin.create(config -> new Page(new Api(model), true).register(config.routes))
            .start("127.0.0.1", 0);
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + guarded.port() + "/")).build();
      String html =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
      assertThat(get("/").body()).contains("secret-config");
      assertThat(html).contains("id=\"first\">null</script>").doesNotContain("secret-config");
    } finally {
      guarded.stop();
    }
  }

  @Test
  void keepsNamesAsText_whenTheyAreHostile() throws Exception {
    SeriesKey series = new SeriesKey(HOSTILE, HOSTILE, HOSTILE, "latency");
    model.apply(Fixtures.window(series, T0, 10));
    model.apply(
        Fixtures.config(
            HOSTILE,
            new ObjectMapper()
                .writeValueAsString(
                    java.util.Map.of("runtime", java.util.Map.of("name", HOSTILE)))));
    String html = get("/").body();
    assertThat(html).doesNotContain("<img").doesNotContain("\u2028");
    String open = "<script type=\"application/json\" id=\"first\">";
    int start = html.indexOf(open) + open.length();
    JsonNode first =
        new ObjectMapper().readTree(html.substring(start, html.indexOf("</script>", start)));
    assertThat(first.at("/series/series/0/deployment").asText()).isEqualTo(HOSTILE);
    assertThat(first.at("/configs/configs/0/config_id").asText()).isEqualTo(HOSTILE);
    JsonNode found =
        json(
            "/api/v1/series?deployment="
                + java.net.URLEncoder.encode(HOSTILE, java.nio.charset.StandardCharsets.UTF_8));
    assertThat(found.at("/series/0/deployment").asText()).isEqualTo(HOSTILE);
  }

  @Test
  void buildsThePageFromTextNodesOnly_whateverTheData() throws Exception {
    String html = get("/").body();
    assertThat(html)
        .doesNotContain(
            "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(")
        .doesNotContainPattern("\\son[a-z]+=")
        .doesNotContainPattern("(src|href)=\"(https?:)?//");
  }

  @Test
  void allowsExactlyItsOwnScriptAndStyle_whenThePageIsServed() throws Exception {
    HttpResponse<String> answer = get("/");
    String policy = answer.headers().firstValue("Content-Security-Policy").orElseThrow();
    for (String tag : List.of("script", "style")) {
      String open = "<" + tag + ">";
      int start = answer.body().indexOf(open) + open.length();
      String content =
          answer.body().substring(start, answer.body().indexOf("</" + tag + ">", start));
      byte[] digest =
          java.security.MessageDigest.getInstance("SHA-256")
              .digest(content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      assertThat(policy)
          .contains(
              tag + "-src 'sha256-" + java.util.Base64.getEncoder().encodeToString(digest) + "'");
    }
  }
}

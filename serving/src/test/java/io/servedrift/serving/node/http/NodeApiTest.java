package io.servedrift.serving.node.http;

import static io.servedrift.serving.node.http.ServedNode.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.node.FakeEngine;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import io.servedrift.serving.scheduler.ShuttingDownException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Health, resolved configuration, metrics and administration. */
class NodeApiTest {

  private static final SchedulerLimits LIMITS =
      new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 16, 64, 2);

  private final ServedNode served = new ServedNode(LIMITS);

  @AfterEach
  void stop() {
    served.close();
  }

  @Test
  void saysThatItSharesNoBatch_inSingleMode() throws Exception {
    try (ServedNode single =
        new ServedNode(new SchedulerLimits(BatchingMode.SINGLE, 8, 1, 64, 0))) {
      assertThat(read(single.get("/server_info")).at("/capabilities/batches").asBoolean(true))
          .isFalse();
    }
  }

  private List<ServingEvent> events(ServingEventKind kind) {
    return served.sink.of(ServingEvent.class).stream()
        .filter(event -> event.getKind() == kind)
        .toList();
  }

  @Test
  void showsTheConfigurationThatItsEventsAreRecordedUnder() throws Exception {
    JsonNode info = read(served.get("/server_info"));

    assertThat(info.path("deployment").asText()).isEqualTo("image-gen");
    assertThat(info.path("node").asText()).isEqualTo("n1");
    assertThat(ConfigFingerprint.ofConfig(info.path("config")).id())
        .isEqualTo(info.path("config_id").asText())
        .matches("[0-9a-f]{16}");
    assertThat(ConfigFingerprint.ofModel(info.path("model")).id())
        .isEqualTo(info.path("model_id").asText());
    assertThat(info.at("/config/batching/mode").asText()).isEqualTo("continuous");
    assertThat(info.at("/config/batching/max_batch_size").asInt()).isEqualTo(8);
    assertThat(info.at("/config/cache/capacity").asInt()).isEqualTo(1024);
    assertThat(info.at("/limits/max_waiting").asInt()).isEqualTo(64);
    assertThat(info.at("/api_limits/sizes/1").asText()).isEqualTo("16x8");
    assertThat(info.path("faults")).isEmpty();
    assertThat(info.at("/capabilities/modality").asText()).isEqualTo("image");
    for (String able : List.of("seed", "batches", "cache", "cache_bypass", "flush")) {
      assertThat(info.at("/capabilities/" + able).asBoolean()).as(able).isTrue();
    }

    ConfigRecord record = served.sink.of(ConfigRecord.class).get(0);
    assertThat(record.getConfigId()).isEqualTo(info.path("config_id").asText());
    assertThat(record.getModelId()).isEqualTo(info.path("model_id").asText());
    assertThat(served.sink.of(Heartbeat.class)).hasSize(1);
    assertThat(events(ServingEventKind.NODE_STARTED)).hasSize(1);
    assertThat(served.sink.rejected()).isEmpty();
  }

  @Test
  void listsItsModel_andSaysThatItIsWell() throws Exception {
    assertThat(read(served.get("/v1/models")).at("/data/0/id").asText()).isEqualTo("fake");
    HttpResponse<String> health = served.get("/health");
    assertThat(health.statusCode()).isEqualTo(200);
    assertThat(read(health).path("status").asText()).isEqualTo("ok");
  }

  @Test
  void givesMetricsThatAddUp() throws Exception {
    served.post(ServedNode.IMAGES, "{\"prompt\":\"x\"}");

    String text = served.get("/metrics").body();

    assertThat(text)
        .contains("servedrift_serving_images_submitted_total 1.0")
        .contains("servedrift_serving_images_total{outcome=\"ok\"} 1.0")
        .contains("servedrift_serving_images_total{outcome=\"refused\"} 0.0")
        .contains("servedrift_serving_steps_total 4.0")
        .contains("servedrift_serving_cache_lookups_total{outcome=\"hit\"} 7.0")
        .contains("servedrift_serving_events_dropped_total{reason=\"buffer_full\"} 0.0")
        .contains("servedrift_serving_fault{fault=\"slow-node\"} 0.0")
        .contains("servedrift_serving_config_info{config_id=\"");
  }

  @Test
  void changesLimits_asAnotherConfigurationWithItsEvents() throws Exception {
    String before = served.node.state().journal().identity().configId();

    JsonNode answer = read(served.post("/admin/limits", "{\"mode\":\"single\",\"max_waiting\":9}"));

    assertThat(answer.path("mode").asText()).isEqualTo("single");
    assertThat(answer.path("max_batch_size").asInt()).isEqualTo(8);
    assertThat(answer.path("max_waiting").asInt()).isEqualTo(9);
    String after = served.node.state().journal().identity().configId();
    assertThat(after).isNotEqualTo(before);
    assertThat(events(ServingEventKind.BATCHING_MODE_CHANGED)).hasSize(1);
    assertThat(events(ServingEventKind.SCHEDULER_CHANGED)).hasSize(1);
    assertThat(events(ServingEventKind.BATCH_LIMIT_CHANGED)).isEmpty();
    assertThat(events(ServingEventKind.CONFIG_CHANGED))
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.getAttributes())
                    .isEqualTo(Map.of("from_config_id", before, "to_config_id", after)));
    assertThat(served.sink.of(ConfigRecord.class))
        .extracting(ConfigRecord::getConfigId)
        .containsExactly(before, after);

    // What does not count for the fingerprint makes no new configuration.
    served.post("/admin/limits", "{\"max_waiting\":10}");
    assertThat(events(ServingEventKind.CONFIG_CHANGED)).hasSize(1);
    // Nor what has no effect in single mode.
    served.post("/admin/limits", "{\"max_batch_size\":5,\"max_running\":6}");
    assertThat(events(ServingEventKind.BATCH_LIMIT_CHANGED)).isEmpty();
    assertThat(events(ServingEventKind.CONFIG_CHANGED)).hasSize(1);
    served.post("/admin/limits", "{\"mode\":\"continuous\",\"max_batch_size\":4}");
    assertThat(events(ServingEventKind.BATCH_LIMIT_CHANGED)).hasSize(1);
    assertThat(served.sink.rejected()).isEmpty();
  }

  @Test
  void switchesFaultsLoudly_butNotInTheFingerprint() throws Exception {
    String before = served.node.state().journal().identity().configId();

    HttpResponse<String> answer = served.post("/admin/faults", "{\"faults\":[\"slow-node\"]}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(served.node.state().faults().active()).containsExactly(Fault.SLOW_NODE);
    assertThat(read(served.get("/server_info")).at("/faults/0").asText()).isEqualTo("slow-node");
    assertThat(served.get("/metrics").body())
        .contains("servedrift_serving_fault{fault=\"slow-node\"} 1.0");
    assertThat(served.node.state().journal().identity().configId()).isEqualTo(before);
    served.post("/admin/faults", "{\"faults\":[]}");
    assertThat(events(ServingEventKind.OTHER))
        .extracting(event -> event.getAttributes().get("state"))
        .containsExactly("on", "off");
    assertThat(events(ServingEventKind.OTHER))
        .allMatch(event -> "slow-node".equals(event.getAttributes().get("fault")));
  }

  @Test
  void publishesTheFaultsItStartsWith_andItsEvictionStorms() {
    Faults faults = new Faults(Set.of(Fault.EVICTION_STORM));
    try (ServedNode faulty = new ServedNode(LIMITS, null, faults)) {
      assertThat(faulty.sink.of(ServingEvent.class))
          .extracting(ServingEvent::getKind)
          .containsSubsequence(ServingEventKind.NODE_STARTED, ServingEventKind.OTHER);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  faulty.sink.of(ServingEvent.class).stream()
                      .anyMatch(event -> event.getKind() == ServingEventKind.CACHE_EVICTIONS));
      assertThat(faulty.sink.rejected()).isEmpty();
    }
  }

  @Test
  void flushesTheCache_andReloadsWeights_withAnEventForEach() throws Exception {
    assertThat(read(served.post("/admin/flush_cache", "")).path("flushed_entries").asInt())
        .isEqualTo(3);
    assertThat(events(ServingEventKind.CACHE_FLUSH)).hasSize(1);

    String before = served.node.state().journal().identity().modelId();
    assertThat(served.post("/admin/reload_weights", "{\"model_dir\":\"new\"}").statusCode())
        .isEqualTo(200);
    assertThat(events(ServingEventKind.WEIGHTS_UPDATED)).hasSize(1);
    assertThat(served.node.state().journal().identity().modelId()).isNotEqualTo(before);
    assertThat(events(ServingEventKind.CONFIG_CHANGED).get(0).getAttributes())
        .containsEntry("from_model_id", before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /admin/limits         | {"mode":"batched"}         | value_out_of_range
          /admin/limits         | {"max_batch_size":0}       | value_out_of_range
          /admin/limits         | {"max_batch_size":"8"}     | invalid_type
          /admin/limits         | {"max_batchsize":8}        | unknown_parameter
          /admin/faults         | {"faults":["slow"]}        | unsupported_value
          /admin/faults         | {"faults":"slow-node"}     | invalid_type
          /admin/faults         | {}                         | invalid_type
          /admin/reload_weights | {}                         | missing_required_parameter
          /admin/reload_weights | {"model_dir":"missing"}    | cannot_load
          /admin/reload_weights | {"model_dir":"a\\u0000b"}  | cannot_load
          /admin/reload_weights | {"model_dir":"other-tokenizer"} | cannot_load
          /admin/limits         | {"max_waiting":3}          | value_out_of_range
          """)
  void changesNothing_whenAskedForWhatCannotBe(String path, String body, String code)
      throws Exception {
    HttpResponse<String> response = served.post(path, body);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(read(response).at("/error/code").asText()).isEqualTo(code);
    assertThat(served.node.state().scheduler().limits()).isEqualTo(LIMITS);
    assertThat(served.node.state().faults().active()).isEmpty();
    assertThat(served.sink.of(ServingEvent.class)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "Origin,http://example.org,403",
    "Forwarded,for=10.0.0.1,403",
    "X-Forwarded-For,10.0.0.1,403",
    "x-forwarded-port,80,403",
    "X-Real-IP,10.0.0.1,403",
    "Via,1.1 proxy,403",
    "Accept,*/*,200"
  })
  void keepsBrowsersAndProxiesFromAdministration(String header, String value, int status)
      throws Exception {
    HttpResponse<String> response =
        served.send(
            served
                .request("/admin/flush_cache")
                .header(AdminGuard.OWN_HEADER, "test")
                .header(header, value)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(events(ServingEventKind.CACHE_FLUSH)).hasSize(status == 200 ? 1 : 0);
  }

  /** What a form of a web page or a plain proxy cannot send. */
  @Test
  void demandsItsOwnHeader_forAdministration() throws Exception {
    HttpResponse<String> response =
        served.send(
            served.request("/admin/flush_cache").POST(HttpRequest.BodyPublishers.noBody()).build());

    assertThat(response.statusCode()).isEqualTo(403);
    assertThat(read(response).at("/error/code").asText()).isEqualTo("header_missing");
    assertThat(events(ServingEventKind.CACHE_FLUSH)).isEmpty();
  }

  @Test
  void saysThatItFailed_whenTheSchedulerCannotGoOn() throws Exception {
    HttpResponse<String> answer =
        served.post(ServedNode.IMAGES, "{\"prompt\":\"" + FakeEngine.FATAL + "\"}");
    assertThat(answer.statusCode()).isEqualTo(500);

    HttpResponse<String> health = served.get("/health");

    assertThat(health.statusCode()).isEqualTo(503);
    assertThat(read(health).path("status").asText()).isEqualTo("failed");
  }

  @Test
  void servesTheModelThatWasLoadedLast() throws Exception {
    assertThat(served.post("/admin/reload_weights", "{\"model_dir\":\"renamed\"}").statusCode())
        .isEqualTo(200);

    assertThat(
            served.post(ServedNode.IMAGES, "{\"prompt\":\"x\",\"model\":\"renamed\"}").statusCode())
        .isEqualTo(200);
    assertThat(served.post(ServedNode.IMAGES, "{\"prompt\":\"x\",\"model\":\"fake\"}").statusCode())
        .isEqualTo(404);
    assertThat(served.sink.of(RequestEvent.class))
        .singleElement()
        .extracting(RequestEvent::getModelId)
        .isEqualTo(served.node.state().journal().identity().modelId());
  }

  @Test
  void administersByPostOnly() throws Exception {
    HttpRequest get =
        served.request("/admin/flush_cache").header(AdminGuard.OWN_HEADER, "test").GET().build();

    assertThat(served.send(get).statusCode()).isEqualTo(405);
    assertThat(events(ServingEventKind.CACHE_FLUSH)).isEmpty();
  }

  @Test
  void demandsItsToken_whenItHasOne(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("token"), "0123456789abcdef");
    try (ServedNode guarded = new ServedNode(LIMITS, BearerToken.fromFile(file))) {
      for (String path : List.of("/server_info", "/v1/models")) {
        HttpResponse<String> refused = guarded.get(path);
        assertThat(refused.statusCode()).as(path).isEqualTo(401);
        assertThat(read(refused).at("/error/code").asText()).isEqualTo("invalid_api_key");
      }
      assertThat(guarded.post(ServedNode.IMAGES, "{\"prompt\":\"x\"}").statusCode()).isEqualTo(401);
      assertThat(guarded.post("/admin/flush_cache", "").statusCode()).isEqualTo(401);
      assertThat(guarded.get("/health").statusCode()).isEqualTo(200);
      assertThat(guarded.get("/metrics").statusCode()).isEqualTo(200);
      HttpRequest right =
          guarded
              .request("/v1/models")
              .header("Authorization", "Bearer 0123456789abcdef")
              .GET()
              .build();
      assertThat(guarded.send(right).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void finishesWhatRuns_andRefusesTheRest_whenItStops() throws Exception {
    served.engine.hold();
    CompletableFuture<HttpResponse<String>> running = served.generate("{\"prompt\":\"x\"}");
    await().until(() -> served.node.state().scheduler().statistics().running() == 1);
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(served.node::close);
    await().until(() -> !served.node.state().scheduler().accepting());

    assertThat(served.get("/health").statusCode()).isEqualTo(503);
    HttpResponse<String> refused = served.post(ServedNode.IMAGES, "{\"prompt\":\"x\"}");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(read(refused).at("/error/code").asText()).isEqualTo("shutting_down");
    assertThat(served.sink.of(RequestEvent.class))
        .singleElement()
        .extracting(RequestEvent::getError)
        .isEqualTo(ShuttingDownException.class.getName());
    served.engine.release();

    assertThat(running.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    stopped.get(30, TimeUnit.SECONDS);
    assertThat(events(ServingEventKind.NODE_STOPPED))
        .singleElement()
        .extracting(event -> event.getAttributes().get("reason"))
        .isEqualTo("drained");
  }

  @Test
  void answersWhole_whenTheSchedulerDies_andTheNodeIsClosedAtOnce() throws Exception {
    served.engine.hold();
    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    calls.add(served.generate("{\"prompt\":\"" + FakeEngine.FATAL + "\"}"));
    await().until(() -> served.node.state().scheduler().statistics().running() == 1);
    for (int i = 0; i < 6; i++) {
      calls.add(served.generate("{\"prompt\":\"x\",\"n\":2}"));
    }
    await().until(() -> served.node.state().scheduler().statistics().submitted() == 13);
    // As the command does: the failure is what it waits for.
    CompletableFuture<Void> closed =
        served.node.state().scheduler().failure().thenRunAsync(served::close);
    served.engine.release();

    for (CompletableFuture<HttpResponse<String>> call : calls) {
      HttpResponse<String> answer = call.get(30, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(read(answer).at("/error/code").asText()).isEqualTo("generation_failed");
      assertThat(read(answer).at("/error/type").asText()).isEqualTo("server_error");
    }
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void answersWhole_whenACallIsStillBeingSent_andTheServerStops() throws Exception {
    byte[] body = "{\"prompt\":\"x\"}".getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.uri("/").getPort())) {
      String head =
          String.join(
              "\r\n",
              "POST /v1/images/generations HTTP/1.1",
              "Host: localhost",
              "Content-Type: application/json",
              "Content-Length: " + body.length,
              "",
              "");
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(body, 0, 3);
      socket.getOutputStream().flush();
      await().until(NodeApiTest::aBodyIsBeingRead);
      CompletableFuture<Void> closed = CompletableFuture.runAsync(served::close);
      await().until(() -> !served.listening());
      socket.getOutputStream().write(body, 3, body.length - 3);
      socket.getOutputStream().flush();

      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 503").contains("\"code\":\"shutting_down\"}}");
      closed.get(30, TimeUnit.SECONDS);
    }
  }

  private static boolean aBodyIsBeingRead() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(frame -> frame.getClassName().equals(JsonBody.class.getName()));
  }
}

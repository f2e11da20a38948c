package io.servedrift.serving.node.http;

import static io.servedrift.serving.node.http.ServedNode.IMAGES;
import static io.servedrift.serving.node.http.ServedNode.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.serving.node.FakeEngine;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.DrainTimeoutException;
import io.servedrift.serving.scheduler.QueueFullException;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImagesApiTest {

  private final ServedNode served =
      new ServedNode(new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 16, 64, 0));

  @AfterEach
  void stop() {
    served.close();
  }

  private RequestEvent onlyEvent() {
    await().until(() -> !served.sink.of(RequestEvent.class).isEmpty());
    assertThat(served.sink.of(RequestEvent.class)).hasSize(1);
    return served.sink.of(RequestEvent.class).get(0);
  }

  @Test
  void answersWithThePng_andRecordsIt() throws Exception {
    HttpResponse<String> response =
        served.send(
            served
                .request(IMAGES)
                .header("Content-Type", "application/json")
                .header("X-Request-Id", "mine-7")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        """
                        {"model":"fake","prompt":"a red circle","negative_prompt":"blue","size":"16x8",
                         "n":1,"seed":200,"num_inference_steps":3,"guidance_scale":2.5,
                         "response_format":"b64_json","user":"u","prompt_class":"circle","priority":4}
                        """))
                .build());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("X-Request-Id")).contains("mine-7");
    JsonNode image = read(response).path("data").path(0);
    assertThat(image.path("seed").asLong()).isEqualTo(200);
    assertThat(image.path("request_id").asText()).isEqualTo("mine-7");
    byte[] png = Base64.getDecoder().decode(image.path("b64_json").asText());
    BufferedImage read = ImageIO.read(new ByteArrayInputStream(png));
    assertThat(read.getWidth()).isEqualTo(16);
    assertThat(read.getHeight()).isEqualTo(8);
    assertThat(read.getRGB(15, 7)).isEqualTo(0xffc8c8c8);

    RequestEvent event = onlyEvent();
    assertThat(event.getRequestId()).isEqualTo("mine-7");
    assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
    assertThat(event.getConfigId())
        .isEqualTo(served.node.state().journal().configuration().configId());
    assertThat(event.getWorkload().getPromptTokens()).isEqualTo(3);
    assertThat(event.getWorkload().getPromptHash()).matches("[0-9a-f]{64}");
    assertThat(event.getWorkload().getNegativePromptHash()).matches("[0-9a-f]{64}");
    assertThat(event.getWorkload().getPromptClass()).isEqualTo("circle");
    assertThat(event.getWorkload().getSteps()).isEqualTo(3);
    assertThat(event.getWorkload().getGuidanceScale()).isEqualTo(2.5);
    assertThat(event.getScheduling().getPriority()).isEqualTo(4);
    assertThat(event.getBatch().getSizeMax()).isEqualTo(1);
    assertThat(event.getOutput().getBytes()).isEqualTo(png.length);
    assertThat(event.getOutput().getSha256())
        .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(png)));
    JsonNode how = image.path("servedrift");
    assertThat(how.path("config_id").asText()).isEqualTo(event.getConfigId());
    assertThat(how.path("model_id").asText()).isEqualTo(event.getModelId());
    assertThat(how.path("queue_seconds").asDouble()).isEqualTo(event.getQueueSeconds());
    assertThat(how.path("inference_seconds").asDouble()).isEqualTo(event.getInferenceSeconds());
    assertThat(how.path("compute_seconds").asDouble()).isNotNegative();
    assertThat(how.at("/batch/size_mean").asDouble()).isEqualTo(1);
    assertThat(how.at("/batch/size_max").asInt()).isEqualTo(1);
    assertThat(how.at("/cache/conditioning").asText()).isEqualTo("miss");
    assertThat(how.at("/scheduling/preemptions").asInt(-1)).isZero();
    assertThat(served.sink.rejected()).isEmpty();
    assertThat(served.sink.all().toString()).doesNotContain("red circle").doesNotContain("blue");
  }

  @Test
  void usesTheModelsDefaults_andASeedOfItsOwn() throws Exception {
    JsonNode answer = read(served.post(IMAGES, "{\"prompt\":\"a red circle\"}"));

    RequestEvent event = onlyEvent();
    assertThat(event.getWorkload().getWidth()).isEqualTo(8);
    assertThat(event.getWorkload().getSteps()).isEqualTo(4);
    assertThat(event.getWorkload().getGuidanceScale()).isEqualTo(3.5);
    assertThat(event.getWorkload().getSeed())
        .isEqualTo(answer.path("data").path(0).path("seed").asLong())
        .isBetween(0L, 1L << 53);
    assertThat(event.getWorkload().getNegativePromptHash()).isNull();
  }

  @Test
  void warnsBesideTheImage_whenAPromptIsCut() throws Exception {
    String forty = "red ".repeat(39) + "red";
    JsonNode cut =
        read(served.post(
                IMAGES, "{\"prompt\":\"" + forty + "\",\"negative_prompt\":\"" + forty + "\"}"))
            .at("/data/0/servedrift/warnings");

    assertThat(cut).hasSize(2);
    assertThat(cut.at("/0/code").asText()).isEqualTo("prompt_cut");
    assertThat(cut.at("/0/param").asText()).isEqualTo("prompt");
    assertThat(cut.at("/0/tokens").asInt()).isEqualTo(40);
    assertThat(cut.at("/0/tokens_read").asInt()).isEqualTo(32);
    assertThat(cut.at("/0/message").asText())
        .isEqualTo(
            "prompt: has 40 tokens, of which the model reads 32;"
                + " its end has no effect on the image");
    assertThat(cut.at("/1/param").asText()).isEqualTo("negative_prompt");
  }

  @Test
  void warnsOfNothing_whenTheModelReadsAllOfThePrompts() throws Exception {
    String longest = "red ".repeat(31) + "red";
    JsonNode how =
        read(served.post(
                IMAGES, "{\"prompt\":\"" + longest + "\",\"negative_prompt\":\"" + longest + "\"}"))
            .at("/data/0/servedrift");

    assertThat(how.path("config_id").asText()).isNotEmpty();
    assertThat(how.has("warnings")).isFalse();
  }

  @Test
  void makesSeveralImages_eachWithItsSeedAndEvent() throws Exception {
    JsonNode data =
        read(served.post(IMAGES, "{\"prompt\":\"x\",\"n\":3,\"seed\":5,\"synthetic\":true}"))
            .path("data");

    assertThat(data.findValuesAsText("seed")).containsExactly("5", "6", "7");
    await().until(() -> served.sink.of(RequestEvent.class).size() == 3);
    assertThat(served.sink.of(RequestEvent.class))
        .allMatch(RequestEvent::getSynthetic)
        .extracting(RequestEvent::getRequestId)
        .containsExactlyInAnyOrderElementsOf(data.findValuesAsText("request_id"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"prompt":"x","model":"other"}              | 404 | model               | model_not_found
          {"prompt":"x","size":"100000x100000"}       | 400 | size                | unsupported_value
          {"prompt":"x","size":"8"}                   | 400 | size                | unsupported_value
          {"prompt":"x","size":8}                     | 400 | size                | invalid_type
          {"prompt":""}                               | 400 | prompt              | empty_string
          {"prompt":" "}                              | 400 | prompt              | empty_string
          {"prompt":null}                             | 400 | prompt              | missing_required_parameter
          {}                                          | 400 | prompt              | missing_required_parameter
          {"prompt":["x"]}                            | 400 | prompt              | invalid_type
          {"prompt":"x","n":0}                        | 400 | n                   | value_out_of_range
          {"prompt":"x","n":5}                        | 400 | n                   | value_out_of_range
          {"prompt":"x","n":1.5}                      | 400 | n                   | invalid_type
          {"prompt":"x","n":"2"}                      | 400 | n                   | invalid_type
          {"prompt":"x","seed":-1}                    | 400 | seed                | value_out_of_range
          {"prompt":"x","seed":99999999999999999999}  | 400 | seed                | value_out_of_range
          {"prompt":"x","num_inference_steps":201}    | 400 | num_inference_steps | value_out_of_range
          {"prompt":"x","guidance_scale":1e9}         | 400 | guidance_scale      | value_out_of_range
          {"prompt":"x","guidance_scale":"high"}      | 400 | guidance_scale      | invalid_type
          {"prompt":"x","negative_prompt":3}          | 400 | negative_prompt     | invalid_type
          {"prompt":"x","response_format":"url"}      | 400 | response_format     | unsupported_value
          {"prompt":"x","priority":1000}              | 400 | priority            | value_out_of_range
          {"prompt":"x","timeout":0}                  | 400 | timeout             | value_out_of_range
          {"prompt":"x","timeout":61}                 | 400 | timeout             | value_out_of_range
          {"prompt":"x","use_cache":"no"}             | 400 | use_cache           | invalid_type
          {"prompt":"x","prompt_class":"My Class"}    | 400 | prompt_class        | unsupported_value
          {"prompt":"x","sede":7}                     | 400 | sede                | unknown_parameter
          {"prompt":"x","prompt":"y"}                 | 400 |                     | invalid_json
          {"prompt":"x"} {}                           | 400 |                     | invalid_json
          {"prompt":"secret                           | 400 |                     | invalid_json
          ["prompt"]                                  | 400 |                     | invalid_json
          [[[[[[[[[[[[1]]]]]]]]]]]]                   | 400 |                     | invalid_json
          """)
  void saysWhatIsWrong_whenTheCallIsBad(String body, int status, String param, String code)
      throws Exception {
    HttpResponse<String> response = served.post(IMAGES, body);

    assertThat(response.statusCode()).isEqualTo(status);
    JsonNode error = read(response).path("error");
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(error.path("param").asText(null)).isEqualTo(param);
    assertThat(error.path("code").asText()).isEqualTo(code);
    assertThat(error.path("message").asText()).isNotEmpty().doesNotContain("secret");
    assertThat(served.node.state().scheduler().statistics().submitted()).isZero();
  }

  @Test
  void refusesAPromptThatIsTooLong_whetherTheBodyFitsOrNot() throws Exception {
    HttpResponse<String> long4k = served.post(IMAGES, "{\"prompt\":\"" + "y".repeat(4_001) + "\"}");
    assertThat(long4k.statusCode()).isEqualTo(400);
    assertThat(read(long4k).at("/error/code").asText()).isEqualTo("string_above_max_length");
    assertThat(long4k.body()).doesNotContain("yyy");

    HttpResponse<String> long1m =
        served.post(IMAGES, "{\"prompt\":\"" + "y".repeat(1_000_000) + "\"}");
    assertThat(long1m.statusCode()).isEqualTo(413);
    assertThat(read(long1m).at("/error/code").asText()).isEqualTo("request_too_large");
  }

  @Test
  void refusesOtherContent_paths_andMethods() throws Exception {
    HttpResponse<String> text =
        served.send(
            served
                .request(IMAGES)
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"x\"}"))
                .build());
    assertThat(text.statusCode()).isEqualTo(415);
    assertThat(read(text).at("/error/code").asText()).isEqualTo("unsupported_media_type");
    HttpResponse<String> path = served.get("/v1/images");
    assertThat(path.statusCode()).isEqualTo(404);
    assertThat(read(path).at("/error/code").asText()).isEqualTo("not_found");
    HttpResponse<String> method = served.get(IMAGES);
    assertThat(method.statusCode()).isEqualTo(405);
    assertThat(read(method).at("/error/code").asText()).isEqualTo("method_not_allowed");
    HttpResponse<String> id =
        served.send(
            served
                .request(IMAGES)
                .header("Content-Type", "application/json")
                .header("X-Request-Id", "a b")
                .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"x\"}"))
                .build());
    assertThat(read(id).at("/error/code").asText()).isEqualTo("invalid_request_id");
  }

  @Test
  void saysNothingOfTheCause_whenTheEngineFails() throws Exception {
    HttpResponse<String> response =
        served.post(IMAGES, "{\"prompt\":\"" + FakeEngine.BROKEN + "\",\"n\":2}");

    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(read(response).at("/error/code").asText()).isEqualTo("generation_failed");
    assertThat(response.body()).doesNotContain("broken");
    await().until(() -> served.sink.of(RequestEvent.class).size() == 2);
    assertThat(served.sink.of(RequestEvent.class))
        .allMatch(event -> event.getStatus() == RequestStatus.ERROR)
        .allMatch(event -> "java.lang.IllegalStateException".equals(event.getError()));
  }

  @Test
  void givesUp_whenTheTimeIsOver() throws Exception {
    served.engine.hold();
    CompletableFuture<HttpResponse<String>> late =
        served.generate("{\"prompt\":\"x\",\"timeout\":0.05}");
    await().until(() -> served.node.state().scheduler().statistics().submitted() == 1);
    Thread.sleep(60);
    served.engine.release();

    HttpResponse<String> response = late.get(30, TimeUnit.SECONDS);
    assertThat(response.statusCode()).isEqualTo(504);
    assertThat(read(response).at("/error/code").asText()).isEqualTo("timeout");
    assertThat(onlyEvent().getStatus()).isEqualTo(RequestStatus.TIMEOUT);
  }

  @Test
  void asksToComeAgain_whenTheQueueIsFull() throws Exception {
    served.engine.hold();
    served
        .node
        .administration()
        .limits(now -> new SchedulerLimits(BatchingMode.SINGLE, 1, 1, 2, 0));
    List<CompletableFuture<HttpResponse<String>>> taken = new ArrayList<>();
    taken.add(served.generate("{\"prompt\":\"x\"}"));
    await().until(() -> served.node.state().scheduler().statistics().running() == 1);
    taken.add(served.generate("{\"prompt\":\"x\"}"));
    taken.add(served.generate("{\"prompt\":\"x\"}"));
    await().until(() -> served.node.state().scheduler().statistics().waiting() == 2);

    HttpResponse<String> refused = served.post(IMAGES, "{\"prompt\":\"x\"}");

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("1");
    assertThat(read(refused).at("/error/code").asText()).isEqualTo("queue_full");
    served.engine.release();
    for (CompletableFuture<HttpResponse<String>> each : taken) {
      assertThat(each.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void takesNothingOfACall_whenNotAllOfItsImagesHaveRoom() throws Exception {
    served.engine.hold();
    served
        .node
        .administration()
        .limits(now -> new SchedulerLimits(BatchingMode.SINGLE, 1, 1, 2, 0));
    CompletableFuture<HttpResponse<String>> first = served.generate("{\"prompt\":\"x\"}");
    await().until(() -> served.node.state().scheduler().statistics().running() == 1);

    assertThat(served.post(IMAGES, "{\"prompt\":\"x\",\"n\":4}").statusCode()).isEqualTo(429);

    served.engine.release();
    assertThat(first.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    await().until(() -> served.node.state().scheduler().statistics().waiting() == 0);
    assertThat(served.node.state().scheduler().statistics().done()).isEqualTo(1);
    assertThat(served.node.state().scheduler().statistics().refused()).isEqualTo(4);
    assertThat(served.node.state().scheduler().statistics().cancelled()).isZero();
    assertThat(served.sink.of(RequestEvent.class))
        .filteredOn(event -> event.getStatus() == RequestStatus.ERROR)
        .hasSize(4)
        .allMatch(event -> QueueFullException.class.getName().equals(event.getError()));
  }

  @Test
  void freesTheSlot_whenTheClientGoesAway() throws Exception {
    served.engine.hold();
    byte[] body = "{\"prompt\":\"x\"}".getBytes(StandardCharsets.UTF_8);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.uri("/").getPort())) {
      post(socket, body);
      await().until(() -> served.node.state().scheduler().statistics().running() == 1);
    }
    CompletableFuture<HttpResponse<String>> other = served.generate("{\"prompt\":\"y\"}");
    // The step that is being made ends with one permit; the slot is free before the next.
    await()
        .until(
            () -> {
              served.engine.releaseOne();
              return served.node.state().scheduler().statistics().cancelled() == 1;
            });
    served.engine.release();

    assertThat(other.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    await().until(() -> served.sink.of(RequestEvent.class).size() == 2);
    assertThat(served.sink.of(RequestEvent.class))
        .extracting(RequestEvent::getStatus)
        .containsExactlyInAnyOrder(RequestStatus.CANCELLED, RequestStatus.OK);
    assertThat(served.engine.open()).isZero();
  }

  @Test
  void answersAndCloses_whenTheClientSendsTheNextCallEarly() throws Exception {
    served.engine.hold();
    byte[] body = "{\"prompt\":\"x\"}".getBytes(StandardCharsets.UTF_8);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.uri("/").getPort())) {
      socket.setSoTimeout(30_000);
      post(socket, body);
      await().until(() -> served.node.state().scheduler().statistics().running() == 1);
      post(socket, body);
      await().until(() -> served.pipelined() == 1);
      served.engine.release();

      String answer = new String(socket.getInputStream().readNBytes(4096), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200").containsIgnoringCase("Connection: close");
    }
  }

  private static void post(Socket socket, byte[] body) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(
        ("POST "
                + IMAGES
                + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }

  /** More of them than there are threads that finish images. */
  @Test
  void answersOthers_whenManyClientsDoNotRead() throws Exception {
    byte[] body =
        "{\"prompt\":\"x\",\"size\":\"1024x1024\",\"n\":2,\"num_inference_steps\":1}"
            .getBytes(StandardCharsets.UTF_8);
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 1; i <= 6; i++) {
        Socket socket = new Socket();
        silent.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), served.uri("/").getPort()));
        post(socket, body);
        int clients = i;
        await().atMost(Duration.ofSeconds(30)).until(() -> served.answering() == clients);
      }

      assertThat(served.post(IMAGES, "{\"prompt\":\"y\"}").statusCode()).isEqualTo(200);
      await().until(() -> served.sink.of(RequestEvent.class).size() == 13);
      assertThat(served.answering()).isEqualTo(6);

      String answer = new String(silent.get(0).getInputStream().readNBytes(64 * 1024), UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200").contains("b64_json");
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
    await().until(() -> served.answering() == 0);
  }

  /** Of a call that fails as a whole only the image that failed has its failure. */
  @Test
  void recordsASiblingAsGivenUp_whenAnotherImageOfTheCallFails() throws Exception {
    served.engine.hold();
    served
        .node
        .administration()
        .limits(now -> new SchedulerLimits(BatchingMode.SINGLE, 1, 1, 4, 0));
    CompletableFuture<HttpResponse<String>> call =
        served.generate("{\"prompt\":\"" + FakeEngine.BROKEN + "\",\"n\":3}");

    assertThat(call.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(500);
    await().until(() -> served.sink.of(RequestEvent.class).size() == 3);
    assertThat(served.sink.of(RequestEvent.class))
        .allMatch(event -> event.getStatus() == RequestStatus.ERROR);
  }

  @Test
  void recordsAnErrorAndSays503_whenTheDrainTimeIsOver() throws Exception {
    try (ServedNode hasty = new ServedNode(SchedulerLimits.single(), Duration.ZERO)) {
      hasty.engine.hold();
      CompletableFuture<HttpResponse<String>> call = hasty.generate("{\"prompt\":\"x\"}");
      await().until(() -> hasty.node.state().scheduler().statistics().running() == 1);
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(hasty.node::close);
      await().until(() -> !hasty.node.state().scheduler().accepting());
      // The step that is being made ends with one permit; the drain time is over by the next.
      await()
          .until(
              () -> {
                hasty.engine.releaseOne();
                return stopped.isDone();
              });

      HttpResponse<String> answer = call.get(30, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(read(answer).at("/error/code").asText()).isEqualTo("shutting_down");
      assertThat(hasty.sink.of(RequestEvent.class))
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.getStatus()).isEqualTo(RequestStatus.ERROR);
                assertThat(event.getError()).isEqualTo(DrainTimeoutException.class.getName());
              });
    }
  }

  @Test
  void holdsNoThreadForWhoWaits_whenManyClientsCome() throws Exception {
    served.engine.hold();
    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      calls.add(served.generate("{\"prompt\":\"x\",\"seed\":" + i + "}"));
    }
    await().until(() -> served.node.state().scheduler().statistics().submitted() == 64);
    long busy =
        Thread.getAllStackTraces().entrySet().stream()
            .filter(thread -> thread.getKey().getName().startsWith("JettyServerThreadPool"))
            .filter(
                thread ->
                    java.util.Arrays.stream(thread.getValue())
                        .anyMatch(frame -> frame.getClassName().startsWith("io.servedrift")))
            .count();
    assertThat(busy).isZero();
    served.engine.release();

    for (CompletableFuture<HttpResponse<String>> call : calls) {
      assertThat(call.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
    await().until(() -> served.sink.of(RequestEvent.class).size() == 64);
    assertThat(served.sink.of(RequestEvent.class))
        .anyMatch(event -> event.getBatch().getSizeMax() == 8)
        .noneMatch(event -> event.getBatch().getSizeMax() > 8);
  }
}

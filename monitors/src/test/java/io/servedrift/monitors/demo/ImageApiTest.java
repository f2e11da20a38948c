package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.servedrift.monitors.demo.ScenePrompts.ScenePrompt;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ImageApiTest {
  private static final ScenePrompt PROMPT = new ScenePrompt("a red circle", "one");

  private HttpServer server;
  private String path = "";
  private String body = "";
  private boolean administrative;
  private int status = 200;
  private String answer = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          path = exchange.getRequestMethod() + " " + exchange.getRequestURI();
          administrative = exchange.getRequestHeaders().containsKey("X-Servedrift-Admin");
          body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private ImageApi api() {
    return new ImageApi("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Test
  void asksInTheWordsOfTheNode() throws Exception {
    answer = "{\"data\":[{\"b64_json\":\"iVBOR\"}]}";
    api().image(PROMPT, 6, 41);

    assertThat(path).isEqualTo("POST /v1/images/generations");
    JsonNode sent = new ObjectMapper().readTree(body);
    assertThat(sent)
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"prompt":"a red circle","prompt_class":"one","num_inference_steps":6,"seed":41}
                    """));
  }

  @Test
  void administratesWithTheHeaderThatKeepsBrowsersOut() throws Exception {
    answer = "{}";
    api().fault(DemoFault.EVICTION_STORM);
    assertThat(path).isEqualTo("POST /admin/faults");
    assertThat(body).isEqualTo("{\"faults\":[\"eviction-storm\"]}");
    assertThat(administrative).isTrue();

    api().reloadWeights(Path.of("/models/scenes"));
    assertThat(path).isEqualTo("POST /admin/reload_weights");
    assertThat(body).isEqualTo("{\"model_dir\":\"/models/scenes\"}");
    assertThat(administrative).isTrue();

    api().serverInfo();
    assertThat(administrative).isFalse();
  }

  @Test
  void saysWhyThereIsNoImage() {
    status = 429;
    answer = "{\"error\":{\"message\":\"the queue is full\"}}";
    assertThatThrownBy(() -> api().image(PROMPT, 6, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("HTTP 429")
        .hasMessageContaining("the queue is full");
  }

  @Test
  void doesNotTakeAnAnswerWithoutImageForOne() {
    answer = "{\"data\":[]}";
    assertThatThrownBy(() -> api().image(PROMPT, 6, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("without an image");
  }

  @Test
  void readsWhatTheNodeSaysOfItself() throws Exception {
    answer = "{\"config_id\":\"0123456789abcdef\"}";
    assertThat(api().serverInfo().path("config_id").asText()).isEqualTo("0123456789abcdef");
    assertThat(path).isEqualTo("GET /server_info");
  }
}

package io.servedrift.monitors.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

/** A serving node as its clients see it. Thread-safe. */
public final class ImageApi {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LONGEST_REASON = 200;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final URI base;

  /**
   * @param address of the node, for example {@code http://127.0.0.1:8000}
   */
  public ImageApi(String address) {
    base = URI.create(address);
  }

  /**
   * Asks for an image and waits for it.
   *
   * @param steps denoising steps
   * @param seed of its noise, 0 or above
   * @throws IOException when the node gives none
   */
  public void image(ScenePrompts.ScenePrompt prompt, int steps, long seed)
      throws IOException, InterruptedException {
    require(call(prompt, steps, seed));
  }

  /** The same as test traffic, which stays out of live series. */
  public void syntheticImage(ScenePrompts.ScenePrompt prompt, int steps, long seed)
      throws IOException, InterruptedException {
    require(call(prompt, steps, seed).put("synthetic", true));
  }

  private static ObjectNode call(ScenePrompts.ScenePrompt prompt, int steps, long seed) {
    return JSON.createObjectNode()
        .put("prompt", prompt.text())
        .put("prompt_class", prompt.promptClass())
        .put("num_inference_steps", steps)
        .put("seed", seed);
  }

  private void require(ObjectNode body) throws IOException, InterruptedException {
    JsonNode answer =
        answered(
            HttpRequest.newBuilder(base.resolve("/v1/images/generations"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
    if (answer.at("/data/0/b64_json").asText().isEmpty()) {
      throw new IOException(base + ": answered without an image");
    }
  }

  /**
   * Switches a fault on, and all others off.
   *
   * @throws IOException when the node does not do it
   */
  public void fault(DemoFault fault) throws IOException, InterruptedException {
    ObjectNode body = JSON.createObjectNode();
    body.putArray("faults").add(fault.word());
    administrate("/admin/faults", body);
  }

  /**
   * Loads the weights of the text encoder anew.
   *
   * @param directory of a model, where the node finds it
   * @throws IOException when the node does not do it
   */
  public void reloadWeights(Path directory) throws IOException, InterruptedException {
    administrate(
        "/admin/reload_weights",
        JSON.createObjectNode().put("model_dir", directory.toAbsolutePath().toString()));
  }

  private void administrate(String path, ObjectNode body) throws IOException, InterruptedException {
    JsonNode unused =
        answered(
            HttpRequest.newBuilder(base.resolve(path))
                .header("Content-Type", "application/json")
                .header("X-Servedrift-Admin", "demo")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
  }

  /**
   * Configuration, model and faults of the node.
   *
   * @throws IOException when it does not answer
   */
  public JsonNode serverInfo() throws IOException, InterruptedException {
    return answered(HttpRequest.newBuilder(base.resolve("/server_info")).GET());
  }

  private JsonNode answered(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      String text = response.body().replaceAll("\\p{Cntrl}", " ");
      throw new IOException(
          response.uri().getPath()
              + ": HTTP "
              + response.statusCode()
              + " "
              + text.substring(0, Math.min(LONGEST_REASON, text.length())));
    }
    try {
      return JSON.readTree(response.body());
    } catch (JsonProcessingException e) {
      throw new IOException(response.uri().getPath() + ": no JSON", e);
    }
  }
}

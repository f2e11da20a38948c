package io.servedrift.monitors.gate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Modality;
import java.io.IOException;
import java.util.Base64;

/** An image endpoint, {@code POST /v1/images/generations}. Thread-safe. */
public final class ImageNode extends TestNode {
  private ImageNode() {
    super(Modality.IMAGE);
    on("/v1/images/generations", this::image);
  }

  /** Starts it, without a fault. */
  public static ImageNode started() {
    ImageNode node = new ImageNode();
    node.start();
    return node;
  }

  private JsonNode image(JsonNode body) throws IOException, InterruptedException {
    String prompt = body.path("prompt").asText();
    long seed = body.path("seed").asLong();
    Making making = serve(prompt, body.path("use_cache").asBoolean(true));
    byte[] png = Drawing.png(prompt, seed, damage(making));
    ObjectNode answer = JSON.createObjectNode().put("created", 1);
    answer
        .putArray("data")
        .addObject()
        .put("b64_json", Base64.getEncoder().encodeToString(png))
        .put("seed", seed)
        .set("servedrift", told(making));
    return answer;
  }
}

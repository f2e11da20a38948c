package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI's {@code POST /v1/images/generations} with {@code b64_json}, and what diffusion servers
 * commonly add: {@code seed}, {@code num_inference_steps}, {@code negative_prompt}. Thread-safe.
 */
final class ImageDialect implements Dialect {
  private static final String PATH = "/v1/images/generations";

  private final Declaration declared;

  ImageDialect(Declaration declared) {
    this.declared = declared;
  }

  @Override
  public Call call(GatePrompt prompt, long seed, Mode mode, String requestId) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("prompt", prompt.text()).put("n", 1).put("response_format", "b64_json");
    if (declared.modelName() != null) {
      body.put("model", declared.modelName());
    }
    if (prompt.width() != null && prompt.height() != null) {
      body.put("size", prompt.width() + "x" + prompt.height());
    }
    if (prompt.steps() != null) {
      body.put("num_inference_steps", prompt.steps());
    }
    if (prompt.negativePrompt() != null) {
      body.put("negative_prompt", prompt.negativePrompt());
    }
    if (declared.profile().seed()) {
      body.put("seed", seed);
    }
    addDeclared(body, declared, mode);
    return new Call(PATH, body.toString().getBytes(StandardCharsets.UTF_8), requestId);
  }

  /** Adds what the profile says is to be sent. */
  static void addDeclared(ObjectNode body, Declaration declared, Mode mode) {
    if (declared.always() != null) {
      body.setAll(declared.always());
    }
    if (mode == Mode.CLEAN && declared.recompute() != null) {
      body.setAll(declared.recompute());
    }
  }

  @Override
  public AnswerContent read(Reply reply, boolean whole) {
    JsonNode answer = StrictBody.object(reply.body());
    if (answer == null) {
      return AnswerContent.wrong("not_json");
    }
    JsonNode item = answer.at("/data/0");
    String base64 = item.path("b64_json").asText();
    if (base64.isEmpty()) {
      return AnswerContent.wrong("no_image");
    }
    byte[] file;
    try {
      file = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return AnswerContent.wrong("not_base64");
    }
    Answer.Served served = served(item.path("servedrift"));
    if (!whole) {
      return isImage(file)
          ? new AnswerContent(null, null, null, null, null, null, served)
          : AnswerContent.wrong("not_an_image");
    }
    try {
      String digest = Picture.decode(file).digest();
      return new AnswerContent(null, digest, file, null, null, null, served);
    } catch (IOException e) {
      return AnswerContent.wrong("not_an_image");
    }
  }

  private static boolean isImage(byte[] file) {
    boolean png = file.length > 8 && (file[0] & 0xFF) == 0x89 && file[1] == 'P' && file[2] == 'N';
    boolean jpeg = file.length > 8 && (file[0] & 0xFF) == 0xFF && (file[1] & 0xFF) == 0xD8;
    return png || jpeg;
  }

  /** What this project's node says beside an image. */
  private static Answer.Served served(JsonNode said) {
    return new Answer.Served(
        StrictBody.number(said.at("/batch/size_mean")),
        hit(said.at("/cache/conditioning").asText()),
        StrictBody.number(said.path("compute_seconds")),
        null);
  }

  private static @Nullable Boolean hit(String conditioning) {
    return switch (conditioning) {
      case "hit" -> Boolean.TRUE;
      case "miss", "bypass" -> Boolean.FALSE;
      default -> null;
    };
  }
}

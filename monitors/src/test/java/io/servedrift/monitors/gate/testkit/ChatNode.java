package io.servedrift.monitors.gate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Modality;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.StringJoiner;

/**
 * A chat endpoint, {@code POST /v1/chat/completions}, answering with one object. It answers with a
 * small JSON document; damage makes it lose its end now and then, and changes words. Thread-safe.
 */
public final class ChatNode extends TestNode {
  private static final int WORDS = 24;

  private ChatNode() {
    super(Modality.CHAT);
    on("/v1/chat/completions", this::chat);
  }

  /** Starts it, without a fault. */
  public static ChatNode started() {
    ChatNode node = new ChatNode();
    node.start();
    return node;
  }

  private JsonNode chat(JsonNode body) throws IOException, InterruptedException {
    JsonNode messages = body.path("messages");
    String prompt = messages.path(messages.size() - 1).path("content").asText();
    long seed = body.path("seed").asLong();
    Making making = serve(prompt, body.path("use_cache").asBoolean(true));
    ObjectNode answer = JSON.createObjectNode().put("object", "chat.completion");
    ObjectNode choice = answer.putArray("choices").addObject().put("finish_reason", "stop");
    choice
        .putObject("message")
        .put("role", "assistant")
        .put("content", text(prompt, seed, damage(making)));
    answer
        .putObject("usage")
        .putObject("prompt_tokens_details")
        .put("cached_tokens", making.hit() ? 16 : 0);
    return answer;
  }

  private static String text(String prompt, long seed, double damage) {
    SplittableRandom random = new SplittableRandom(31L * prompt.hashCode() + seed);
    SplittableRandom broken = new SplittableRandom(17L * prompt.hashCode() + seed);
    StringJoiner words = new StringJoiner(" ");
    for (int i = 0; i < WORDS; i++) {
      int word = random.nextInt(1000);
      words.add("w" + (broken.nextDouble() < damage / 4 ? word + 1 : word));
    }
    String end = broken.nextDouble() < damage ? "" : "\"}";
    return "{\"answer\": \"" + words + end;
  }
}

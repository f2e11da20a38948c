package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI's {@code POST /v1/chat/completions}, streamed so that the first token is seen. At batch 1
 * the temperature is 0; in production it is the prompt's, or what the endpoint does by itself.
 * Thread-safe.
 */
final class ChatDialect implements Dialect {
  private static final String PATH = "/v1/chat/completions";
  private static final String END = "[DONE]";

  private final Declaration declared;

  ChatDialect(Declaration declared) {
    this.declared = declared;
  }

  @Override
  public Call call(GatePrompt prompt, long seed, Mode mode, String requestId) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    if (declared.modelName() != null) {
      body.put("model", declared.modelName());
    }
    ArrayNode messages = body.putArray("messages");
    if (prompt.system() != null) {
      messages.addObject().put("role", "system").put("content", prompt.system());
    }
    messages.addObject().put("role", "user").put("content", prompt.text());
    if (mode != Mode.PRODUCTION) {
      body.put("temperature", 0);
    } else if (prompt.temperature() != null) {
      body.put("temperature", prompt.temperature());
    }
    if (prompt.maxTokens() != null) {
      body.put("max_tokens", prompt.maxTokens());
    }
    if (declared.profile().seed()) {
      body.put("seed", seed);
    }
    body.put("stream", true);
    body.putObject("stream_options").put("include_usage", true);
    ImageDialect.addDeclared(body, declared, mode);
    return new Call(PATH, body.toString().getBytes(StandardCharsets.UTF_8), requestId);
  }

  @Override
  public AnswerContent read(Reply reply, boolean whole) {
    byte[] body = reply.body();
    int start = 0;
    while (start < body.length && Character.isWhitespace(body[start])) {
      start++;
    }
    return start < body.length && body[start] == '{' ? ofOneObject(body) : ofStream(reply);
  }

  private static AnswerContent ofOneObject(byte[] body) {
    JsonNode answer = StrictBody.object(body);
    if (answer == null) {
      return AnswerContent.wrong("not_json");
    }
    JsonNode text = answer.at("/choices/0/message/content");
    return text.isTextual()
        ? content(text.textValue(), null, cached(answer.path("usage")))
        : AnswerContent.wrong("no_text");
  }

  private static AnswerContent ofStream(Reply reply) {
    byte[] body = reply.body();
    StringBuilder text = new StringBuilder();
    Long firstToken = null;
    Boolean hit = null;
    boolean ended = false;
    for (Line line : dataLines(body)) {
      if (new String(body, line.from(), line.length(), StandardCharsets.UTF_8).equals(END)) {
        ended = true;
        continue;
      }
      JsonNode chunk = StrictBody.object(body, line.from(), line.length());
      if (chunk == null) {
        return AnswerContent.wrong("not_json");
      }
      if (chunk.hasNonNull("error")) {
        return AnswerContent.wrong("error_in_stream");
      }
      String more = chunk.at("/choices/0/delta/content").asText("");
      if (!more.isEmpty() && firstToken == null) {
        firstToken = reply.nanosAt(line.from() + line.length());
      }
      text.append(more);
      ended |= chunk.at("/choices/0/finish_reason").isTextual();
      Boolean said = cached(chunk.path("usage"));
      hit = said == null ? hit : said;
    }
    if (!ended) {
      return AnswerContent.wrong("cut_off");
    }
    return firstToken == null
        ? AnswerContent.wrong("no_text")
        : content(text.toString(), firstToken, hit);
  }

  /** A part of a body. */
  private record Line(int from, int length) {}

  /** What stands behind {@code data:} in each line of a stream of server-sent events. */
  private static List<Line> dataLines(byte[] body) {
    List<Line> lines = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= body.length; i++) {
      if (i < body.length && body[i] != '\n') {
        continue;
      }
      int to = i > from && body[i - 1] == '\r' ? i - 1 : i;
      if (startsWithData(body, from, to)) {
        int begin = from + 5;
        while (begin < to && body[begin] == ' ') {
          begin++;
        }
        lines.add(new Line(begin, to - begin));
      }
      from = i + 1;
    }
    return lines;
  }

  private static boolean startsWithData(byte[] body, int from, int to) {
    return to - from >= 5
        && body[from] == 'd'
        && body[from + 1] == 'a'
        && body[from + 2] == 't'
        && body[from + 3] == 'a'
        && body[from + 4] == ':';
  }

  private static @Nullable Boolean cached(JsonNode usage) {
    JsonNode tokens = usage.at("/prompt_tokens_details/cached_tokens");
    return tokens.isNumber() ? tokens.asLong() > 0 : null;
  }

  private static AnswerContent content(
      String text, @Nullable Long firstToken, @Nullable Boolean hit) {
    byte[] file = text.getBytes(StandardCharsets.UTF_8);
    return new AnswerContent(
        null,
        Digests.of(file),
        file,
        text,
        TokenDistance.words(text),
        firstToken,
        new Answer.Served(null, hit, null, null));
  }
}

package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.literal.PythonLiteral;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The beginning or end of a request in SGLang's request log, from its JSON or its text form.
 *
 * @param finished whether it is the end
 * @param at time of the line, null when unusable
 * @param ids of the requests: several when one forward served a batch
 * @param obj what was asked for
 * @param out what came of it
 */
record LogRecord(
    boolean finished,
    @Nullable Instant at,
    List<String> ids,
    JsonNode obj,
    @Nullable JsonNode out) {

  private static final Pattern TEXT = Pattern.compile("\\b(Receive|Finish): (?=(?:obj|rid)=)");
  private static final Pattern TIME =
      Pattern.compile(
          "^\\W{0,3}(\\d{4}-\\d\\d-\\d\\d["
              + " T]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?(?:Z|[+-]\\d\\d:?\\d\\d)?)");

  /** The record in a JSON line; null when it is of another kind. */
  static @Nullable LogRecord of(ObjectNode line, SourceTimes times) {
    String event = line.path("event").asText();
    if (!event.equals("request.finished") && !event.equals("request.received")) {
      return null;
    }
    JsonNode out = line.get("out");
    JsonNode obj = line.path("obj");
    return new LogRecord(
        event.equals("request.finished"),
        times.text(line.path("timestamp").asText(null)),
        ids(line.get("rid"), obj, out),
        obj,
        out);
  }

  /** The record in a line of text; null when it is of another kind. */
  static @Nullable LogRecord of(String line, SourceTimes times) {
    Matcher match = TEXT.matcher(line);
    if (!match.find()) {
      return null;
    }
    ObjectNode arguments = PythonLiteral.parseArguments(line.substring(match.end()));
    JsonNode obj = arguments.path("obj");
    JsonNode out = arguments.get("out");
    return new LogRecord(
        match.group(1).equals("Finish"),
        time(line, times),
        ids(arguments.get("rid"), obj, out),
        obj,
        out);
  }

  /** The time at the start of a line of a log; null when there is none that can be used. */
  static @Nullable Instant time(String line, SourceTimes times) {
    Matcher time = TIME.matcher(line);
    return time.find() ? times.text(time.group(1)) : null;
  }

  /** What the end says of all requests of the record; an object without members when nothing. */
  JsonNode meta() {
    JsonNode result = out == null ? JsonNodeFactory.instance.objectNode() : out;
    return result.get("meta_info") instanceof ObjectNode meta ? meta : result;
  }

  private static List<String> ids(@Nullable JsonNode rid, JsonNode obj, @Nullable JsonNode out) {
    JsonNode named = rid != null && !rid.isNull() ? rid : obj.get("rid");
    if ((named == null || named.isNull()) && out != null) {
      JsonNode id = out.path("meta_info").get("id");
      named = id != null ? id : out.get("rid");
    }
    List<String> ids = new ArrayList<>();
    if (named instanceof ArrayNode list) {
      list.forEach(id -> add(id, ids));
    } else if (named != null) {
      add(named, ids);
    }
    return ids;
  }

  private static void add(JsonNode id, List<String> ids) {
    if (id.isTextual() && !id.textValue().isEmpty()) {
      ids.add(id.textValue());
    }
  }
}

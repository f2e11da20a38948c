package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.ReadLimits;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one text of any of the kinds that can be captured says of a configuration: a {@code config}
 * record of the contract, an answer of {@code /server_info} or {@code /v1/list_loras}, manifests, a
 * log with the line in which the runtime tells its arguments (the last such line counts), or an
 * environment. Immutable, thread-safe.
 */
public final class CaptureText {
  /** By how much a kind of source knows: what was asked for, and what came of it. */
  enum Kind {
    MANIFEST,
    LOG,
    ANSWER,
    RECORD,
    ENVIRONMENT,
    ADAPTERS
  }

  /** Lines of a log may begin with a bracket too. */
  private static final Pattern JSON = Pattern.compile("\\{|\\[\\s*[{\"]");

  private static final int MOST_CHARACTERS = 4 << 20;

  private static final ObjectReader JSON_READER =
      new EventReader(new ReadLimits(MOST_CHARACTERS, 64)).strictJson();

  private static final Captured NOTHING =
      new Captured(JsonNodeFactory.instance.objectNode(), JsonNodeFactory.instance.objectNode());

  private final Kind kind;
  private final Captured captured;
  private final ObjectNode adapters;

  private CaptureText(Kind kind, Captured captured, ObjectNode adapters) {
    this.kind = kind;
    this.captured = captured;
    this.adapters = adapters;
  }

  private CaptureText(Kind kind, Captured captured) {
    this(kind, captured, JsonNodeFactory.instance.objectNode());
  }

  /**
   * Captures from a text.
   *
   * @return null when it holds no configuration
   */
  public static @Nullable CaptureText of(String text) {
    String stripped = text.strip();
    if (JSON.matcher(stripped).lookingAt()) {
      CaptureText found = ofJson(stripped);
      if (found != null) {
        return found;
      }
    }
    Captured captured = ManifestCapture.of(stripped);
    if (captured != null) {
      return said(Kind.MANIFEST, captured);
    }
    for (String line : stripped.split("\n", -1)) {
      Captured found = ConfigCapture.ofLogLine(line);
      captured = found == null ? captured : found;
    }
    if (captured != null) {
      return said(Kind.LOG, captured);
    }
    return environment(EnvironmentText.ofLines(stripped));
  }

  /**
   * What is wrong with a text that begins as JSON.
   *
   * @return null when it does not, is JSON, or goes on after it: then it may be a log of JSON lines
   */
  public static @Nullable String fault(String text) {
    String stripped = text.stripTrailing();
    if (!JSON.matcher(stripped.stripLeading()).lookingAt()) {
      return null;
    }
    try {
      JSON_READER.readTree(stripped);
      return null;
    } catch (IOException e) {
      return JsonFault.isMore(e) ? null : JsonFault.inText(e);
    }
  }

  Kind kind() {
    return kind;
  }

  /** Adds what this text says to what others said that know less. */
  Captured addTo(Captured before) {
    return kind == Kind.ADAPTERS
        ? ConfigCapture.withAdapters(before, adapters)
        : ConfigCapture.merge(before, captured);
  }

  private static @Nullable CaptureText environment(@Nullable Map<String, String> variables) {
    return variables == null
        ? null
        : new CaptureText(Kind.ENVIRONMENT, ConfigCapture.withEnvironment(NOTHING, variables));
  }

  private static @Nullable CaptureText said(Kind kind, Captured captured) {
    return saysSomething(captured) ? new CaptureText(kind, captured) : null;
  }

  /** More than a guessed name of the runtime and members that nothing is known of. */
  private static boolean saysSomething(Captured captured) {
    ObjectNode config = captured.config().deepCopy();
    config.remove("reported");
    JsonNode runtime = config.get("runtime");
    if (runtime instanceof ObjectNode known && known.size() == 1 && known.has("name")) {
      config.remove("runtime");
    }
    return !config.isEmpty() || !captured.model().isEmpty();
  }

  private static @Nullable CaptureText ofJson(String text) {
    JsonNode node;
    try {
      node = JSON_READER.readTree(text);
    } catch (IOException e) {
      return null;
    }
    Map<String, String> variables = EnvironmentText.ofJson(node);
    if (variables != null) {
      return environment(variables);
    }
    if (!(node instanceof ObjectNode object)) {
      return null;
    }
    if (object.has("kind") && object.has("apiVersion")) {
      Captured captured = ManifestCapture.of(text);
      return captured == null ? null : said(Kind.MANIFEST, captured);
    }
    if (object.get("active") instanceof ObjectNode) {
      return new CaptureText(Kind.ADAPTERS, NOTHING, object);
    }
    return object.get("config") instanceof ObjectNode || object.get("model") instanceof ObjectNode
        ? said(Kind.RECORD, ConfigBuilder.of(member(object, "config"), member(object, "model")))
        : said(Kind.ANSWER, ConfigCapture.ofServerInfo(object));
  }

  private static ObjectNode member(ObjectNode object, String name) {
    return object.get(name) instanceof ObjectNode member
        ? member
        : JsonNodeFactory.instance.objectNode();
  }

  /**
   * What several texts say together. Where they differ, the one that knows more wins, in whatever
   * order they are given: a manifest asks, the log of the start tells what was asked for, {@code
   * /server_info} what came of it; a {@code config} record was written by someone who knows.
   * Variables of an environment and merged adapters are added. Of two texts of one kind the later
   * wins.
   */
  public static Captured together(Iterable<CaptureText> texts) {
    Captured all = NOTHING;
    for (Kind kind : Kind.values()) {
      for (CaptureText text : texts) {
        if (text.kind() == kind) {
          all = text.addTo(all);
        }
      }
    }
    return all;
  }
}

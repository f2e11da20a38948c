package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.servedrift.ingest.literal.PythonLiteral;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads configurations out of what runtimes answer and log. Of a value that was asked for and
 * resolved differently at run time the resolved one counts; the other is kept beside, under {@code
 * requested}. Ports, hosts, seeds, paths of logs and readings are left out; secrets are dropped.
 * Never throws for any content. Stateless, thread-safe.
 */
public final class ConfigCapture {
  private static final Pattern SERVER_ARGS =
      Pattern.compile("^[^\"?]{0,300}?\\bserver_args\\s*[:=]\\s*");
  private static final Pattern VLLM_ENGINE =
      Pattern.compile("^[^\"?]{0,300}?LLM engine \\(v?([^)\\s]{1,64})\\) with config:\\s*");

  private ConfigCapture() {}

  /**
   * The answer of {@code /server_info} or {@code /get_server_info}: SGLang, SGLang Diffusion, a
   * router over prefill and decode servers, vLLM in its development mode.
   */
  public static Captured ofServerInfo(ObjectNode answer) {
    JsonNode vllm = answer.get("vllm_config");
    if (vllm != null) {
      return ofVllm(vllm, answer);
    }
    ObjectNode prefill = first(answer.get("prefill"));
    ObjectNode decode = first(answer.get("decode"));
    if (prefill != null) {
      return ofPair(prefill, decode);
    }
    return ofArguments(answer).build();
  }

  private static Captured ofVllm(JsonNode config, ObjectNode answer) {
    ObjectNode arguments =
        config instanceof ObjectNode object
            ? flattened(object)
            : PythonLiteral.parseArguments(config.asText());
    ConfigBuilder builder = new ConfigBuilder(RuntimeKeys.VLLM).arguments(members(arguments));
    builder.set("runtime.version", answer.get("version"));
    JsonNode environment = answer.get("vllm_env");
    if (environment instanceof ObjectNode variables) {
      builder.environment(texts(variables));
    }
    return builder.build();
  }

  /** {@code vllm_config} as JSON groups its members: {@code model_config{dtype}}. */
  private static ObjectNode flattened(ObjectNode config) {
    ObjectNode flat = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> e : config.properties()) {
      if (e.getKey().endsWith("_config")
          && e.getValue() instanceof ObjectNode group
          && !e.getKey().equals("speculative_config")
          && !e.getKey().equals("compilation_config")) {
        flat.setAll(group);
      } else {
        flat.set(e.getKey(), e.getValue());
      }
    }
    return flat;
  }

  private static Captured ofPair(ObjectNode prefill, @Nullable ObjectNode decode) {
    ConfigBuilder builder = ofArguments(prefill);
    if (decode != null) {
      builder.set("extra.decode", ofArguments(decode).build().config());
    }
    return builder.build();
  }

  private static ConfigBuilder ofArguments(ObjectNode answer) {
    Map<String, JsonNode> asked = members(answer);
    ObjectNode resolved = first(answer.get("internal_states"));
    Map<String, JsonNode> effective = new HashMap<>(asked);
    if (resolved != null) {
      resolved.properties().stream()
          .filter(e -> !e.getValue().isNull())
          .forEach(e -> effective.put(e.getKey(), e.getValue()));
    }
    RuntimeKeys keys = RuntimeKeys.of(effective.keySet());
    ConfigBuilder builder = new ConfigBuilder(keys).arguments(effective);
    if (resolved != null) {
      asked.forEach(
          (name, value) -> {
            if (keys.path(name) != null && !value.equals(effective.get(name))) {
              builder.set("requested." + name, value);
            }
          });
    }
    return builder;
  }

  /**
   * A line of a log in which a runtime tells its arguments: {@code server_args: {...}}, {@code
   * server_args=ServerArgs(...)}, vLLM's {@code Initializing a V1 LLM engine (v...) with config:}.
   *
   * @return null when it is no such line
   */
  public static @Nullable Captured ofLogLine(String line) {
    Matcher engine = VLLM_ENGINE.matcher(line);
    if (engine.find()) {
      ObjectNode arguments = PythonLiteral.parseArguments(line.substring(engine.end()));
      return arguments.isEmpty()
          ? null
          : new ConfigBuilder(RuntimeKeys.VLLM)
              .arguments(members(arguments))
              .set("runtime.version", TextNode.valueOf(engine.group(1)))
              .build();
    }
    Matcher args = SERVER_ARGS.matcher(line);
    if (!args.find()) {
      return null;
    }
    // JSON is close enough to Python's form: true, false and null are read as well.
    return PythonLiteral.parseAt(line, args.end()) instanceof ObjectNode arguments
            && !arguments.isEmpty()
        ? ofArguments(arguments).build()
        : null;
  }

  /**
   * The same with what {@code /v1/list_loras} answers: which adapters are merged into the weights
   * is state of the server, and so a part of its configuration.
   */
  public static Captured withAdapters(Captured captured, ObjectNode listLoras) {
    ObjectNode config = captured.config().deepCopy();
    ArrayNode active = JsonNodeFactory.instance.arrayNode();
    if (listLoras.get("active") instanceof ObjectNode modules) {
      modules
          .properties()
          .forEach(
              module ->
                  module
                      .getValue()
                      .forEach(adapter -> active.add(activeAdapter(module.getKey(), adapter))));
    }
    ObjectNode extra =
        config.get("extra") instanceof ObjectNode there ? there : config.putObject("extra");
    if (!active.isEmpty()) {
      extra.set("active_adapters", active);
    } else {
      extra.remove("active_adapters");
    }
    return ConfigBuilder.of(config, captured.model());
  }

  private static ObjectNode activeAdapter(String module, JsonNode adapter) {
    ObjectNode kept = JsonNodeFactory.instance.objectNode().put("module", module);
    for (String member : new String[] {"nickname", "path", "merged", "strength"}) {
      JsonNode value = adapter.get(member);
      if (value != null && value.isValueNode() && !value.isNull()) {
        kept.set(member, value);
      }
    }
    return kept;
  }

  /** The same with the variables that change outputs; no other variable is kept. */
  public static Captured withEnvironment(Captured captured, Map<String, String> environment) {
    ConfigBuilder builder = new ConfigBuilder(RuntimeKeys.SGLANG).environment(environment);
    ObjectNode config = captured.config().deepCopy();
    if (builder.build().config().at("/extra") instanceof ObjectNode extra) {
      ConfigBuilder.merge(config, JsonNodeFactory.instance.objectNode().set("extra", extra));
    }
    return ConfigBuilder.of(config, captured.model());
  }

  /**
   * What one source says, made more precise by another: leaves of the second win. Of a model with
   * another name nothing is kept: the two together would be one that nobody served.
   */
  public static Captured merge(Captured captured, Captured moreExact) {
    ObjectNode config = captured.config().deepCopy();
    JsonNode name = moreExact.model().get("name");
    JsonNode before = captured.model().get("name");
    boolean other = name != null && before != null && !name.equals(before);
    ObjectNode model = other ? JsonNodeFactory.instance.objectNode() : captured.model().deepCopy();
    ConfigBuilder.merge(config, moreExact.config().deepCopy());
    ConfigBuilder.merge(model, moreExact.model().deepCopy());
    return ConfigBuilder.of(config, model);
  }

  static Map<String, JsonNode> members(ObjectNode object) {
    Map<String, JsonNode> members = new HashMap<>();
    object.properties().forEach(e -> members.put(e.getKey(), e.getValue()));
    return members;
  }

  private static Map<String, String> texts(ObjectNode object) {
    Map<String, String> texts = new HashMap<>();
    object
        .properties()
        .forEach(
            e -> {
              if (e.getValue().isValueNode() && !e.getValue().isNull()) {
                texts.put(e.getKey(), e.getValue().asText());
              }
            });
    return texts;
  }

  private static @Nullable ObjectNode first(@Nullable JsonNode list) {
    return list != null && list.isArray() && list.get(0) instanceof ObjectNode object
        ? object
        : list instanceof ObjectNode single ? single : null;
  }
}

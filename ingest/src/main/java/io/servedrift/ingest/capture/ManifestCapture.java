package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration in Kubernetes manifests of OME ({@code ome.io/v1beta1}) and KServe ({@code
 * serving.kserve.io/v1beta1}): the command line, the variables and the image of the container that
 * serves, with the model and accelerator of the inference service. All of it is what was asked for:
 * what the runtime says of itself wins over it ({@link ConfigCapture#merge}). Documents of several
 * kinds in one text belong together. Stateless, thread-safe.
 */
public final class ManifestCapture {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final int MOST_DOCUMENTS = 100;
  private static final int MOST_CHARACTERS = 1 << 20;
  private static final Pattern IMAGE = Pattern.compile("([^/@:]+)(?::([^/@:]+))?(?:@.*)?$");

  private ManifestCapture() {}

  /**
   * Reads manifests.
   *
   * @return null when the text holds none of OME or KServe, or is no YAML
   */
  public static @Nullable Captured of(String yaml) {
    List<JsonNode> documents = documents(yaml);
    JsonNode service = kind(documents, "InferenceService");
    JsonNode runtime = runtime(documents, service);
    JsonNode model = kind(documents, "BaseModel", "ClusterBaseModel");
    if (service == null && runtime == null) {
      return null;
    }
    JsonNode container = container(runtime, service);
    Map<String, String> environment = environment(container);
    List<String> words = new ArrayList<>();
    texts(container.get("command"), words);
    texts(container.get("args"), words);
    Map<String, JsonNode> flags = CommandLineFlags.of(words, environment);
    String image = container.path("image").asText("");
    String command = String.join(" ", words);
    ConfigBuilder builder =
        new ConfigBuilder(runtimeOf(image, command, flags))
            .arguments(flags)
            .environment(environment);
    image(builder, image);
    orchestrator(builder, service, runtime);
    if (model != null) {
      model(builder, model);
    }
    return builder.build();
  }

  private static List<JsonNode> documents(String yaml) {
    List<JsonNode> documents = new ArrayList<>();
    if (yaml.length() > MOST_CHARACTERS) {
      return documents;
    }
    try (MappingIterator<JsonNode> read = YAML.readerFor(JsonNode.class).readValues(yaml)) {
      while (read.hasNextValue() && documents.size() < MOST_DOCUMENTS) {
        JsonNode document = read.nextValue();
        if (document.path("kind").asText().equals("List")) {
          document.path("items").forEach(documents::add);
        } else {
          documents.add(document);
        }
      }
    } catch (IOException | RuntimeException e) {
      // SnakeYAML reports some broken texts outside of IOException; a broken text holds nothing.
      documents.clear();
    }
    return documents;
  }

  /** The one that the service names, when it names one. */
  private static @Nullable JsonNode runtime(List<JsonNode> documents, @Nullable JsonNode service) {
    JsonNode spec = orEmpty(service).path("spec");
    String name = spec.at("/runtime/name").asText(spec.at("/predictor/model/runtime").asText(""));
    List<JsonNode> named =
        documents.stream()
            .filter(d -> name.isEmpty() || d.at("/metadata/name").asText().equals(name))
            .toList();
    return kind(named, "ServingRuntime", "ClusterServingRuntime");
  }

  private static @Nullable JsonNode kind(List<JsonNode> documents, String... kinds) {
    for (JsonNode document : documents) {
      String version = document.path("apiVersion").asText();
      boolean ours = version.startsWith("ome.io/") || version.startsWith("serving.kserve.io/");
      if (ours && List.of(kinds).contains(document.path("kind").asText())) {
        return document;
      }
    }
    return null;
  }

  /** Where OME and KServe put the container that serves; what the service says wins. */
  private static JsonNode container(@Nullable JsonNode runtime, @Nullable JsonNode service) {
    ObjectNode container = JsonNodeFactory.instance.objectNode();
    for (JsonNode document : new JsonNode[] {orEmpty(runtime), orEmpty(service)}) {
      JsonNode spec = document.path("spec");
      for (JsonNode place :
          new JsonNode[] {
            spec.path("containers").path(0),
            spec.at("/engineConfig/runner"),
            spec.at("/predictor/containers/0"),
            spec.at("/predictor/model"),
            spec.at("/engine/runner")
          }) {
        if (place instanceof ObjectNode there) {
          there.properties().forEach(e -> override(container, e.getKey(), e.getValue()));
        }
      }
    }
    return container;
  }

  private static void override(ObjectNode container, String name, JsonNode value) {
    boolean joined = name.equals("env") || name.equals("args");
    if (joined && container.get(name) != null && container.get(name).isArray()) {
      container.withArray("/" + name).addAll(value.isArray() ? list(value) : List.of());
    } else {
      container.set(name, value.deepCopy());
    }
  }

  private static List<JsonNode> list(JsonNode array) {
    List<JsonNode> entries = new ArrayList<>();
    array.forEach(entries::add);
    return entries;
  }

  private static JsonNode orEmpty(@Nullable JsonNode node) {
    return node == null ? JsonNodeFactory.instance.objectNode() : node;
  }

  private static Map<String, String> environment(JsonNode container) {
    Map<String, String> environment = new HashMap<>();
    for (JsonNode variable : container.path("env")) {
      if (variable.path("name").isTextual() && variable.path("value").isValueNode()) {
        environment.put(variable.get("name").textValue(), variable.get("value").asText());
      }
    }
    return environment;
  }

  private static void texts(@Nullable JsonNode list, List<String> into) {
    if (list != null) {
      list.forEach(word -> into.add(word.asText()));
    }
  }

  private static RuntimeKeys runtimeOf(String image, String command, Map<String, JsonNode> flags) {
    String both = image + " " + command;
    if (both.contains("vllm")) {
      return RuntimeKeys.VLLM;
    }
    if (both.contains("sglang")
        && (image.contains("diffusion") || both.contains("multimodal_gen"))) {
      return RuntimeKeys.SGLANG_DIFFUSION;
    }
    return both.contains("sglang") ? RuntimeKeys.SGLANG : RuntimeKeys.of(flags.keySet());
  }

  private static void image(ConfigBuilder builder, String image) {
    Matcher name = IMAGE.matcher(image);
    if (name.find()) {
      builder.set("extra.image", TextNode.valueOf(image));
      if (name.group(2) != null) {
        builder.set("runtime.version", TextNode.valueOf(name.group(2)));
      }
    }
  }

  private static void orchestrator(
      ConfigBuilder builder, @Nullable JsonNode service, @Nullable JsonNode runtime) {
    String version = orEmpty(service != null ? service : runtime).path("apiVersion").asText();
    builder.set(
        "orchestrator.name", TextNode.valueOf(version.startsWith("ome.io/") ? "ome" : "kserve"));
    JsonNode spec = orEmpty(service).path("spec");
    builder
        .set("hardware.gpu", text(spec.at("/acceleratorSelector/acceleratorClass")))
        .set("extra.serving_runtime", text(spec.at("/runtime/name")))
        .set("extra.serving_runtime", text(spec.at("/predictor/model/runtime")))
        .setModel("name", text(spec.at("/model/name")))
        .setModel("extra.storage", text(spec.at("/predictor/model/storageUri")));
    JsonNode weights = spec.at("/model/fineTunedWeights");
    if (weights.isArray() && !weights.isEmpty()) {
      builder.set("extra.fine_tuned_weights", weights);
    }
    JsonNode status = orEmpty(service).path("status");
    builder
        .set("hardware.gpu", text(status.at("/selectedAccelerator/acceleratorClass")))
        .set("observed.revision", text(status.path("latestReadyRevision")));
  }

  private static void model(ConfigBuilder builder, JsonNode model) {
    JsonNode spec = model.path("spec");
    builder
        .setModel("name", text(model.at("/metadata/name")))
        .setModel("revision", text(spec.path("version")))
        .setModel("extra.storage", text(spec.at("/storage/storageUri")))
        .set("precision.method", text(spec.path("quantization")));
    JsonNode pipeline = spec.at("/diffusionPipeline/className");
    builder.set("extra.pipeline_class_name", text(pipeline));
    if (spec.path("disabled").isBoolean()) {
      builder.set("observed.model_disabled", BooleanNode.valueOf(spec.get("disabled").asBoolean()));
    }
  }

  private static @Nullable JsonNode text(JsonNode node) {
    return node.isTextual() && !node.textValue().isEmpty()
        ? node
        : node.isNumber() ? TextNode.valueOf(node.asText()) : null;
  }
}

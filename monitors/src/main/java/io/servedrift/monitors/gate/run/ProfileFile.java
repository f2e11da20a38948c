package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.text.NearestKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the profile of an endpoint, YAML of at most 1 MiB. All problems at once. Stateless. */
public final class ProfileFile {
  private static final int MAX_BYTES = 1 << 20;
  private static final Set<String> FLAGS =
      Set.of(
          "batches", "caches", "seed", "cache_bypass", "flush", "weights_digest", "deterministic");
  private static final Set<String> KNOWN =
      Set.of(
          "modality",
          "devices",
          "model_name",
          "send",
          "flush_path",
          "config",
          "model",
          "batches",
          "caches",
          "seed",
          "cache_bypass",
          "flush",
          "weights_digest",
          "deterministic");
  private static final Set<String> SENT = Set.of("always", "recompute");

  private final String where;
  private final JsonNode node;
  private final List<String> problems = new ArrayList<>();

  private ProfileFile(String where, JsonNode node) {
    this.where = where;
    this.node = node;
  }

  /**
   * Reads a file.
   *
   * @throws GateInputException with all that is wrong in it
   * @throws IOException when it cannot be read
   */
  public static Declaration read(Path file) throws IOException, GateInputException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new GateInputException(file + ": must be at most 1 MiB (profile)");
      }
      return parse(bytes, file.toString());
    }
  }

  static Declaration parse(byte[] yaml, String where) throws GateInputException {
    YAMLFactory factory =
        YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    JsonNode node;
    try {
      node = new ObjectMapper(factory).readTree(yaml);
    } catch (JsonProcessingException e) {
      String reason = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new GateInputException(where + ": not YAML: " + reason);
    } catch (IOException e) {
      throw new GateInputException(where + ": cannot be read as YAML");
    }
    return new ProfileFile(where, node).declaration();
  }

  private Declaration declaration() throws GateInputException {
    if (!node.isObject()) {
      throw new GateInputException(where + ": must be a map");
    }
    unknown(node, KNOWN, "");
    Modality modality = modality();
    JsonNode send = node.path("send");
    if (send.isObject()) {
      unknown(send, SENT, "send.");
    }
    Declaration declared =
        new Declaration(
            where,
            new EndpointProfile(
                modality,
                flag("batches", true),
                flag("caches", true),
                flag("seed", false),
                flag("cache_bypass", false),
                flag("flush", false),
                flag("weights_digest", node.path("model").hasNonNull("weights_digest")),
                flag("deterministic", false),
                devices()),
            object(node.get("config"), "config"),
            object(node.get("model"), "model"),
            text("model_name"),
            object(send.get("always"), "send.always"),
            object(send.get("recompute"), "send.recompute"),
            text("flush_path"));
    if (declared.profile().cacheBypass() && declared.recompute() == null) {
      problems.add(where + ": cache_bypass: needs send.recompute, the members that ask for it");
    }
    if (declared.profile().flush() && declared.flushPath() == null) {
      problems.add(where + ": flush: needs flush_path, what is posted for it");
    }
    if (!problems.isEmpty()) {
      throw new GateInputException(problems);
    }
    return declared;
  }

  private void unknown(JsonNode object, Set<String> known, String prefix) {
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      String key = member.getKey();
      if (!known.contains(key)) {
        String hint =
            NearestKey.of(key, new TreeSet<>(known))
                .map(near -> "did you mean " + prefix + near + "?")
                .orElse("known are " + new TreeSet<>(known));
        problems.add(where + ": " + prefix + key + ": is not known; " + hint);
      }
    }
  }

  private Modality modality() {
    String given = node.path("modality").asText("image");
    if (given.equals("image")) {
      return Modality.IMAGE;
    }
    if (!given.equals("chat")) {
      problems.add(where + ": modality=" + given + ": must be image or chat");
    }
    return Modality.CHAT;
  }

  private boolean flag(String name, boolean otherwise) {
    JsonNode value = node.get(name);
    if (value == null) {
      return otherwise;
    }
    if (!FLAGS.contains(name) || !value.isBoolean()) {
      problems.add(where + ": " + name + ": must be true or false");
    }
    return value.asBoolean();
  }

  private @Nullable Integer devices() {
    JsonNode value = node.get("devices");
    if (value == null) {
      return null;
    }
    if (!value.isInt() || value.intValue() < 1) {
      problems.add(where + ": devices: must be a whole number from 1");
    }
    return value.intValue();
  }

  private @Nullable String text(String name) {
    JsonNode value = node.get(name);
    if (value == null) {
      return null;
    }
    if (!value.isTextual() || (name.equals("flush_path") && !value.textValue().startsWith("/"))) {
      problems.add(
          where
              + ": "
              + name
              + ": must be text"
              + (name.equals("flush_path") ? " that begins with /" : ""));
    }
    return value.asText();
  }

  private @Nullable ObjectNode object(@Nullable JsonNode value, String name) {
    if (value == null || value.isNull()) {
      return null;
    }
    if (value instanceof ObjectNode object) {
      return object;
    }
    problems.add(where + ": " + name + ": must be a map");
    return null;
  }
}

package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of canary prompts: a YAML list, or NDJSON when its name ends in {@code .ndjson} or
 * {@code .jsonl}. Every problem is reported, with the entry it is in. Used once.
 */
public final class CanaryFile {

  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_PROMPTS = 1_000;
  private static final int MAX_IMAGE = 16 << 20;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final Set<String> KEYS =
      Set.of("name", "class", "prompt", "path", "model", "body", "check");
  private static final Set<String> CHECKS =
      Set.of("answer", "regex", "json_schema", "image_sha256", "reference_image");

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final Path file;
  private final List<String> problems = new ArrayList<>();
  private final SchemaMatch schemas = new SchemaMatch();

  private CanaryFile(Path file) {
    this.file = file;
  }

  /**
   * Reads the file.
   *
   * @throws IOException when it cannot be read
   * @throws IllegalArgumentException with every problem, one a line
   */
  public static CanaryPrompts read(Path file) throws IOException {
    return new CanaryFile(file).read();
  }

  private CanaryPrompts read() throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IllegalArgumentException(file + ": must be at most 1 MiB");
    }
    byte[] bytes = Files.readAllBytes(file);
    List<Canary> prompts = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<JsonNode> entries = entries(new String(bytes, StandardCharsets.UTF_8));
    for (int i = 0; i < entries.size(); i++) {
      Canary prompt = prompt(entries.get(i), "entry " + (i + 1));
      if (prompt != null && !names.add(prompt.name())) {
        problems.add(file + ": entry " + (i + 1) + ": name=" + prompt.name() + ": given before");
      }
      if (prompt != null) {
        prompts.add(prompt);
      }
    }
    if (problems.isEmpty() && (prompts.isEmpty() || prompts.size() > MAX_PROMPTS)) {
      problems.add(file + ": " + prompts.size() + " prompts: must be 1 to " + MAX_PROMPTS);
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", problems));
    }
    return new CanaryPrompts(prompts, "canaries@" + CanonicalText.sha256(bytes).substring(0, 8));
  }

  private List<JsonNode> entries(String text) {
    List<JsonNode> entries = new ArrayList<>();
    String name = String.valueOf(file.getFileName());
    try {
      if (name.endsWith(".ndjson") || name.endsWith(".jsonl")) {
        for (String line : text.lines().filter(each -> !each.isBlank()).toList()) {
          entries.add(JSON.readTree(line));
        }
      } else {
        JsonNode list = YAMLMapper.builder().build().readTree(text);
        if (list == null || !list.isArray()) {
          problems.add(file + ": must be a YAML list of prompts");
          return entries;
        }
        list.forEach(entries::add);
      }
    } catch (JsonProcessingException e) {
      var at = e.getLocation();
      problems.add(
          file + (at == null ? "" : ": line " + at.getLineNr()) + ": not readable as YAML or JSON");
    }
    return entries;
  }

  private @Nullable Canary prompt(JsonNode entry, String where) {
    int before = problems.size();
    if (!entry.isObject()) {
      problem(where, "must be an object");
      return null;
    }
    unknownKeys(entry, KEYS, where);
    String name = entry.path("name").asText("");
    if (!NAME.matcher(name).matches()) {
      problem(where, "name=" + name + ": must be 1 to 64 of A-Z, a-z, 0-9, . _ and -");
    }
    boolean image = isImage(entry.path("check"));
    String path =
        entry.path("path").asText(image ? "/v1/images/generations" : "/v1/chat/completions");
    Route route = Route.of("POST", path);
    if (route == null || route == Route.VIDEOS) {
      problem(where, "path=" + path + ": must be one that the gateway measures, and no video");
    }
    ObjectNode body = body(entry, image, where);
    CanaryCheck check = check(entry.path("check"), where);
    return problems.size() > before || check == null || body == null
        ? null
        : new Canary(name, path, body, check);
  }

  private static boolean isImage(JsonNode check) {
    return check.has("image_sha256") || check.has("reference_image");
  }

  private @Nullable ObjectNode body(JsonNode entry, boolean image, String where) {
    JsonNode whole = entry.path("body");
    JsonNode prompt = entry.path("prompt");
    if (whole.isObject() == prompt.isTextual()) {
      problem(where, "needs either prompt (a text) or body (the whole request)");
      return null;
    }
    if (whole.isObject()) {
      return whole.deepCopy();
    }
    ObjectNode body = JSON.createObjectNode();
    if (entry.path("model").isTextual()) {
      body.set("model", entry.path("model"));
    }
    if (image) {
      return body.put("prompt", prompt.textValue()).put("response_format", "b64_json");
    }
    body.put("temperature", 0);
    ArrayNode messages = body.putArray("messages");
    messages.addObject().put("role", "user").put("content", prompt.textValue());
    return body;
  }

  private @Nullable CanaryCheck check(JsonNode check, String where) {
    if (!check.isObject() || check.size() != 1) {
      problem(where, "check: must have exactly one of " + new TreeSet<>(CHECKS));
      return null;
    }
    unknownKeys(check, CHECKS, where + ": check");
    String kind = check.fieldNames().next();
    JsonNode value = check.path(kind);
    if (kind.equals("json_schema")) {
      if (!value.isObject() || schemas.matches(value, JSON.createObjectNode()) == null) {
        problem(where, "json_schema: must be a JSON schema that refers to nothing outside itself");
        return null;
      }
      return new CanaryCheck.JsonSchema(value, schemas);
    }
    String text = value.asText("");
    return switch (kind) {
      case "answer" -> text.isBlank() ? bad(where, "answer: must not be empty") : known(text);
      case "regex" -> regex(text, where);
      case "image_sha256" ->
          SHA256.matcher(text).matches()
              ? new CanaryCheck.ImageDigest(text)
              : bad(where, "image_sha256: must be 64 hex digits, as output.sha256 of an event");
      case "reference_image" -> reference(text, where);
      default -> null;
    };
  }

  private static CanaryCheck known(String answer) {
    return new CanaryCheck.KnownAnswer(answer);
  }

  private @Nullable CanaryCheck regex(String text, String where) {
    try {
      return text.isEmpty()
          ? bad(where, "regex: must not be empty")
          : new CanaryCheck.Matching(Pattern.compile(text));
    } catch (PatternSyntaxException e) {
      return bad(where, "regex: " + e.getDescription() + " at " + e.getIndex());
    }
  }

  /** A path beside the file of prompts. */
  private @Nullable CanaryCheck reference(String text, String where) {
    try {
      Path image = file.toAbsolutePath().resolveSibling(text);
      if (Files.size(image) > MAX_IMAGE) {
        return bad(where, "reference_image=" + text + ": must be at most 16 MiB");
      }
      return new CanaryCheck.ImageLike(ImageHash.of(Files.readAllBytes(image)));
    } catch (IOException | IllegalArgumentException e) {
      return bad(where, "reference_image=" + text + ": must be a readable PNG or JPEG file");
    }
  }

  private @Nullable CanaryCheck bad(String where, String what) {
    problem(where, what);
    return null;
  }

  private void unknownKeys(JsonNode object, Set<String> known, String where) {
    object
        .fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                problem(where, key + ": unknown, must be one of " + new TreeSet<>(known));
              }
            });
  }

  private void problem(String where, String what) {
    problems.add(file + ": " + where + ": " + what);
  }
}

package io.servedrift.serving.score;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Reads {@code scorer.json} and checks it against the files beside it, before anything is loaded: a
 * TorchScript archive is a program. All problems are told at once. Used once, by one thread.
 */
final class ScorerManifestReader {

  static final String FILE = "scorer.json";
  private static final List<String> PARTS = List.of("image", "text", "aesthetic");
  private static final int MAX_BYTES = 1 << 20;
  private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
  // With "@" and eight digits it must fit into the 128 characters of an event's scorer.
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,99}");
  private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Path directory;
  private final List<String> problems = new ArrayList<>();

  private ScorerManifestReader(Path directory) {
    this.directory = directory;
  }

  /**
   * Reads the manifest of a directory and checks every file that it names.
   *
   * @throws IllegalArgumentException with every problem found
   * @throws IOException when a file cannot be read
   */
  static ScorerManifest read(Path directory) throws IOException {
    return new ScorerManifestReader(directory).read();
  }

  private ScorerManifest read() throws IOException {
    JsonNode root = parse();
    check(root, "format", n -> n.isInt() && n.intValue() == 1, "1");
    check(root, "name", n -> matches(n, NAME), "letters, digits, '.', '_', '/', '-'; at most 100");
    check(root, "revision", n -> n.isTextual() && !n.textValue().isBlank(), "a text");
    check(root, "digest", n -> sha256(n.asText()), "sha256: and 64 hex digits");
    check(root, "tokenizer", n -> matches(n, FILE_NAME), "a file name");
    check(root, "max_tokens", n -> between(n, 2, 4096), "between 2 and 4096");
    check(root, "embedding", n -> between(n, 1, 16_384), "between 1 and 16384");
    checkImage(root.path("image"));
    Map<String, String> files = texts(root, "files", FILE_NAME, "a file name");
    Map<String, String> sums = texts(root, "sha256", HEX, "64 hex digits");
    if (!files.keySet().containsAll(PARTS)) {
      problems.add("files " + files.keySet() + ": must have " + PARTS);
    }
    stopOnProblems();
    String tokenizer = root.path("tokenizer").textValue();
    checkFiles(files, tokenizer, sums);
    String digest = root.path("digest").textValue().substring("sha256:".length());
    String computed = digest(files, sums);
    if (!digest.equals(computed)) {
      problems.add("digest sha256:" + digest + ": the files give sha256:" + computed);
    }
    stopOnProblems();
    JsonNode image = root.path("image");
    return new ScorerManifest(
        root.path("name").textValue(),
        root.path("revision").textValue(),
        digest,
        files,
        sums,
        tokenizer,
        root.path("max_tokens").intValue(),
        new ImageSettings(
            image.path("size").intValue(), floats(image.path("mean")), floats(image.path("std"))),
        root.path("embedding").intValue());
  }

  private JsonNode parse() throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(
          directory + ": must be a directory with a " + FILE + ", a scorer exported for this node");
    }
    if (Files.size(file) > MAX_BYTES) {
      throw new IllegalArgumentException(
          file + " has " + Files.size(file) + " bytes: must be at most " + MAX_BYTES);
    }
    try {
      return JSON.readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(file + " is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private void checkImage(JsonNode image) {
    check(image, "size", n -> between(n, 8, 1024), "between 8 and 1024");
    check(image, "mean", n -> channels(n, v -> v >= 0 && v <= 1), "three numbers from 0 to 1");
    check(image, "std", n -> channels(n, v -> v > 0 && v <= 1), "three numbers above 0, to 1");
    check(image, "resize", n -> n.asText().equals("bicubic"), "bicubic");
  }

  private void checkFiles(Map<String, String> files, String tokenizer, Map<String, String> sums)
      throws IOException {
    List<String> wanted = new ArrayList<>(files.values());
    wanted.add(tokenizer);
    for (String name : wanted) {
      Path file = directory.resolve(name);
      String expected = sums.get(name);
      if (expected == null) {
        problems.add("sha256 of " + name + " is missing");
      } else if (!Files.isRegularFile(file)) {
        problems.add(name + " is missing");
      } else {
        String actual = sum(file);
        if (!actual.equals(expected)) {
          problems.add(name + " has sha256 " + actual + ": must be " + expected);
        }
      }
    }
  }

  private void stopOnProblems() {
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          directory.resolve(FILE) + ": " + String.join("; ", problems));
    }
  }

  private void check(JsonNode parent, String field, Predicate<JsonNode> test, String allowed) {
    JsonNode value = parent.path(field);
    if (!test.test(value)) {
      String text = value.isMissingNode() ? "missing" : value.toString();
      problems.add(field + " " + clip(text) + ": must be " + allowed);
    }
  }

  private Map<String, String> texts(JsonNode root, String field, Pattern pattern, String allowed) {
    Map<String, String> texts = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : root.path(field).properties()) {
      if (matches(entry.getValue(), pattern)) {
        texts.put(entry.getKey(), entry.getValue().textValue());
      } else {
        String value = clip(entry.getValue().toString());
        problems.add(field + "." + clip(entry.getKey()) + " " + value + ": must be " + allowed);
      }
    }
    return texts;
  }

  private static String clip(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }

  private static boolean matches(JsonNode node, Pattern pattern) {
    return node.isTextual() && pattern.matcher(node.textValue()).matches();
  }

  private static boolean sha256(String text) {
    return text.startsWith("sha256:") && HEX.matcher(text.substring(7)).matches();
  }

  private static boolean between(JsonNode node, int low, int high) {
    return node.isInt() && node.intValue() >= low && node.intValue() <= high;
  }

  private static boolean channels(JsonNode node, Predicate<Double> each) {
    if (!node.isArray() || node.size() != 3) {
      return false;
    }
    for (JsonNode value : node) {
      if (!value.isNumber() || !each.test(value.doubleValue())) {
        return false;
      }
    }
    return true;
  }

  private static float[] floats(JsonNode array) {
    float[] values = new float[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).floatValue();
    }
    return values;
  }

  private static String digest(Map<String, String> files, Map<String, String> sums) {
    Map<String, String> sorted = new TreeMap<>();
    files.values().forEach(name -> sorted.put(name, sums.getOrDefault(name, "")));
    StringBuilder lines = new StringBuilder();
    sorted.forEach((name, sum) -> lines.append(name).append(' ').append(sum).append('\n'));
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(sha256().digest(bytes));
  }

  private static String sum(Path file) throws IOException {
    MessageDigest digest = sha256();
    byte[] chunk = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        digest.update(chunk, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}

package io.servedrift.serving.engine;

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
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A directory with {@code pipeline.json} and the files it names, read and checked: every field,
 * every file's SHA-256, the weights digest. Nothing of it is loaded before all of it is right.
 *
 * @param path the directory
 * @param manifest what {@code pipeline.json} says
 */
public record PipelineDirectory(Path path, PipelineManifest manifest) {

  private static final String MANIFEST = "pipeline.json";
  private static final int MAX_MANIFEST_BYTES = 1 << 20;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

  /**
   * Reads and checks a directory.
   *
   * @throws InvalidPipelineException with every problem found
   */
  public static PipelineDirectory read(Path path) throws InvalidPipelineException {
    List<String> problems = new ArrayList<>();
    PipelineManifest manifest = ManifestReader.parse(manifestJson(path), problems);
    if (problems.isEmpty()) {
      checkFiles(path, manifest, problems);
    }
    if (!problems.isEmpty()) {
      throw new InvalidPipelineException(path, problems);
    }
    return new PipelineDirectory(path, manifest);
  }

  /** The path of a component's file at a precision; empty when it has none. */
  Optional<Path> file(Component component, Precision precision) {
    return manifest.file(component, precision).map(path::resolve);
  }

  /**
   * The same for a file that is loaded long after the directory was read: its SHA-256 is checked
   * again.
   *
   * @throws IOException when the file is not what the manifest says any more
   */
  Path checkedFile(Component component, Precision precision) throws IOException {
    String name = manifest.file(component, precision).orElseThrow();
    List<String> problems = new ArrayList<>();
    checkFile(path, name, manifest.sha256().get(name), problems);
    if (!problems.isEmpty()) {
      throw new IOException(problems.get(0));
    }
    return path.resolve(name);
  }

  private static JsonNode manifestJson(Path path) throws InvalidPipelineException {
    Path file = path.resolve(MANIFEST);
    try {
      if (Files.size(file) > MAX_MANIFEST_BYTES) {
        throw new InvalidPipelineException(
            path,
            List.of(MANIFEST + " has " + Files.size(file) + " bytes: at most 1048576 are read"));
      }
      return JSON.readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw new InvalidPipelineException(
          path, MANIFEST + " is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new InvalidPipelineException(path, MANIFEST + " cannot be read: " + e, e);
    }
  }

  private static void checkFiles(Path path, PipelineManifest manifest, List<String> problems) {
    TreeSet<String> weights = new TreeSet<>();
    TreeSet<String> all = new TreeSet<>(manifest.sha256().keySet());
    all.add(manifest.tokenizer());
    manifest
        .files()
        .values()
        .forEach(
            variants -> {
              all.addAll(variants.values());
              weights.add(variants.getOrDefault(Precision.FP32, ""));
            });
    for (String name : all) {
      checkFile(path, name, manifest.sha256().get(name), problems);
    }
    StringBuilder lines = new StringBuilder();
    weights.forEach(
        name -> lines.append(name).append(' ').append(manifest.sha256().get(name)).append('\n'));
    String digest =
        "sha256:" + hex(sha256().digest(lines.toString().getBytes(StandardCharsets.UTF_8)));
    if (!digest.equals(manifest.weightsDigest())) {
      problems.add(
          "weights_digest=" + manifest.weightsDigest() + ": the fp32 files give " + digest);
    }
  }

  private static void checkFile(
      Path path, String name, @Nullable String expected, List<String> problems) {
    if (expected == null || !HEX.matcher(expected).matches()) {
      problems.add("sha256." + name + "=" + expected + ": must be 64 hex digits, lower case");
      return;
    }
    try {
      String actual = digestOf(path.resolve(name));
      if (!actual.equals(expected)) {
        problems.add(name + ": its SHA-256 is " + actual + ", the manifest says " + expected);
      }
    } catch (IOException e) {
      problems.add(name + ": cannot be read: " + e);
    }
  }

  private static String digestOf(Path file) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
    }
    return hex(digest.digest());
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}

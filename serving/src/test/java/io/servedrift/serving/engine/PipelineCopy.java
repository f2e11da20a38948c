package io.servedrift.serving.engine;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** Changed copies of the random pipeline. */
final class PipelineCopy {

  private static final ObjectMapper JSON = new ObjectMapper();

  private PipelineCopy() {}

  /** A copy whose manifest was changed; digests are left as they are. */
  static void of(Path target, Consumer<ObjectNode> change) throws IOException {
    try (var files = Files.list(Requests.RANDOM_PIPELINE)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(
            file,
            target.resolve(String.valueOf(file.getFileName())),
            StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Path manifest = target.resolve("pipeline.json");
    ObjectNode json = (ObjectNode) JSON.readTree(manifest.toFile());
    change.accept(json);
    JSON.writeValue(manifest.toFile(), json);
  }

  /** A copy with another fp32 text encoder and all digests right. */
  static void withOtherTextEncoder(Path target) throws Exception {
    withTextEncoder(target, Requests.RANDOM_PIPELINE.resolve("other/text_encoder.pt"));
  }

  /** The same with a text encoder of any file. */
  static void withTextEncoder(Path target, Path file) throws Exception {
    of(target, manifest -> {});
    Files.copy(file, target.resolve("text_encoder.pt"), StandardCopyOption.REPLACE_EXISTING);
    String digest = sha256(Files.readAllBytes(target.resolve("text_encoder.pt")));
    Path manifest = target.resolve("pipeline.json");
    ObjectNode json = (ObjectNode) JSON.readTree(manifest.toFile());
    ObjectNode digests = (ObjectNode) json.get("sha256");
    digests.put("text_encoder.pt", digest);
    StringBuilder lines = new StringBuilder();
    for (String name : List.of("decoder.pt", "denoiser.pt", "text_encoder.pt")) {
      lines.append(name).append(' ').append(digests.get(name).textValue()).append('\n');
    }
    json.put(
        "weights_digest", "sha256:" + sha256(lines.toString().getBytes(StandardCharsets.UTF_8)));
    JSON.writeValue(manifest.toFile(), json);
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}

package io.servedrift.ingest.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/** The places of followed files on disk: a small JSON file, replaced as a whole. */
final class PlaceFile {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int VERSION = 1;

  private final Path path;

  PlaceFile(Path path) {
    this.path = path;
  }

  /**
   * The places by path of the file; none when there is no state yet.
   *
   * @throws IOException when it cannot be read or is none: starting anew would read everything
   *     twice
   */
  Map<String, FilePlace> read() throws IOException {
    Map<String, FilePlace> places = new TreeMap<>();
    JsonNode root;
    try {
      root = JSON.readTree(Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      return places;
    } catch (IOException e) {
      throw new IOException(path + ": cannot be read as places of followed files: " + e, e);
    }
    if (root.path("version").asInt() != VERSION || !root.path("files").isObject()) {
      throw new IOException(path + ": is no state of followed files; name another with --places");
    }
    for (Map.Entry<String, JsonNode> e : root.get("files").properties()) {
      JsonNode file = e.getValue();
      places.put(
          e.getKey(),
          new FilePlace(
              file.path("key").asText(),
              Math.max(0, file.path("offset").asLong()),
              Math.max(0, file.path("head_length").asInt()),
              file.path("head_sha256").asText()));
    }
    return places;
  }

  /** Replaces the state; a crash leaves the old one or the new one. */
  void write(Map<String, FilePlace> places) throws IOException {
    ObjectNode root = JSON.createObjectNode().put("version", VERSION);
    ObjectNode files = root.putObject("files");
    new TreeMap<>(places)
        .forEach(
            (name, place) ->
                files
                    .putObject(name)
                    .put("key", place.key())
                    .put("offset", place.offset())
                    .put("head_length", place.headLength())
                    .put("head_sha256", place.headSha256()));
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.write(next, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root));
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}

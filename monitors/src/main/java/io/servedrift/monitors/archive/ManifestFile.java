package io.servedrift.monitors.archive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@code manifest.json}. Not thread-safe: one writer per folder. */
final class ManifestFile {
  static final String NAME = "manifest.json";

  /** Rises when an old reader would misread it. */
  private static final int VERSION = 1;

  private static final Pattern FILE_NAME = Pattern.compile("[a-z-]+-\\d{4,10}-\\d{20}\\.avro");
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final Path path;

  ManifestFile(Path folder) {
    this.path = folder.resolve(NAME);
  }

  boolean exists() {
    return Files.exists(path);
  }

  /** Replaces the manifest as a whole: a reader or a crash sees the old one or the new one. */
  void write(Manifest manifest) throws IOException {
    byte[] bytes =
        (MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(tree(manifest)) + "\n")
            .getBytes(StandardCharsets.UTF_8);
    Path part = path.resolveSibling(NAME + SegmentWriter.PART);
    try (FileChannel out =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      out.force(true);
    }
    Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  Manifest read() throws ArchiveException {
    JsonNode root;
    try {
      root = MAPPER.readTree(Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE,
          path.getParent() + ": holds no archive (no " + NAME + ")",
          e);
    } catch (JsonProcessingException e) {
      throw new ArchiveException(ArchiveException.Kind.DAMAGED, path + ": is no JSON", e);
    } catch (IOException e) {
      throw new ArchiveException(ArchiveException.Kind.DAMAGED, path + ": cannot be read: " + e, e);
    }
    int version = root.path("version").asInt();
    if (version != VERSION) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE,
          path + ": has version " + version + ", this program reads " + VERSION);
    }
    String schema = root.path("record_schema_fingerprint").asText();
    if (!schema.equals(RecordFormat.FINGERPRINT)) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE,
          path
              + ": record_schema_fingerprint="
              + schema
              + ": this program reads "
              + RecordFormat.FINGERPRINT);
    }
    try {
      return manifest(root);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new ArchiveException(
          ArchiveException.Kind.DAMAGED, path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static ObjectNode tree(Manifest manifest) {
    ObjectNode root = MAPPER.createObjectNode();
    Manifest.Range range = manifest.range();
    root.put("version", VERSION);
    root.put("record_schema", RecordFormat.SCHEMA.getFullName());
    root.put("record_schema_fingerprint", RecordFormat.FINGERPRINT);
    root.put("cluster_id", range.clusterId());
    root.put("topic_prefix", range.topicPrefix());
    root.put("from", text(range.from()));
    root.put("to", text(range.to()));
    root.put("read_from", text(range.readFrom()));
    root.put("read_until", text(range.readUntil()));
    root.put("codec", manifest.codec().word());
    root.put("complete", manifest.complete());
    for (ArchivedPartition one : manifest.partitions()) {
      root.withArrayProperty("partitions")
          .addObject()
          .put("role", one.role().word())
          .put("partition", one.partition())
          .put("start_offset", one.startOffset())
          .put("end_offset", one.endOffset())
          .put("complete", one.complete());
    }
    root.withArrayProperty("files");
    for (ArchivedFile file : manifest.files()) {
      root.withArrayProperty("files")
          .addObject()
          .put("name", file.name())
          .put("role", file.role().word())
          .put("partition", file.partition())
          .put("from_offset", file.fromOffset())
          .put("to_offset", file.toOffset())
          .put("records", file.records())
          .put("events_in_range", file.eventsInRange())
          .put("first_at", text(file.firstAt()))
          .put("last_at", text(file.lastAt()))
          .put("bytes", file.bytes())
          .put("sha256", file.sha256());
    }
    return root;
  }

  private static Manifest manifest(JsonNode root) {
    List<ArchivedPartition> partitions = new ArrayList<>();
    for (JsonNode one : root.path("partitions")) {
      partitions.add(
          new ArchivedPartition(
              ArchiveRole.of(word(one, "role")),
              one.path("partition").asInt(),
              number(one, "start_offset"),
              number(one, "end_offset"),
              one.path("complete").asBoolean()));
    }
    List<ArchivedFile> files = new ArrayList<>();
    for (JsonNode one : root.path("files")) {
      files.add(
          new ArchivedFile(
              fileName(one),
              ArchiveRole.of(word(one, "role")),
              one.path("partition").asInt(),
              number(one, "from_offset"),
              number(one, "to_offset"),
              number(one, "records"),
              number(one, "events_in_range"),
              time(one, "first_at"),
              time(one, "last_at"),
              number(one, "bytes"),
              word(one, "sha256")));
    }
    Manifest.Range range =
        new Manifest.Range(
            word(root, "cluster_id"),
            new Topics(word(root, "topic_prefix")).prefix(),
            time(root, "from"),
            time(root, "to"),
            time(root, "read_from"),
            time(root, "read_until"));
    return new Manifest(range, ArchiveCodec.of(word(root, "codec")), partitions, files);
  }

  /** A manifest from elsewhere must not reach out of its folder. */
  private static String fileName(JsonNode node) {
    String name = word(node, "name");
    if (!FILE_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("name=" + name + ": is no name of an archived file");
    }
    return name;
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  private static @Nullable Instant time(JsonNode node, String name) {
    return node.hasNonNull(name) ? Instant.parse(node.get(name).asText()) : null;
  }

  private static String word(JsonNode node, String name) {
    if (!node.path(name).isTextual()) {
      throw new IllegalArgumentException(name + ": must be text");
    }
    return node.get(name).asText();
  }

  private static long number(JsonNode node, String name) {
    if (!node.path(name).canConvertToLong()) {
      throw new IllegalArgumentException(name + ": must be a whole number");
    }
    return node.get(name).asLong();
  }
}

package io.servedrift.monitors.ledger.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.EventReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The file that a harness writes its results to, or the folder it writes them below. Remembers what
 * was there, so that old results are never taken for those of a run. Not thread-safe.
 */
public final class ResultFiles {
  private static final int DEPTH = 4;
  private static final long MAX_BYTES = 64L << 20;

  private record Stamp(FileTime modified, long size) {}

  private final Path place;
  private final Map<Path, Stamp> before;

  private ResultFiles(Path place, Map<Path, Stamp> before) {
    this.place = place;
    this.before = before;
  }

  /** What is there already counts. */
  public static ResultFiles present(Path place) {
    return new ResultFiles(place, Map.of());
  }

  /** Only what is written from now on counts. */
  public static ResultFiles writtenFromNow(Path place) throws IOException {
    Map<Path, Stamp> before = new HashMap<>();
    for (Path file : files(place)) {
      before.put(file, stamp(file));
    }
    return new ResultFiles(place, before);
  }

  /**
   * The newest file.
   *
   * @throws LedgerException when there is none, or only what was there before
   */
  public Path newest() throws IOException {
    Path newest = null;
    for (Path file : files(place)) {
      if (!stamp(file).equals(before.get(file))
          && (newest == null || MODIFIED.compare(file, newest) > 0)) {
        newest = file;
      }
    }
    if (newest == null) {
      throw new LedgerException(
          place + (before.isEmpty() ? ": no JSON file there" : ": nothing new was written there"));
    }
    return newest;
  }

  private static final Comparator<Path> MODIFIED =
      Comparator.comparing((Path file) -> file.toFile().lastModified())
          .thenComparing(Path::toString);

  private static List<Path> files(Path place) throws IOException {
    if (!Files.exists(place)) {
      return List.of();
    }
    if (!Files.isDirectory(place)) {
      return List.of(place);
    }
    try (Stream<Path> all = Files.walk(place, DEPTH)) {
      return all.filter(file -> file.getFileName().toString().endsWith(".json"))
          .filter(Files::isRegularFile)
          .toList();
    }
  }

  private static Stamp stamp(Path file) throws IOException {
    return new Stamp(Files.getLastModifiedTime(file), Files.size(file));
  }

  /**
   * Reads a result file.
   *
   * @throws LedgerException when it is too long or not one JSON document
   */
  public static JsonNode read(Path file) throws IOException {
    if (Files.isDirectory(file) || Files.size(file) > MAX_BYTES) {
      throw new LedgerException(file + ": must be a file of at most " + MAX_BYTES + " bytes");
    }
    try {
      return new EventReader().strictJson().readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      // The parser's own message quotes the input.
      throw new LedgerException(
          file
              + ": must be one JSON document; line "
              + (e.getLocation() == null ? "?" : e.getLocation().getLineNr())
              + " is not",
          e);
    }
  }
}

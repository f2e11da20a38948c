package io.servedrift.monitors.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders that a command made for itself. */
final class Folders {

  private Folders() {}

  /** Deletes a folder with all it holds. */
  static void delete(Path folder) throws IOException {
    List<Path> inner;
    try (Stream<Path> paths = Files.walk(folder)) {
      inner = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : inner) {
      Files.deleteIfExists(path);
    }
  }
}

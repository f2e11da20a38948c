package io.servedrift.monitors.gate.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Outputs kept for distances and for a human to look at, named by their digest: equal ones are kept
 * once. Thread-safe.
 */
final class OutputFolder {
  private static final String NAME = "outputs";

  private final Path run;

  OutputFolder(Path run) {
    this.run = run;
  }

  /**
   * Keeps an output.
   *
   * @return its name relative to the folder of the run
   */
  String keep(String digest, byte[] content, boolean image) throws IOException {
    String suffix = !image ? ".txt" : (content[0] & 0xFF) == 0xFF ? ".jpg" : ".png";
    String name = NAME + "/" + digest + suffix;
    Path file = run.resolve(name);
    if (!Files.exists(file)) {
      Files.createDirectories(run.resolve(NAME));
      Path half = Files.createTempFile(run.resolve(NAME), "half-", ".tmp");
      Files.write(half, content);
      Files.move(half, file, StandardCopyOption.REPLACE_EXISTING);
    }
    return name;
  }

  byte[] read(String name) throws IOException {
    return Files.readAllBytes(run.resolve(name));
  }
}

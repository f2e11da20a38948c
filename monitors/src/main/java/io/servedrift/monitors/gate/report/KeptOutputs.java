package io.servedrift.monitors.gate.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;

/**
 * Outputs that a run kept, read for the sheet: no larger than {@value #MOST_BYTES} bytes, from
 * inside the run's folder only.
 */
final class KeptOutputs {
  /** Largest output that the sheet takes. */
  static final int MOST_BYTES = 4 << 20;

  private final Path folder;

  KeptOutputs(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  /** An image as a data URL; empty when it is not there, too large, or neither PNG nor JPEG. */
  Optional<String> image(String file) throws IOException {
    Optional<byte[]> bytes = bytes(file);
    return bytes
        .flatMap(KeptOutputs::type)
        .map(type -> "data:" + type + ";base64," + Base64.getEncoder().encodeToString(bytes.get()));
  }

  /** A text; empty when it is not there or too large. */
  Optional<String> text(String file) throws IOException {
    return bytes(file).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  private Optional<byte[]> bytes(String file) throws IOException {
    Path path = folder.resolve(file).normalize();
    return path.startsWith(folder) && Files.isRegularFile(path) && Files.size(path) <= MOST_BYTES
        ? Optional.of(Files.readAllBytes(path))
        : Optional.empty();
  }

  private static Optional<String> type(byte[] bytes) {
    if (begins(bytes, 0x89, 'P', 'N', 'G')) {
      return Optional.of("image/png");
    }
    return begins(bytes, 0xff, 0xd8, 0xff) ? Optional.of("image/jpeg") : Optional.empty();
  }

  private static boolean begins(byte[] bytes, int... magic) {
    if (bytes.length < magic.length) {
      return false;
    }
    for (int i = 0; i < magic.length; i++) {
      if ((bytes[i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return true;
  }
}

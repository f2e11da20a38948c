package io.servedrift.ingest.prompt;

import io.servedrift.schemas.PromptHash;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Where the key of a {@link PromptHash} comes from. Thread-safe. */
public final class PromptHashKey {

  private static final int MAX_FILE_BYTES = 64 << 10;
  private static final int RANDOM_BYTES = 32;

  private PromptHashKey() {}

  /**
   * Hashes with the deployment's key, from a file of at most 64 KiB.
   *
   * @throws IllegalArgumentException when the file cannot be read, is larger or holds no key; the
   *     text names the file and the reason, and holds nothing of the key
   */
  public static PromptHash fromFile(Path file) {
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes(MAX_FILE_BYTES + 1);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          file
              + ": "
              + reason(file, e)
              + "; must be a readable file with the key for prompt hashes",
          e);
    }
    if (content.length > MAX_FILE_BYTES) {
      throw new IllegalArgumentException(file + ": must be at most 64 KiB (key for prompt hashes)");
    }
    try {
      return PromptHash.of(content);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + " holds " + e.getMessage(), e);
    }
  }

  private static String reason(Path file, IOException why) {
    if (why instanceof NoSuchFileException) {
      return "no such file";
    }
    return Files.isDirectory(file) ? "is a folder" : "cannot be read";
  }

  /** Hashes with a random key, of this process only: they compare within its life. */
  public static PromptHash ofThisProcess() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    // As text, as white space at the ends of a key does not count.
    return PromptHash.of(HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII));
  }
}

package io.servedrift.ingest.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.servedrift.schemas.PromptHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromptHashKeyTest {

  private static final byte[] KEY =
      "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
  private static final String PROMPT = "a red circle";

  @TempDir private Path dir;

  private Path key(byte[] bytes) throws IOException {
    return Files.write(dir.resolve("key"), bytes);
  }

  private static void assertRefused(Path file, String reason) {
    assertThatThrownBy(() -> PromptHashKey.fromFile(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(file + reason);
  }

  @Test
  void hashesWithTheKeyOfTheFile() throws IOException {
    assertThat(PromptHashKey.fromFile(key(KEY)).of(PROMPT))
        .isEqualTo(PromptHash.of(KEY).of(PROMPT));
  }

  @Test
  void hasAKeyOfItsOwn_whenThereIsNoFile() {
    PromptHash one = PromptHashKey.ofThisProcess();

    assertThat(one.of(PROMPT)).isEqualTo(one.of(PROMPT)).hasSize(64);
    assertThat(PromptHashKey.ofThisProcess().of(PROMPT)).isNotEqualTo(one.of(PROMPT));
  }

  @Test
  void refusesShortKey_withoutSayingIt() throws IOException {
    assertRefused(
        key("too-short-secret ".getBytes(StandardCharsets.UTF_8)),
        " holds 16 bytes: must be a key of at least 32");
  }

  @Test
  void refusesWhatIsTooLarge() throws IOException {
    assertThat(PromptHashKey.fromFile(key(new byte[64 << 10])).of(PROMPT)).hasSize(64);

    assertRefused(
        key(new byte[(64 << 10) + 1]), ": must be at most 64 KiB (key for prompt hashes)");
  }

  @Test
  void saysThatTheFileIsMissing() {
    assertRefused(
        dir.resolve("none"),
        ": no such file; must be a readable file with the key for prompt hashes");
  }

  @Test
  void saysThatItIsAFolder() {
    assertRefused(dir, ": is a folder; must be a readable file with the key for prompt hashes");
  }

  @Test
  void saysThatItCannotBeRead() throws IOException {
    Path file = key(KEY);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("-w-------"));
    assumeFalse(Files.isReadable(file), "the user reads everything");

    assertRefused(file, ": cannot be read; must be a readable file with the key for prompt hashes");
  }
}

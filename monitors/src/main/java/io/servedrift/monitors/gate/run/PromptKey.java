package io.servedrift.monitors.gate.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The deployment's key for prompts: HMAC-SHA-256 (RFC 2104) of the UTF-8 text, 64 hex digits, as
 * {@code prompt_hash} in events. Thread-safe.
 */
public final class PromptKey {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int LEAST_BYTES = 32;

  private final SecretKeySpec key;

  private PromptKey(byte[] key) {
    this.key = new SecretKeySpec(key, ALGORITHM);
  }

  /**
   * Reads the key: all bytes of the file but white space around them.
   *
   * @throws GateInputException when it cannot be read or is shorter than 32 bytes; says nothing of
   *     the key
   */
  public static PromptKey fromFile(Path file) throws GateInputException {
    byte[] bytes;
    try {
      bytes =
          Files.readString(file, StandardCharsets.ISO_8859_1)
              .strip()
              .getBytes(StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new GateInputException(file + ": must be a readable file with the prompt key");
    }
    if (bytes.length < LEAST_BYTES) {
      throw new GateInputException(
          file + " holds " + bytes.length + " bytes: must be a key of at least " + LEAST_BYTES);
    }
    return new PromptKey(bytes);
  }

  /** The hash of a prompt. */
  public String of(String prompt) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(prompt.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}

package io.servedrift.ingest.adapters;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keyed hashes of prompts: HMAC-SHA-256 (RFC 2104), 64 hex digits; equal to those of a serving node
 * with the same key. Thread-safe.
 */
public final class PromptHash {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;

  private final SecretKeySpec key;

  private PromptHash(SecretKeySpec key) {
    this.key = key;
  }

  /**
   * With the deployment's key.
   *
   * @param content of the key file; white space around it does not count
   * @throws IllegalArgumentException when it has fewer than 32 bytes; the text holds nothing of it
   */
  public static PromptHash of(byte[] content) {
    byte[] bytes =
        new String(content, StandardCharsets.ISO_8859_1)
            .strip()
            .getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length < KEY_BYTES) {
      throw new IllegalArgumentException(
          bytes.length + " bytes: must be a key of at least " + KEY_BYTES);
    }
    return new PromptHash(new SecretKeySpec(bytes, ALGORITHM));
  }

  /** The hash of a prompt's UTF-8 text. */
  public String of(String prompt) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(prompt.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}

package io.servedrift.schemas;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Keyed hashes of prompts: HMAC-SHA-256 (RFC 2104), 64 hex digits. Without the key nobody can try
 * out which prompt has a hash; with one key for the deployment, equal prompts on different nodes,
 * in imports and in the gate have equal hashes. Thread-safe.
 */
public final class PromptHash {

  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;

  /** Makes the algorithm without a key; other providers than the JDK's own may do so. */
  @FunctionalInterface
  interface Algorithm {
    Mac get() throws GeneralSecurityException;
  }

  private final Algorithm algorithm;
  private final SecretKeySpec key;

  /**
   * Never used itself, only copied: to look one up and give it the key costs half of a hash. Absent
   * where it cannot be copied, as in hardware or under FIPS.
   */
  private final @Nullable Mac copied;

  /** With a key and with whose algorithm. */
  PromptHash(byte[] key, Algorithm algorithm) {
    this.algorithm = algorithm;
    this.key = new SecretKeySpec(key, ALGORITHM);
    Mac first = keyed();
    Mac copyable;
    try {
      var unused = first.clone();
      copyable = first;
    } catch (CloneNotSupportedException e) {
      copyable = null;
    }
    copied = copyable;
  }

  private PromptHash(byte[] key) {
    this(key, () -> Mac.getInstance(ALGORITHM));
  }

  private Mac keyed() {
    try {
      Mac mac = algorithm.get();
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /**
   * With the deployment's key.
   *
   * @param content of the key's file; white space around it does not count
   * @throws IllegalArgumentException when it has fewer than 32 bytes; the text holds nothing of it
   */
  public static PromptHash of(byte[] content) {
    byte[] key =
        new String(content, StandardCharsets.ISO_8859_1)
            .strip()
            .getBytes(StandardCharsets.ISO_8859_1);
    if (key.length < KEY_BYTES) {
      throw new IllegalArgumentException(
          key.length + " bytes: must be a key of at least " + KEY_BYTES);
    }
    return new PromptHash(key);
  }

  /** The hash of a prompt's UTF-8 text. */
  public String of(String prompt) {
    byte[] text = prompt.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex((copied == null ? keyed() : copy(copied)).doFinal(text));
  }

  private static Mac copy(Mac mac) {
    try {
      return (Mac) mac.clone();
    } catch (CloneNotSupportedException wasCopiedBefore) {
      throw new IllegalStateException(wasCopiedBefore);
    }
  }
}

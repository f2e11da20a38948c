package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.erdtman.jcs.JsonCanonicalizer;

/**
 * RFC 8785 (JCS): one text for one meaning. Numbers are IEEE 754 doubles, so 1 and 1.0 are the
 * same.
 */
final class CanonicalJson {
  private CanonicalJson() {}

  /**
   * The canonical text of an object or array.
   *
   * @throws IllegalArgumentException when it holds what JSON cannot say: NaN, infinity, half a
   *     character
   */
  static String of(JsonNode node) {
    return ofText(node.toString());
  }

  static String ofText(String json) {
    try {
      return new JsonCanonicalizer(json).getEncodedString();
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException("no canonical form (RFC 8785)", e);
    }
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static String sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }
}

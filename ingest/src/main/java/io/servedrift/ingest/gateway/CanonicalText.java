package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.erdtman.jcs.JsonCanonicalizer;

/** Texts and digests that are equal when what they stand for is equal. */
final class CanonicalText {

  private CanonicalText() {}

  /** JSON in its canonical form, RFC 8785; as Jackson writes it where that has none. */
  static String of(JsonNode node) {
    String json = node.toString();
    try {
      return new JsonCanonicalizer(json).getEncodedString();
    } catch (IOException noCanonicalForm) {
      return json;
    }
  }

  /** SHA-256 in 64 hex digits. */
  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** SHA-256 of the UTF-8 text in 64 hex digits. */
  static String sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }
}

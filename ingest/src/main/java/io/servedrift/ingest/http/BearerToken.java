package io.servedrift.ingest.http;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.UnauthorizedResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests with the right {@code Authorization: Bearer} token pass and answers 401 to the
 * others. To be registered before the routes it guards. The time it takes does not depend on the
 * token sent. Thread-safe.
 */
public final class BearerToken implements Handler {

  private static final String SCHEME = "Bearer ";
  private static final int MIN_LENGTH = 16;

  private final byte[] digest;

  private BearerToken(String token) {
    this.digest = sha256(token);
  }

  /**
   * Reads the token from a file; white space around it is ignored.
   *
   * @throws IllegalArgumentException when the file cannot be read or the token is shorter than 16
   *     characters or contains white space; the text never holds the token
   */
  public static BearerToken fromFile(Path file) {
    String token;
    try {
      token = Files.readString(file).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "token file " + file + " cannot be read: " + e + "; must be a readable text file", e);
    }
    if (token.length() < MIN_LENGTH || token.chars().anyMatch(Character::isWhitespace)) {
      throw new IllegalArgumentException(
          "token file "
              + file
              + " holds "
              + token.length()
              + " characters: must be one token of at least "
              + MIN_LENGTH
              + " characters without white space");
    }
    return new BearerToken(token);
  }

  @Override
  public void handle(Context ctx) {
    if (!accepts(ctx.header("Authorization"))) {
      ctx.header("WWW-Authenticate", "Bearer realm=\"servedrift\"");
      throw new UnauthorizedResponse(
          "Authorization: must be Bearer and the token of this server", Map.of());
    }
  }

  boolean accepts(@Nullable String authorization) {
    if (authorization == null
        || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    // Digests have equal lengths, so the comparison does not even tell the length of the token.
    return MessageDigest.isEqual(digest, sha256(authorization.substring(SCHEME.length()).strip()));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}

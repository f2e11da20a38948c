package io.servedrift.ingest.http;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a body is to be read: its media type decides, never its content. */
enum BodyFormat {
  /** One object or an array. */
  JSON("application/json"),
  /** One object per line. */
  NDJSON("application/x-ndjson");

  private final String mediaType;

  BodyFormat(String mediaType) {
    this.mediaType = mediaType;
  }

  /** The format of a {@code Content-Type} header; 415 for every other type and charset. */
  static BodyFormat of(@Nullable String contentType) throws RefusedException {
    String[] parts = contentType == null ? new String[] {""} : contentType.split(";", -1);
    String type = parts[0].trim().toLowerCase(Locale.ROOT);
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].trim().toLowerCase(Locale.ROOT);
      if (parameter.startsWith("charset=")) {
        String charset = parameter.substring("charset=".length()).replace("\"", "").trim();
        if (!List.of("utf-8", "utf8", "us-ascii").contains(charset)) {
          throw new RefusedException(
              415, "Content-Type charset=" + RequestBody.clip(charset) + ": must be utf-8");
        }
      }
    }
    for (BodyFormat format : values()) {
      if (format.mediaType.equals(type)) {
        return format;
      }
    }
    throw new RefusedException(
        415,
        "Content-Type: "
            + (type.isEmpty() ? "none" : RequestBody.clip(type))
            + ": must be application/json (one object or an array) or application/x-ndjson");
  }

  List<BodyItems.Item> items(byte[] body, int maxItems) throws RefusedException {
    return switch (this) {
      case JSON -> BodyItems.json(body, maxItems);
      case NDJSON -> BodyItems.lines(body, maxItems);
    };
  }
}

package io.servedrift.ingest.files;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ReadLimits;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Rows of an NDJSON file: lines that are not blank. With a mapping they are parsed here. */
final class NdjsonRows implements RowSource {
  private final LineReader lines;
  private final ReadLimits limits;
  private final @Nullable ObjectMapper foreign;

  NdjsonRows(LineReader lines, ReadLimits limits, boolean mapped) {
    this.lines = lines;
    this.limits = limits;
    this.foreign = mapped ? mapper(limits) : null;
  }

  private static ObjectMapper mapper(ReadLimits limits) {
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                StreamReadConstraints.builder().maxNestingDepth(limits.maxDepth()).build())
            .build();
    return new ObjectMapper(factory)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  }

  @Override
  public @Nullable FileRow next() throws IOException {
    Line line = lines.next();
    while (line != null && isBlank(line)) {
      line = lines.next();
    }
    return line == null ? null : row(line);
  }

  private FileRow row(Line line) {
    byte[] content = line.content();
    if (content == null) {
      return new FileRow.Malformed(
          line, "too_large", "line of " + line.length() + " bytes", "at most " + limits.maxBytes());
    }
    return foreign == null ? new FileRow.Json(line) : foreignRow(foreign, line, content);
  }

  private static FileRow foreignRow(ObjectMapper mapper, Line line, byte[] content) {
    try {
      JsonNode node = mapper.readTree(content);
      return node != null && node.isObject()
          ? new FileRow.ForeignJson(line, node)
          : new FileRow.Malformed(line, "bad_json", "line", "one JSON object");
    } catch (IOException e) {
      return new FileRow.Malformed(line, "bad_json", "line", "one JSON object in UTF-8");
    }
  }

  private static boolean isBlank(Line line) {
    byte[] content = line.content();
    if (content == null) {
      return false;
    }
    for (byte b : content) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return false;
      }
    }
    return true;
  }
}

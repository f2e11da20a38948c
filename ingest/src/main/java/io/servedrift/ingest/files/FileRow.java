package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One row of an input file before it is an event. */
sealed interface FileRow {
  /** Number of the line on which the row starts. */
  long line();

  /** A line of NDJSON in the shape of the contract, not parsed yet. */
  record Json(Line content) implements FileRow {
    @Override
    public long line() {
      return content.number();
    }
  }

  /** A foreign JSON object; a column is a member, or a path of members joined by dots. */
  record ForeignJson(Line content, JsonNode object) implements FileRow, Columns {
    @Override
    public long line() {
      return content.number();
    }

    @Override
    public @Nullable JsonNode cell(String column) {
      JsonNode member = object.get(column);
      if (member != null) {
        return member;
      }
      JsonNode here = object;
      for (String part : column.split("\\.", -1)) {
        here = here.path(part);
      }
      return here.isMissingNode() ? null : here;
    }

    @Override
    public byte[] raw() {
      byte[] bytes = content.content();
      return bytes == null ? new byte[0] : bytes;
    }

    @Override
    public @Nullable List<String> cells() {
      return null;
    }
  }

  /**
   * A row of a CSV file.
   *
   * @param index position of each column
   * @param text the row as it stands in the file, its lines joined by LF
   */
  record Csv(long line, Map<String, Integer> index, List<String> cells, String text)
      implements FileRow, Columns {
    @Override
    public @Nullable JsonNode cell(String column) {
      Integer position = index.get(column);
      if (position == null || cells.get(position).isBlank()) {
        return null;
      }
      return TextNode.valueOf(cells.get(position));
    }

    @Override
    public byte[] raw() {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  /**
   * A line that is no row.
   *
   * @param reason code of the rejection
   * @param what part of the line that is wrong
   * @param allowed what would have been right
   */
  record Malformed(Line content, String reason, String what, String allowed) implements FileRow {
    @Override
    public long line() {
      return content.number();
    }
  }

  /** A row that a mapping can be applied to. */
  sealed interface Columns permits ForeignJson, Csv {
    long line();

    /** The value of a column, null when the row has none. */
    @Nullable JsonNode cell(String column);

    /** The bytes of the row in the file. */
    byte[] raw();

    /** All cells in order, or null when the row has no fixed columns. */
    @Nullable List<String> cells();

    default Function<String, @Nullable JsonNode> lookup() {
      return this::cell;
    }
  }
}

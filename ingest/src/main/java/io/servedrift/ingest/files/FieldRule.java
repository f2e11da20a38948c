package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One line of a mapping: where the value of a field comes from and how it is converted. */
record FieldRule(String path, Source source) {
  /** Where a value comes from. */
  sealed interface Source {}

  /**
   * @param part which piece of the cell is meant, or null for all of it
   */
  record Column(String name, @Nullable Part part, Conversion conversion) implements Source {}

  record Constant(JsonNode value) implements Source {}

  /** A clock that stands at {@code start} in the first row and moves on with each row. */
  record RowClock(Instant start, BigDecimal everySeconds) implements Source {
    Instant at(long row) {
      long nanos = everySeconds.multiply(BigDecimal.valueOf(row)).movePointRight(9).longValue();
      return start.plusNanos(nanos);
    }
  }

  /** The piece of a cell between separators, counted from 0. */
  record Part(String separator, int index) {
    /** Null when the cell has fewer pieces. */
    @Nullable String of(String cell) {
      String[] pieces = cell.split(Pattern.quote(separator), -1);
      return index < pieces.length ? pieces[index] : null;
    }
  }

  List<String> pathParts() {
    return List.of(path.split("\\."));
  }
}

package io.servedrift.ingest.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a CSV file (RFC 4180: quotes, doubled quotes, line ends inside quotes). A row holds at
 * most the limit in bytes. A quote that never closes costs its own line only: that line is reported
 * as malformed and reading goes on with the next physical line. Not thread-safe.
 */
final class CsvReader implements Closeable {
  static final String BAD_CSV = "bad_csv";

  private final LineReader lines;
  private final char separator;
  private final int maxRowBytes;
  private final Deque<Line> pushedBack = new ArrayDeque<>();

  CsvReader(LineReader lines, char separator, int maxRowBytes) {
    this.lines = lines;
    this.separator = separator;
    this.maxRowBytes = maxRowBytes;
  }

  /** The next row, or null at the end; empty lines are passed over. */
  @Nullable FileRow next() throws IOException {
    Line first = nextLine();
    while (first != null && first.length() == 0) {
      first = nextLine();
    }
    return first == null ? null : row(first);
  }

  private FileRow row(Line first) throws IOException {
    List<Line> taken = new ArrayList<>();
    StringBuilder raw = new StringBuilder();
    CellCutter cutter = new CellCutter(separator);
    long bytes = 0;
    for (Line line = first; line != null; line = nextLine()) {
      taken.add(line);
      bytes += line.length() + 1;
      byte[] content = line.content();
      if (content == null || bytes > maxRowBytes + 1L) {
        return malformed(taken, "closed within " + maxRowBytes + " bytes");
      }
      String text;
      try {
        text = decode(content);
      } catch (CharacterCodingException e) {
        return taken.size() == 1
            ? new FileRow.Malformed(first, "bad_encoding", "row", "UTF-8")
            : malformed(taken, "closed in the same cell");
      }
      if (taken.size() > 1) {
        raw.append('\n');
      }
      raw.append(text);
      switch (cutter.feed(text, taken.size() > 1)) {
        case COMPLETE -> {
          return new FileRow.Csv(first.number(), Map.of(), cutter.cells(), raw.toString());
        }
        case TEXT_AFTER_QUOTE -> {
          return malformed(taken, "followed by " + printable(separator) + " or a line end");
        }
        case OPEN_QUOTE -> {}
      }
    }
    return malformed(taken, "closed before the end of the file");
  }

  private FileRow malformed(List<Line> taken, String allowed) {
    Line first = taken.get(0);
    for (int i = taken.size() - 1; i > 0; i--) {
      pushedBack.addFirst(taken.get(i));
    }
    if (first.content() == null) {
      return new FileRow.Malformed(
          first, "too_large", "row of " + first.length() + " bytes", "at most " + maxRowBytes);
    }
    return new FileRow.Malformed(first, BAD_CSV, "quoted cell", allowed);
  }

  private @Nullable Line nextLine() throws IOException {
    Line again = pushedBack.pollFirst();
    return again != null ? again : lines.next();
  }

  static String printable(char separator) {
    return separator == '\t' ? "a tab" : "'" + separator + "'";
  }

  private static String decode(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  /** Cuts lines into cells, remembering an open quote from one line to the next. */
  private static final class CellCutter {
    enum Outcome {
      COMPLETE,
      OPEN_QUOTE,
      TEXT_AFTER_QUOTE
    }

    private enum State {
      CELL_START,
      PLAIN,
      QUOTED,
      QUOTE_IN_QUOTED
    }

    private final char separator;
    private final List<String> cells = new ArrayList<>();
    private final StringBuilder cell = new StringBuilder();
    private State state = State.CELL_START;

    CellCutter(char separator) {
      this.separator = separator;
    }

    List<String> cells() {
      return cells;
    }

    Outcome feed(String text, boolean continued) {
      if (continued) {
        cell.append('\n');
      }
      for (int i = 0; i < text.length(); i++) {
        if (!take(text.charAt(i))) {
          return Outcome.TEXT_AFTER_QUOTE;
        }
      }
      if (state == State.QUOTED) {
        return Outcome.OPEN_QUOTE;
      }
      endCell();
      return Outcome.COMPLETE;
    }

    /** False when the character must not stand there. */
    private boolean take(char c) {
      switch (state) {
        case QUOTED -> {
          if (c == '"') {
            state = State.QUOTE_IN_QUOTED;
          } else {
            cell.append(c);
          }
        }
        case QUOTE_IN_QUOTED -> {
          if (c == '"') {
            cell.append(c);
            state = State.QUOTED;
          } else if (c == separator) {
            endCell();
          } else {
            return false;
          }
        }
        case CELL_START, PLAIN -> {
          if (c == separator) {
            endCell();
          } else if (c == '"' && state == State.CELL_START) {
            state = State.QUOTED;
          } else {
            cell.append(c);
            state = State.PLAIN;
          }
        }
      }
      return true;
    }

    private void endCell() {
      cells.add(cell.toString());
      cell.setLength(0);
      state = State.CELL_START;
    }
  }
}

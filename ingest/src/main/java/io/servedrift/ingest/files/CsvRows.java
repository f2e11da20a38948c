package io.servedrift.ingest.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows of a CSV file below its header, which must have every column that the mapping reads. */
final class CsvRows implements RowSource {
  private final CsvReader reader;
  private final Map<String, Integer> index;

  private CsvRows(CsvReader reader, Map<String, Integer> index) {
    this.reader = reader;
    this.index = index;
  }

  /**
   * Reads the header.
   *
   * @throws FileReadException naming every column that is missing or occurs twice
   */
  static CsvRows open(CsvReader reader, String file, Set<String> needed)
      throws IOException, FileReadException {
    FileRow header = reader.next();
    if (header == null) {
      return new CsvRows(reader, Map.of());
    }
    if (header instanceof FileRow.Csv row) {
      return new CsvRows(reader, index(row.cells(), file, needed));
    }
    throw new FileReadException(file + ": line 1 is no header line", null);
  }

  private static Map<String, Integer> index(List<String> header, String file, Set<String> needed)
      throws FileReadException {
    Map<String, Integer> index = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < header.size(); i++) {
      String name = header.get(i).strip();
      if (index.putIfAbsent(name, i) != null) {
        problems.add("column " + name + " occurs twice");
      }
    }
    for (String column : needed) {
      if (!index.containsKey(column)) {
        problems.add(
            "no column "
                + column
                + ", which the mapping reads"
                + Nearest.hint(column, index.keySet()));
      }
    }
    if (!problems.isEmpty()) {
      throw new FileReadException(
          file
              + ": "
              + String.join("; ", problems)
              + " (header line: "
              + shown(index.keySet())
              + ")",
          null);
    }
    return index;
  }

  private static String shown(Set<String> header) {
    String all = String.join(", ", header);
    return all.length() <= 400 ? all : all.substring(0, 400) + "...";
  }

  @Override
  public @Nullable FileRow next() throws IOException {
    FileRow row = reader.next();
    if (!(row instanceof FileRow.Csv csv)) {
      return row;
    }
    if (csv.cells().size() != index.size()) {
      return new FileRow.Malformed(
          Line.of(csv.line(), csv.raw()),
          CsvReader.BAD_CSV,
          "row of " + csv.cells().size() + " cells",
          index.size() + " cells, as the header line has");
    }
    return new FileRow.Csv(csv.line(), index, csv.cells(), csv.text());
  }
}

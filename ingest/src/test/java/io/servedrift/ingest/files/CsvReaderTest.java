package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class CsvReaderTest {
  @Test
  void cutsCells_whenQuotedWithSeparatorsQuotesAndLineEnds() throws IOException {
    List<FileRow> rows = rows("a,\"b,1\",c\r\n\"say \"\"hi\"\"\",\"two\r\nlines\",\n,,\n", 1000);

    assertThat(cells(rows))
        .containsExactly(
            List.of("a", "b,1", "c"), List.of("say \"hi\"", "two\nlines", ""), List.of("", "", ""));
    assertThat(rows).extracting(FileRow::line).containsExactly(1L, 2L, 4L);
  }

  @Test
  void losesOneLineOnly_whenQuoteNeverCloses() throws IOException {
    List<FileRow> rows = rows("a,b\n\"open,c\nd,e\nf,g\n", 1000);

    assertThat(rows).hasSize(4);
    assertThat(rows.get(1)).isInstanceOf(FileRow.Malformed.class);
    assertThat(rows.get(1).line()).isEqualTo(2);
    assertThat(cells(rows))
        .containsExactly(List.of("a", "b"), List.of("d", "e"), List.of("f", "g"));
  }

  @Test
  void losesOneLineOnly_whenQuoteClosesInLaterRow() throws IOException {
    List<FileRow> rows = rows("\"open,c\nd,\"e\"\nf,g\n", 1000);

    assertThat(rows.get(0)).isInstanceOf(FileRow.Malformed.class);
    assertThat(cells(rows)).containsExactly(List.of("d", "e"), List.of("f", "g"));
  }

  @Test
  void losesOneLineOnly_whenOpenQuotePassesTheLimit() throws IOException {
    String filler = "x,y\n".repeat(100);
    List<FileRow> rows = rows("\"open,c\n" + filler, 50);

    assertThat(rows).hasSize(101);
    assertThat(((FileRow.Malformed) rows.get(0)).reason()).isEqualTo("bad_csv");
    assertThat(cells(rows)).hasSize(100).allMatch(c -> c.equals(List.of("x", "y")));
  }

  @Test
  void reportsLine_whenNotUtf8() throws IOException {
    byte[] bytes = "a,b\nc,d\n".getBytes(StandardCharsets.UTF_8);
    bytes[0] = (byte) 0xFF;
    List<FileRow> rows = rows(bytes, 100);

    assertThat(((FileRow.Malformed) rows.get(0)).reason()).isEqualTo("bad_encoding");
    assertThat(cells(rows)).containsExactly(List.of("c", "d"));
  }

  @Property(tries = 300)
  void givesBackEveryCell_whateverTheContent(
      @ForAll @NotEmpty @Size(max = 8)
          List<
                  @Size(min = 2, max = 4) List<
                      @StringLength(max = 8) @CharRange(from = 'a', to = 'c')
                      @Chars({',', '"', '\n', ' '}) String>>
              expected)
      throws IOException {
    StringBuilder text = new StringBuilder();
    for (List<String> row : expected) {
      text.append(
              String.join(",", row.stream().map(c -> '"' + c.replace("\"", "\"\"") + '"').toList()))
          .append('\n');
    }
    assertThat(cells(rows(text.toString(), 10_000))).isEqualTo(expected);
  }

  private static List<List<String>> cells(List<FileRow> rows) {
    return rows.stream()
        .filter(FileRow.Csv.class::isInstance)
        .map(r -> ((FileRow.Csv) r).cells())
        .toList();
  }

  private static List<FileRow> rows(String text, int limit) throws IOException {
    return rows(text.getBytes(StandardCharsets.UTF_8), limit);
  }

  private static List<FileRow> rows(byte[] bytes, int limit) throws IOException {
    CsvReader reader =
        new CsvReader(new LineReader(new ByteArrayInputStream(bytes), limit), ',', limit);
    List<FileRow> rows = new ArrayList<>();
    for (FileRow row = reader.next(); row != null; row = reader.next()) {
      rows.add(row);
    }
    return rows;
  }
}

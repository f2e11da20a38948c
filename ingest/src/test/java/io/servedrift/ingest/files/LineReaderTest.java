package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class LineReaderTest {
  @Test
  void endsLinesAtLfAndCrlf_whenMixed() throws IOException {
    assertThat(lines("a\r\nb\n\nc\rd\r\n", 100)).containsExactly("1:a", "2:b", "3:", "4:c\rd");
  }

  @Test
  void readsNothing_whenEmpty() throws IOException {
    assertThat(lines("", 100)).isEmpty();
  }

  @Test
  void keepsLengthAndDigestOnly_whenLineIsTooLarge() throws Exception {
    byte[] big = new byte[200_000];
    Arrays.fill(big, (byte) 'x');
    String text = "before\n" + new String(big, StandardCharsets.UTF_8) + "\r\nafter\n";

    LineReader reader =
        new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 1000);
    assertThat(new String(reader.next().content(), StandardCharsets.UTF_8)).isEqualTo("before");
    Line large = reader.next();
    assertThat(large.content()).isNull();
    assertThat(large.length()).isEqualTo(200_000);
    assertThat(large.sha256())
        .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(big)));
    assertThat(new String(reader.next().content(), StandardCharsets.UTF_8)).isEqualTo("after");
    assertThat(reader.next()).isNull();
  }

  @Property(tries = 200)
  void givesBackEveryLine_whateverTheSizesOfReads(
      @ForAll @Size(max = 20)
          List<@StringLength(max = 30) @CharRange(from = 'a', to = 'c') String> expected,
      @ForAll @IntRange(min = 1, max = 7) int chunk)
      throws IOException {
    String text = expected.isEmpty() ? "" : String.join("\r\n", expected) + "\r\n";
    InputStream in =
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
          @Override
          public synchronized int read(byte[] b, int off, int len) {
            return super.read(b, off, Math.min(len, chunk));
          }

          @Override
          public int read(byte[] b) {
            return read(b, 0, b.length);
          }
        };
    List<String> got = new ArrayList<>();
    LineReader reader = new LineReader(in, 100);
    for (Line line = reader.next(); line != null; line = reader.next()) {
      got.add(new String(line.content(), StandardCharsets.UTF_8));
    }
    assertThat(got).isEqualTo(expected);
  }

  private static List<String> lines(String text, int limit) throws IOException {
    LineReader reader =
        new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), limit);
    List<String> lines = new ArrayList<>();
    for (Line line = reader.next(); line != null; line = reader.next()) {
      lines.add(line.number() + ":" + new String(line.content(), StandardCharsets.UTF_8));
    }
    return lines;
  }
}

package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that every release wrote are read for ever. Each line: hex of the bytes, a blank, the
 * public JSON.
 */
class GoldenBytesTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  @BeforeAll
  static void write() {
    Release.writeIfAsked();
  }

  static String line(SpecificRecord record) {
    return HexFormat.of().formatHex(EventCodec.encode(record)) + " " + EventJson.write(record);
  }

  static List<Path> files() throws IOException {
    Release.writeIfAsked();
    try (Stream<Path> all = Files.walk(GOLDEN)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void decodesBytesOfEveryRelease(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(2);
    for (String line : lines) {
      int blank = line.indexOf(' ');
      SpecificRecord record = EventCodec.decode(HexFormat.of().parseHex(line.substring(0, blank)));
      assertThat(EventJson.write(record)).isEqualTo(line.substring(blank + 1));
      assertThat(file.getFileName().toString()).isEqualTo(EventType.of(record).word() + ".txt");
    }
  }
}

package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventFilesTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final String GOOD =
      "{\"type\":\"request\",\"request_id\":\"%s\",\"deployment\":\"d\","
          + "\"finished_at\":\"2026-11-30T10:00:%02dZ\",\"status\":\"ok\",\"latency_seconds\":1.5}";

  @TempDir Path folder;

  private final List<DeadLetter> letters = new ArrayList<>();

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "cut JSON|bad_json|{\"type\":\"request\",\"request_id\":\"x\"",
        "no JSON|bad_json|hello",
        "two values|bad_json|{} {}",
        "unknown type|unknown_type|{\"type\":\"banana\",\"request_id\":\"x\"}",
        "no id|missing_field|{\"type\":\"request\",\"deployment\":\"d\","
            + "\"finished_at\":\"2026-11-30T10:00:01Z\",\"status\":\"error\"}",
        "negative duration|bad_value|{\"type\":\"request\",\"request_id\":\"x\",\"deployment\":\"d\","
            + "\"finished_at\":\"2026-11-30T10:00:01Z\",\"status\":\"ok\",\"latency_seconds\":-1}",
        "NaN|bad_value|{\"type\":\"request\",\"request_id\":\"x\",\"deployment\":\"d\","
            + "\"finished_at\":\"2026-11-30T10:00:01Z\",\"status\":\"ok\",\"latency_seconds\":NaN}",
        "ends before it starts|inconsistent_times|{\"type\":\"request\",\"request_id\":\"x\","
            + "\"deployment\":\"d\",\"arrived_at\":\"2026-11-30T10:00:09Z\","
            + "\"finished_at\":\"2026-11-30T10:00:01Z\",\"status\":\"ok\",\"latency_seconds\":1}",
        "no zone|bad_time|{\"type\":\"request\",\"request_id\":\"x\",\"deployment\":\"d\","
            + "\"finished_at\":\"2026-11-30T10:00:01\",\"status\":\"ok\",\"latency_seconds\":1}",
        "far future|future_time|{\"type\":\"request\",\"request_id\":\"x\",\"deployment\":\"d\","
            + "\"finished_at\":\"2031-01-01T00:00:00Z\",\"status\":\"ok\",\"latency_seconds\":1}",
        "milliseconds as seconds|wrong_unit|{\"type\":\"request\",\"request_id\":\"x\","
            + "\"deployment\":\"d\",\"arrived_at\":\"2026-11-30T10:00:01Z\","
            + "\"finished_at\":\"2026-11-30T10:00:03Z\",\"status\":\"ok\",\"latency_seconds\":2000}",
      })
  void rejectsOneLineOnly_whenDirty(String name, String reason, String line) throws Exception {
    Path file = write(GOOD.formatted("a", 2) + "\n" + line + "\n" + GOOD.formatted("b", 1) + "\n");

    try (SortedEvents events = read(file)) {
      assertThat(ids(events)).containsExactly("b", "a");
      assertThat(events.summary().rejectedByReason()).containsExactly(entry(reason, 1L));
      assertThat(events.summary().read()).isEqualTo(3);
    }
    assertThat(letters).hasSize(1);
    assertThat(letters.get(0).getOrigin()).isEqualTo(file + ":2");
    assertThat(letters.get(0).getReason()).isEqualTo(reason);
    assertThat(letters.get(0).getDetail()).isNotBlank();
    assertThat(letters.get(0).getLength()).isEqualTo(line.length());
  }

  @Test
  void acceptsSevenDigitFractionsByteOrderMarkCrlfAndBlankLines() throws Exception {
    Path file =
        write(
            "\uFEFF"
                + GOOD.formatted("a", 2)
                + "\r\n\r\n  \r\n"
                + GOOD.formatted("b", 1).replace("01Z", "01.1234567Z")
                + "\r\n");

    try (SortedEvents events = read(file)) {
      assertThat(ids(events)).containsExactly("b", "a");
      assertThat(events.iterator().next().at())
          .isEqualTo(Instant.parse("2026-11-30T10:00:01.123456Z"));
      assertThat(events.iterator().next().origin()).isEqualTo(file + ":4");
    }
    assertThat(letters).isEmpty();
  }

  @Test
  void rejectsHugeLine_withoutTouchingItsNeighbours() throws Exception {
    Path file = folder.resolve("huge.ndjson");
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write((GOOD.formatted("a", 2) + "\n{\"pad\":\"").getBytes(StandardCharsets.UTF_8));
      out.write("x".repeat(10 << 20).getBytes(StandardCharsets.UTF_8));
      out.write(("\"}\n" + GOOD.formatted("b", 1)).getBytes(StandardCharsets.UTF_8));
    }

    try (SortedEvents events = read(file)) {
      assertThat(ids(events)).containsExactly("b", "a");
    }
    assertThat(letters).hasSize(1);
    assertThat(letters.get(0).getReason()).isEqualTo("too_large");
    assertThat(letters.get(0).getLength()).isEqualTo((10 << 20) + 10);
    assertThat(letters.get(0).getSha256()).hasSize(64);
    assertThat(letters.get(0).getContent()).isNull();
  }

  @Test
  void keepsDuplicatesAndCountsThem() throws Exception {
    String line = GOOD.formatted("a", 2) + "\n";
    try (SortedEvents events = read(write(line + GOOD.formatted("b", 2) + "\n" + line))) {
      assertThat(ids(events)).containsExactly("a", "b", "a");
      assertThat(events.summary().repeats()).isEqualTo(1);
      assertThat(events.summary().lookalikes()).isEqualTo(1);
    }
  }

  @Test
  void readsGzipFromStandardInput() throws Exception {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
      gzip.write((GOOD.formatted("a", 2) + "\n").getBytes(StandardCharsets.UTF_8));
    }
    EventFiles files =
        EventFiles.builder(List.of(Path.of("-")), FileFormat.NDJSON, NOW)
            .stdin(new ByteArrayInputStream(zipped.toByteArray()))
            .build();
    try (SortedEvents events = files.read(letters::add)) {
      assertThat(ids(events)).containsExactly("a");
      assertThat(events.iterator().next().origin()).isEqualTo("stdin:1");
    }
  }

  @Test
  void failsAsAWhole_whenGzipIsCut() throws Exception {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
      Random random = new Random(7);
      for (int i = 0; i < 2000; i++) {
        gzip.write(
            (GOOD.formatted("r" + random.nextLong(), i % 60) + "\n")
                .getBytes(StandardCharsets.UTF_8));
      }
    }
    Path file = folder.resolve("cut.gz");
    byte[] all = zipped.toByteArray();
    Files.write(file, java.util.Arrays.copyOf(all, all.length / 2));

    assertThatThrownBy(() -> read(file))
        .isInstanceOf(FileReadException.class)
        .hasMessageContaining("cut.gz: cannot be read to its end");
  }

  @Test
  void failsAsAWhole_whenFileIsMissingOrUtf16() throws Exception {
    assertThatThrownBy(() -> read(folder.resolve("no.ndjson")))
        .isInstanceOf(FileReadException.class)
        .hasMessageContaining("no such file");
    Path utf16 = folder.resolve("utf16.ndjson");
    Files.write(utf16, GOOD.getBytes(StandardCharsets.UTF_16));
    assertThatThrownBy(() -> read(utf16))
        .isInstanceOf(FileReadException.class)
        .hasMessageContaining("is UTF-16, must be UTF-8");
  }

  @Test
  void saysSo_whenFileIsEmpty() throws Exception {
    Path empty = write("");
    try (SortedEvents events = read(empty)) {
      assertThat(events).isEmpty();
      assertThat(events.summary().read()).isZero();
      assertThat(events.summary().emptyFiles()).containsExactly(empty.toString());
      assertThat(events.summary().first()).isNull();
    }
  }

  @Test
  void registersInlineConfigurationOnce() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      text.append(
              GOOD.formatted("r" + i, i)
                  .replace("\"status\"", "\"config\":{\"extra\":{\"a\":1}},\"status\""))
          .append('\n');
    }
    try (SortedEvents events = read(write(text.toString()))) {
      List<SpecificRecord> all = new ArrayList<>();
      events.forEach(e -> all.add(e.event()));
      assertThat(all).hasSize(6);
      assertThat(all.get(0)).isInstanceOf(ConfigRecord.class);
      String id = ((ConfigRecord) all.get(0)).getConfigId();
      assertThat(all.subList(1, 6)).allMatch(e -> ((RequestEvent) e).getConfigId().equals(id));
      assertThat(events.summary().registrations()).isEqualTo(1);
      assertThat(events.summary().accepted()).isEqualTo(5);
    }
  }

  @Test
  void countsUnknownFieldsAndSkipsTicks() throws Exception {
    String text =
        GOOD.formatted("a", 2).replace("\"status\"", "\"banana\":1,\"status\"")
            + "\n{\"type\":\"tick\",\"at\":\"2026-11-30T10:00:00Z\"}\n";
    try (SortedEvents events = read(write(text))) {
      assertThat(events.summary().unknownFields()).isEqualTo(1);
      assertThat(events.summary().unknownFieldsByName()).containsExactly(entry("banana", 1L));
      assertThat(events.summary().skippedByReason())
          .containsExactly(entry(FileReading.TICK_SKIPPED, 1L));
      assertThat(ids(events)).containsExactly("a");
    }
  }

  @Test
  void mapsForeignNdjson() throws Exception {
    Mapping mapping =
        Mapping.parse(
            """
            fields:
              request_id: id
              deployment: {constant: d}
              arrived_at: {column: times.start, time: epoch_ms}
              latency_seconds: {column: times.e2e, unit: ms}
              status: {column: ok, words: {"true": ok, "false": error}}
              workload.adapters: {column: loras, list: ","}
            """,
            "m.yaml");
    Path file =
        write(
            "{\"id\":\"a\",\"ok\":true,\"times\":{\"start\":1700000000000,\"e2e\":2500},"
                + "\"loras\":[\"x\",\"y\"]}\n"
                + "{\"id\":\"b\",\"ok\":1,\"times\":{\"start\":1700000000000,\"e2e\":2500}}\n"
                + "[1]\n");
    try (SortedEvents events =
        EventFiles.read(List.of(file), FileFormat.NDJSON, mapping, NOW, letters::add)) {
      RequestEvent event = (RequestEvent) events.iterator().next().event();
      assertThat(event.getLatencySeconds()).isEqualTo(2.5);
      assertThat(event.getFinishedAt()).isEqualTo(Instant.ofEpochMilli(1700000002500L));
      assertThat(event.getWorkload().getAdapters()).containsExactly("x", "y");
    }
    assertThat(letters).extracting(DeadLetter::getReason).containsExactly("bad_value", "bad_json");
    assertThat(letters.get(0).getDetail())
        .contains("status (column ok)=1: must be one of false, true");
  }

  @Test
  void sortsShuffledFilesAlike_inMemoryAndOnDisk() throws Exception {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      lines.add(GOOD.formatted("r" + i, i));
    }
    Collections.shuffle(lines, new Random(3));
    Path file = write(String.join("\n", lines));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      expected.add("r" + i);
    }
    try (SortedEvents memory = read(file);
        SortedEvents disk =
            EventFiles.builder(List.of(file), FileFormat.NDJSON, NOW)
                .maxHeapBytes(500)
                .temporaryRoot(folder)
                .build()
                .read(letters::add)) {
      assertThat(disk.sortedOnDisk()).isTrue();
      assertThat(memory.sortedOnDisk()).isFalse();
      assertThat(ids(memory)).isEqualTo(expected);
      assertThat(ids(disk)).isEqualTo(expected);
      assertThat(disk.summary()).isEqualTo(memory.summary());
    }
  }

  @Property(tries = 50)
  void givesEventsInOrderOfTime_tiesInOrderOfReading(
      @ForAll @Size(max = 60) List<@IntRange(max = 9) Integer> seconds) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < seconds.size(); i++) {
      text.append(GOOD.formatted("r" + i, seconds.get(i))).append('\n');
    }
    EventFiles files =
        EventFiles.builder(List.of(Path.of("-")), FileFormat.NDJSON, NOW)
            .stdin(new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8)))
            .build();
    try (SortedEvents events = files.read(letters::add)) {
      List<String> keys = new ArrayList<>();
      for (FileEvent event : events) {
        int line = Integer.parseInt(event.origin().substring("stdin:".length()));
        keys.add(event.at() + "#%06d".formatted(line));
      }
      assertThat(keys).hasSize(seconds.size()).isSorted();
    }
  }

  @Test
  void writesLettersAsNdjson() throws Exception {
    Path out = folder.resolve("letters.ndjson");
    try (DeadLetterFile file = new DeadLetterFile(out)) {
      read(write("hello\n")).close();
      letters.forEach(file);
    }
    assertThat(Files.readAllLines(out)).containsExactly(EventJson.write(letters.get(0)));
    assertThat(Files.readString(out)).contains("\"reason\":\"bad_json\"").doesNotContain("hello");
  }

  private SortedEvents read(Path file) throws FileReadException {
    return EventFiles.read(List.of(file), FileFormat.NDJSON, null, NOW, letters::add);
  }

  private Path write(String text) throws IOException {
    Path file = Files.createTempFile(folder, "events", ".ndjson");
    return Files.writeString(file, text);
  }

  private static java.util.Map.Entry<String, Long> entry(String key, long value) {
    return java.util.Map.entry(key, value);
  }

  private static List<String> ids(SortedEvents events) {
    List<String> ids = new ArrayList<>();
    for (FileEvent event : events) {
      ids.add(((RequestEvent) event.event()).getRequestId());
    }
    return ids;
  }
}

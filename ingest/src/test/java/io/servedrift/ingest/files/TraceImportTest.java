package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shipped mapping on a trace. {@code traces/diffusion-trace.csv} is made by a seeded generator
 * in the columns of the public trace: 600 SUCCEED (4 of them look-alikes), 24 FAILED, 10 PENDING
 * and 2 PROCESSING, in order of arrival and disordered by up to 156 s in order of completion.
 */
class TraceImportTest {
  private static final Path FIXTURE = Path.of("src/test/resources/traces/diffusion-trace.csv");
  private static final Path MAPPING = Path.of("examples/alibaba-gentd26.yaml");
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final String PENDING = "PENDING: had not started when the trace ended";
  private static final String PROCESSING = "PROCESSING: had not finished when the trace ended";

  @TempDir Path folder;

  private final List<DeadLetter> letters = new ArrayList<>();
  private Mapping mapping;

  @BeforeEach
  void loadMapping() throws MappingException {
    mapping = Mapping.load(MAPPING);
  }

  @Test
  void accountsForEveryRow() throws Exception {
    try (SortedEvents events = read(FIXTURE)) {
      ReadSummary summary = events.summary();
      assertThat(summary.read()).isEqualTo(636);
      assertThat(summary.acceptedByType()).isEqualTo(Map.of("request", 624L));
      assertThat(summary.skippedByReason()).isEqualTo(Map.of(PENDING, 10L, PROCESSING, 2L));
      assertThat(summary.rejected()).isZero();
      assertThat(summary.lookalikes()).isEqualTo(4);
      assertThat(summary.repeats()).isZero();
      assertThat(summary.registrations()).isEqualTo(23);
      assertThat(summary.first()).isEqualTo(Instant.parse("2026-03-01T09:00:21Z"));
      assertThat(summary.last()).isEqualTo(Instant.parse("2026-03-02T02:56:31Z"));
      assertThat(statuses(events))
          .isEqualTo(Map.of(RequestStatus.OK, 600L, RequestStatus.ERROR, 24L));
      assertThat(events).extracting(FileEvent::at).isSortedAccordingTo(Comparator.naturalOrder());
    }
    assertThat(letters).isEmpty();
  }

  @Test
  void givesConfigurationsByLoraAndImages() throws Exception {
    try (SortedEvents events = read(FIXTURE)) {
      Map<String, ConfigRecord> configs = new HashMap<>();
      Map<String, List<Double>> latencies = new HashMap<>();
      for (FileEvent item : events) {
        if (item.event() instanceof ConfigRecord config) {
          configs.put(config.getConfigId() + config.getModelId(), config);
        } else if (item.event() instanceof RequestEvent request
            && request.getStatus() == RequestStatus.OK) {
          ConfigRecord config = configs.get(request.getConfigId() + request.getModelId());
          assertThat(config).as("registered before use: " + item.origin()).isNotNull();
          latencies
              .computeIfAbsent(config.getModel() + config.getCounted(), k -> new ArrayList<>())
              .add(request.getLatencySeconds());
        }
      }
      List<Double> plain =
          latencies.get(
              "{\"name\":\"A100\"}{\"extra\":{\"images\":\"1\",\"lora\":false},"
                  + "\"runtime\":{\"name\":\"stable-diffusion\"}}");
      assertThat(plain).hasSize(101);
      assertThat(plain.stream().sorted().toList().get(50)).isEqualTo(11.0);
    }
  }

  @Test
  void readsWorkload() throws Exception {
    try (SortedEvents events = read(FIXTURE)) {
      for (FileEvent item : events) {
        if (item.event() instanceof RequestEvent request
            && request.getWorkload().getAdapters().size() == 2) {
          assertThat(request.getWorkload().getModality()).isEqualTo("image");
          assertThat(request.getWorkload().getSteps()).isBetween(20, 40);
          assertThat(request.getWorkload().getImages()).isBetween(1, 8);
          assertThat(request.getWorkload().getPromptClass()).endsWith("_2_IMG");
          assertThat(request.getFinishedAt())
              .isEqualTo(
                  request.getArrivedAt().plusSeconds(request.getLatencySeconds().longValue()));
          return;
        }
      }
    }
    throw new AssertionError("no request with two adapters");
  }

  @Test
  void namesRowAndColumn_whenCellsAreDirty() throws Exception {
    List<String> lines =
        new ArrayList<>(
            Files.readAllLines(FIXTURE).stream()
                .filter(l -> l.startsWith("row_id") || l.contains(",SUCCEED,"))
                .limit(8)
                .toList());
    lines.set(2, set(lines.get(2), 4, "-3.0"));
    lines.set(3, set(lines.get(3), 4, "NaN"));
    lines.set(4, set(lines.get(4), 0, ""));
    lines.set(5, set(lines.get(5), 3, "EXPLODED"));
    lines.set(6, lines.get(6) + ",extra");
    Path file = Files.write(folder.resolve("dirty.csv"), lines);

    try (SortedEvents events = read(file)) {
      assertThat(events.summary().accepted()).isEqualTo(2);
    }
    assertThat(letters)
        .extracting(l -> l.getOrigin().replaceAll(".*:", "") + " " + l.getReason())
        .containsExactly(
            "3 bad_value", "4 bad_value", "5 missing_field", "6 bad_value", "7 bad_csv");
    assertThat(letters.get(0).getDetail())
        .contains("latency_seconds (column exec_time_seconds)=-3.0");
    assertThat(letters.get(1).getDetail())
        .isEqualTo("latency_seconds (column exec_time_seconds)=NaN: must be a finite number");
    assertThat(letters.get(2).getDetail()).contains("request_id (column row_id)");
    assertThat(letters.get(3).getDetail())
        .contains("status (column predict_status)=EXPLODED: must be one of FAILED, PENDING");
    assertThat(letters.get(4).getDetail()).contains("row of 17 cells").contains("16 cells");
    assertThat(letters.get(0).getContent())
        .as("mapped columns only")
        .contains("exec_time_seconds")
        .doesNotContain("groupId");
  }

  @Test
  void refusesFile_whenHeaderLacksColumns() throws Exception {
    String text = Files.readString(FIXTURE).replaceFirst("exec_time_seconds", "exec_time_second");
    Path file = Files.writeString(folder.resolve("renamed.csv"), text);
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(FileReadException.class)
        .hasMessageContaining(
            "no column exec_time_seconds, which the mapping reads, did you mean exec_time_second?");

    Path headless =
        Files.write(folder.resolve("headless.csv"), Files.readAllLines(FIXTURE).subList(1, 5));
    assertThatThrownBy(() -> read(headless))
        .isInstanceOf(FileReadException.class)
        .hasMessageContaining("no column row_id");
  }

  @Test
  void readsTheSame_whenFileHasByteOrderMarkCrlfAndQuotedCells() throws Exception {
    List<String> lines = Files.readAllLines(FIXTURE);
    StringBuilder text = new StringBuilder("\uFEFF");
    for (String line : lines) {
      text.append('"').append(line.replace(",", "\",\"")).append("\"\r\n");
    }
    Path file = Files.writeString(folder.resolve("quoted.csv"), text);
    try (SortedEvents plain = read(FIXTURE);
        SortedEvents quoted = read(file)) {
      assertThat(quoted.summary()).isEqualTo(plain.summary());
    }
  }

  @Test
  void countsEveryRowOfThePublicTrace() throws Exception {
    String folder =
        System.getProperty("SERVEDRIFT_TEST_DATA", System.getenv("SERVEDRIFT_TEST_DATA"));
    if (folder == null) {
      System.out.println("left out: the public trace; SERVEDRIFT_TEST_DATA names its folder");
    }
    assumeTrue(folder != null, "SERVEDRIFT_TEST_DATA, the folder of the public trace");
    Path data = Path.of(folder).resolve("alibaba-gentd26/request_trace_joined.csv");

    try (SortedEvents events = read(data)) {
      ReadSummary summary = events.summary();
      assertThat(summary.read()).isEqualTo(26_823);
      assertThat(statuses(events))
          .isEqualTo(Map.of(RequestStatus.OK, 26_392L, RequestStatus.ERROR, 398L));
      assertThat(summary.skippedByReason()).isEqualTo(Map.of(PENDING, 30L, PROCESSING, 3L));
      assertThat(summary.rejected()).isZero();
      assertThat(summary.lookalikes()).isEqualTo(19);
      assertThat(summary.repeats()).isZero();
      assertThat(configurations(events)).isEqualTo(exactConfigurations(data));
    }
  }

  /** Requests that ended ok per (model, config). */
  private static List<Long> configurations(SortedEvents events) {
    Map<String, Long> counts = new HashMap<>();
    for (FileEvent item : events) {
      if (item.event() instanceof RequestEvent r && r.getStatus() == RequestStatus.OK) {
        counts.merge(r.getModelId() + "/" + r.getConfigId(), 1L, Long::sum);
      }
    }
    return counts.values().stream().sorted().toList();
  }

  private static List<Long> exactConfigurations(Path data) throws IOException {
    Map<String, Long> counts = new HashMap<>();
    for (String line : Files.readAllLines(data)) {
      String[] cells = line.split(",", -1);
      if (cells[3].equals("SUCCEED")) {
        double images = Double.parseDouble(cells[8]);
        String bucket = images < 2 ? "1" : images < 4 ? "2" : images < 8 ? "4" : "8";
        counts.merge(cells[10] + !cells[11].equals("0") + bucket, 1L, Long::sum);
      }
    }
    return counts.values().stream().sorted().toList();
  }

  private static Map<RequestStatus, Long> statuses(SortedEvents events) {
    Map<RequestStatus, Long> counts = new HashMap<>();
    Set<String> ids = new HashSet<>();
    for (FileEvent item : events) {
      if (item.event() instanceof RequestEvent request) {
        assertThat(ids.add(request.getRequestId())).isTrue();
        counts.merge(request.getStatus(), 1L, Long::sum);
      }
    }
    return counts;
  }

  private static String set(String line, int column, String value) {
    String[] cells = line.split(",", -1);
    cells[column] = value;
    return String.join(",", cells);
  }

  private SortedEvents read(Path file) throws FileReadException {
    return EventFiles.read(List.of(file), FileFormat.CSV, mapping, NOW, letters::add);
  }
}

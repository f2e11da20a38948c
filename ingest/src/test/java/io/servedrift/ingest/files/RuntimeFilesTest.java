package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Formats of runtimes through the reader of files. */
class RuntimeFilesTest {
  private static final Path FIXTURES = Path.of("src/test/resources/adapters");
  private static final Instant LATER = Instant.parse("2027-01-01T00:00:00Z");
  private static final AdapterSettings IMAGES =
      AdapterSettings.of("image-gen").withZone(ZoneId.of("Europe/Berlin"));

  @TempDir private Path folder;
  private final List<DeadLetter> letters = new ArrayList<>();

  private SortedEvents read(FileFormat format, AdapterSettings settings, Path... files)
      throws FileReadException {
    return EventFiles.builder(List.of(files), format, LATER)
        .adapter(settings)
        .build()
        .read(letters::add);
  }

  @Test
  void accountsForEveryRecordOfTwoJoinedFiles() throws Exception {
    try (SortedEvents events =
        read(
            FileFormat.SGLANG_DIFFUSION_LOG,
            IMAGES,
            FIXTURES.resolve("sglang-diffusion-json.log"),
            FIXTURES.resolve("performance.log"))) {
      ReadSummary summary = events.summary();

      assertThat(summary.read())
          .isEqualTo(summary.accepted() + summary.rejected() + summary.skipped());
      assertThat(summary.acceptedByType())
          .containsEntry("request", 6L)
          .containsEntry("config", 1L)
          .containsEntry("serving_event", 1L);
      assertThat(summary.rejected()).isZero();
      assertThat(summary.registrations()).isEqualTo(1);
    }
  }

  @Test
  void namesTheLineThatAnEventIsFrom_inWhicheverFileItWas() throws Exception {
    Path log = FIXTURES.resolve("sglang-diffusion-json.log");
    try (SortedEvents events =
        read(FileFormat.SGLANG_DIFFUSION_LOG, IMAGES, FIXTURES.resolve("performance.log"), log)) {
      boolean found = false;
      for (FileEvent event : events) {
        if (!event.isRegistration()
            && event.event() instanceof RequestEvent request
            && request.getRequestId().equals("d-3")) {
          found = true;
          assertThat(event.origin()).isEqualTo(log + ":4");
          assertThat(request.getStageSeconds()).as("joined from the other file").isNotEmpty();
        }
      }
      assertThat(found).isTrue();
    }
  }

  @Test
  void refusesTheFileWithItsName_whenNoTimeHasAZone() {
    Path log = FIXTURES.resolve("sglang-request-json.log");

    assertThatThrownBy(() -> read(FileFormat.SGLANG_LOG, AdapterSettings.of("llm"), log))
        .isInstanceOf(FileReadException.class)
        .hasMessageContaining(log.toString())
        .hasMessageContaining("--time-zone");
  }

  @Test
  void keepsOfARecordInADeadLetterNothingThatAUserWrote() throws Exception {
    Path log =
        Files.writeString(
            folder.resolve("m.log"),
            """
            {"id":"a","odd_member":"my secret prompt","request_parameters":"{\\"text\\":\\"my secret prompt\\"}"}
            {"id":"b","e2e_latency":-4,"text":"my secret prompt","request_finished_ts":1767000001.9}
            my secret prompt
            """);
    try (SortedEvents events = read(FileFormat.SGLANG_METRICS, AdapterSettings.of("llm"), log)) {
      assertThat(events.summary().rejectedByReason())
          .containsEntry("missing_field", 1L)
          .containsEntry("bad_value", 1L)
          .containsEntry("bad_json", 1L);
    }

    assertThat(letters).hasSize(3);
    assertThat(letters.toString()).doesNotContain("secret");
    assertThat(letters.get(1).getContent()).contains("\"request_id\":\"b\"");
    assertThat(letters.get(1).getDetail()).contains("latency_seconds");
    assertThat(letters.get(1).getLength())
        .isEqualTo(Files.readAllLines(log).get(1).getBytes(StandardCharsets.UTF_8).length);
    assertThat(letters.get(2).getOrigin()).isEqualTo(log + ":3");
  }

  @Test
  void tellsWhatWasLeftOut() throws Exception {
    try (SortedEvents events =
        read(
            FileFormat.SGLANG_METRICS,
            AdapterSettings.of("llm"),
            FIXTURES.resolve("sglang-metrics-0.4.log"))) {
      assertThat(events.summary().notes())
          .containsEntry("cached tokens above prompt tokens: their counts are left out", 1L);
    }
  }

  @Test
  void needsADeployment_whereRecordsNameNone() {
    assertThatThrownBy(
            () ->
                EventFiles.builder(
                        List.of(FIXTURES.resolve("vllm-spans.json")), FileFormat.VLLM, LATER)
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("deployment");
  }

  @Test
  void countsALineThatIsTooLong() throws IOException, FileReadException {
    Path log =
        Files.writeString(folder.resolve("l.log"), "{\"a\":\"" + "x".repeat(3_000_000) + "\"}\n");
    try (SortedEvents events = read(FileFormat.SGLANG_METRICS, AdapterSettings.of("llm"), log)) {
      assertThat(events.summary().rejectedByReason()).containsEntry("too_large", 1L);
    }
  }
}

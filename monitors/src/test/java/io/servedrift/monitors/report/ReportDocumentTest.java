package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportDocumentTest {
  private static final RunFacts FACTS = RecordedRun.facts(OutputLinks.NONE, Map.of("c1", "one"));

  private static List<String> fields(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void saysEverythingAboutTheRun_whenNothingWasFound() {
    ObjectNode document =
        Report.of(new RunRecorder(new MetricLayouts(), any -> true), FACTS).document();
    assertThat(fields(document))
        .containsExactly(
            "schema_version",
            "made_at",
            "partial",
            "range",
            "findings",
            "timelines",
            "serving_events",
            "names",
            "run",
            "left_out");
    assertThat(document.at("/range/from").isNull()).isTrue();
    assertThat(document.path("findings")).isEmpty();
    assertThat(fields(document.path("run")))
        .containsExactly("command", "versions", "settings", "policy_hash", "policy", "summary");
    assertThat(document.at("/run/policy_hash").asText()).isEqualTo(Policy.defaults().hash());
    assertThat(Policy.parse(document.at("/run/policy").asText(), "report"))
        .isEqualTo(Policy.defaults());
    assertThat(document.at("/run/command").asText()).contains("replay --file traffic.ndjson");
  }

  @Test
  void holdsAFindingWithItsCellsAndItsSeries() throws IOException {
    ObjectNode document =
        Report.of(
                HostileRun.recorded(),
                RecordedRun.facts(
                    OutputLinks.of("https://store.example/{request_id}"), Map.of("c1", "one")))
            .document();
    JsonNode finding = document.at("/findings/0");
    assertThat(fields(finding))
        .containsExactly(
            "finding",
            "history",
            "cells_state",
            "baseline_cells",
            "current_cells",
            "heat_map_of",
            "heat_map",
            "by_covariate",
            "distribution",
            "outputs",
            "kind",
            "onset_view",
            "worse");
    assertThat(finding.path("kind").asText()).isEqualTo("score");
    assertThat(finding.path("worse").asText()).isEqualTo("down");
    assertThat(finding.at("/outputs/1/url").asText())
        .isEqualTo("https://store.example/" + HostileRun.LONG);
    assertThat(document.at("/names/c1").asText()).isEqualTo("one");
    assertThat(document.at("/names").has("m1")).isFalse();
    assertThat(document.path("timelines")).hasSize(2);
    assertThat(document.at("/timelines/0/points")).hasSize(20);
    assertThat(document.at("/range/to").asText()).isEqualTo("1970-01-01T00:20:00Z");
  }

  @Test
  void writesBothFiles_overOlderOnes(@TempDir Path dir) throws IOException {
    Path folder = dir.resolve("a/b");
    Report report = Report.of(HostileRun.recorded(), FACTS);
    report.write(folder);
    report.write(folder);
    assertThat(folder).isDirectoryContaining("glob:**/report.html");
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder(Report.PAGE, Report.DOCUMENT);
    assertThat(Files.readString(folder.resolve(Report.DOCUMENT)))
        .contains("\"schema_version\" : 1");
  }
}

package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MappingTest {
  private static final String BASE =
      """
      fields:
        request_id: id
        deployment: {constant: d}
        finished_at: {column: t, time: epoch_s}
      """;

  @Test
  void namesEveryProblem_whenMappingIsWrong() {
    String yaml =
        """
        typ: request
        separator: ";;"
        fields:
          request_id: {colum: id}
          workload.step: steps
          finished_at: {column: t, time: "yyyy-MM-dd HH:mm"}
          latency_seconds: dur
          queue_seconds: {column: q, unit: minutes}
          status: {column: s, words: {OK: fine}}
          config.extra.a: {column: a, buckets: [4, 2]}
          config.extra.b: {column: b, above: 0, words: {x: y}}
          workload.width: {column: w, unit: s}
          workload.images: {constant: four}
          node: {column: n, unit: s}
        """;

    assertThatThrownBy(() -> Mapping.parse(yaml, "m.yaml"))
        .isInstanceOfSatisfying(
            MappingException.class,
            e ->
                assertThat(e.problems())
                    .containsExactlyInAnyOrder(
                        "typ: unknown key, did you mean type?",
                        "separator=;;: must be one character, not a quote or a line end",
                        "fields.request_id.colum: unknown key, did you mean column?",
                        "fields.request_id: must have exactly one of column, constant, row_clock",
                        "fields.workload.step: is no field of a request, did you mean"
                            + " workload.steps?",
                        "fields.finished_at: the pattern yyyy-MM-dd HH:mm has no zone: zone must"
                            + " be given",
                        "fields.latency_seconds: needs a unit, one of s, ms, us, ns, min, h",
                        "fields.queue_seconds.unit=minutes: must be s, ms, us, ns, min, h",
                        "fields.status.words.OK=\"fine\": must be one of ok, error, timeout,"
                            + " cancelled",
                        "fields.config.extra.a.buckets=[4,2]: must be rising numbers, such as [1,"
                            + " 2, 4, 8]",
                        "fields.config.extra.b: words and above exclude each other",
                        "fields.workload.width.unit=s: must be px",
                        "fields.workload.images.constant=\"four\": must be a whole number",
                        "fields.node.unit: does not fit: the field is text",
                        "fields: request_id is missing, a request needs it",
                        "fields: deployment is missing, a request needs it",
                        "fields: finished_at is missing, or arrived_at and latency_seconds in its"
                            + " place"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "[]", "fields: 3", "fields: {}", "a: b: c", "fields:\n  x: 1\n  x: 2\n"})
  void refuses_whenNotAMapping(String yaml) {
    assertThatThrownBy(() -> Mapping.parse(yaml, "m.yaml"))
        .isInstanceOf(MappingException.class)
        .hasMessageContaining("m.yaml");
  }

  @Test
  void refuses_whenOneFieldLiesInsideAnother() {
    assertThatThrownBy(() -> Mapping.parse(BASE + "  model.a: x\n  model.a.b: y\n", "m.yaml"))
        .hasMessageContaining("fields.model.a.b: lies inside model.a");
  }

  @Test
  void readsShippedExamples() throws Exception {
    try (var files = Files.list(Path.of("examples"))) {
      List<Path> examples = files.filter(f -> f.toString().endsWith(".yaml")).toList();
      assertThat(examples).hasSizeGreaterThanOrEqualTo(2);
      for (Path example : examples) {
        assertThat(Mapping.load(example).columns()).as(example.toString()).isNotEmpty();
      }
    }
  }

  @Test
  void documentsEveryKey() throws Exception {
    String readme = Files.readString(Path.of("README.md"));
    for (String key : FieldRuleParser.FIELD_KEYS) {
      assertThat(readme).contains("| `" + key + "` |");
    }
    for (String key : MappingParser.TOP_KEYS) {
      assertThat(readme).contains("| `" + key + "` |");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "s, 32.0, 32.0",
    "ms, 3410, 3.41",
    "us, 3410, 0.00341",
    "ns, 1, 1e-9",
    "min, 1.5, 90",
    "h, 0.5, 1800"
  })
  void convertsDurations(String unit, String cell, double seconds) throws Exception {
    ObjectNode event =
        map("  latency_seconds: {column: x, unit: " + unit + "}\n", Map.of("x", cell));
    assertThat(event.get("latency_seconds").doubleValue()).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({
    "0, <1",
    "1, 1",
    "2.0, 2-3",
    "3, 2-3",
    "4, 4-7",
    "7, 4-7",
    "8, 8+",
    "1000, 8+",
    "0.99, <1"
  })
  void labelsBuckets(String cell, String label) throws Exception {
    ObjectNode event =
        map("  config.extra.images: {column: x, buckets: [1, 2, 4, 8]}\n", Map.of("x", cell));
    assertThat(event.at("/config/extra/images").asText()).isEqualTo(label);
  }

  @ParameterizedTest
  @CsvSource({"0, false", "0.0, false", "1, true", "-1, false"})
  void derivesFlags(String cell, boolean flag) throws Exception {
    ObjectNode event = map("  config.extra.lora: {column: x, above: 0}\n", Map.of("x", cell));
    assertThat(event.at("/config/extra/lora").isBoolean()).isTrue();
    assertThat(event.at("/config/extra/lora").booleanValue()).isEqualTo(flag);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{column: x, time: iso}|2026-01-02T03:04:05.1234567+01:00|2026-01-02T03:04:05.1234567+01:00",
        "{column: x, time: iso, zone: Europe/Paris}|2026-01-02 03:04:05|2026-01-02T02:04:05Z",
        "{column: x, time: iso, zone: Europe/Paris}|2026-01-02T03:04:05Z|2026-01-02T03:04:05Z",
        "{column: x, time: epoch_s}|1700000000.25|2023-11-14T22:13:20.250Z",
        "{column: x, time: epoch_ms}|1700000000250|2023-11-14T22:13:20.250Z",
        "{column: x, time: yyyy-MM-dd HH:mm:ss, zone: UTC}|2024-11-15 16:57:50|2024-11-15T16:57:50Z",
        "{column: x, time: 'dd/MM/uuuu HH:mm XXX'}|15/11/2024 16:57 +08:00|2024-11-15T08:57:00Z",
        "{column: x, time: yyyy-MM-dd HH:mm:ss, zone: Europe/Paris}|2026-03-29 02:30:00"
            + "|2026-03-29T01:30:00Z",
        "{column: x, time: yyyy-MM-dd HH:mm:ss, zone: Europe/Paris}|2026-10-25 02:30:00"
            + "|2026-10-25T00:30:00Z",
      })
  void readsTimes(String rule, String cell, String expected) throws Exception {
    ObjectNode event = map("  arrived_at: " + rule + "\n", Map.of("x", cell));
    assertThat(event.get("arrived_at").asText()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "arrived_at|{column: x, time: yyyy-MM-dd HH:mm:ss, zone: UTC}|2024-02-30 00:00:00|bad_time",
        "arrived_at|{column: x, time: yyyy-MM-dd HH:mm:ss, zone: UTC}|2024-02-20|bad_time",
        "arrived_at|{column: x, time: epoch_s}|NaN|bad_time",
        "arrived_at|{column: x, time: epoch_s}|1e30|bad_time",
        "latency_seconds|{column: x, unit: s}|NaN|bad_value",
        "latency_seconds|{column: x, unit: s}|Infinity|bad_value",
        "latency_seconds|{column: x, unit: s}|1e999999999|bad_value",
        "latency_seconds|{column: x, unit: s}|'1,5'|bad_value",
        "workload.steps|x|30.5|bad_value",
        "workload.steps|x|many|bad_value",
        "synthetic|x|maybe|bad_value",
        "status|x|great|bad_value",
        "node|{column: x, part: {separator: _, index: 3}}|a_b|bad_value",
      })
  void rejectsRow_whenCellDoesNotFit(String path, String rule, String cell, String reason)
      throws Exception {
    RowMapper.Outcome outcome = outcome("  " + path + ": " + rule + "\n", Map.of("x", cell));
    assertThat(outcome)
        .isInstanceOfSatisfying(
            RowMapper.Outcome.Failed.class,
            failed -> {
              assertThat(failed.why().reason()).isEqualTo(reason);
              assertThat(failed.why().detail()).contains(path + " (column x)");
            });
  }

  @Test
  void leavesFieldOut_whenCellIsEmptyOrAbsent() throws Exception {
    ObjectNode event =
        map(
            "  workload.steps: x\n  node: y\n  workload.adapters: {column: z, list: '|'}\n",
            Map.of("x", " "));
    assertThat(event.has("workload")).isFalse();
    assertThat(event.has("node")).isFalse();
  }

  @Test
  void buildsListsPartsWordsAndConstants() throws Exception {
    ObjectNode event =
        map(
            """
              workload.adapters: {column: x, list: "|"}
              node: {column: n, part: {separator: "_", index: 1}}
              synthetic: {column: s, words: {"yes": true, "no": false}}
              config.batching.max_batch_size: {constant: 8}
              config.extra.level: {column: l, as: whole}
              scores.clip: {column: c, unit: percent}
            """,
            Map.of("x", "a| b|", "n", "gpu_7_x", "s", "yes", "l", "3.0", "c", "31.2"));

    assertThat(event.at("/workload/adapters").toString()).isEqualTo("[\"a\",\"b\"]");
    assertThat(event.get("node").asText()).isEqualTo("7");
    assertThat(event.get("synthetic").booleanValue()).isTrue();
    assertThat(event.at("/config/batching/max_batch_size").intValue()).isEqualTo(8);
    assertThat(event.at("/config/extra/level").isIntegralNumber()).isTrue();
    assertThat(event.at("/scores/clip").doubleValue()).isEqualTo(0.312);
  }

  @Test
  void placesRowsInTime_whenTheFileHasNone() throws Exception {
    RowMapper mapper =
        new RowMapper(
            Mapping.parse(
                """
                type: score
                fields:
                  request_id: id
                  deployment: {constant: d}
                  name: {constant: mos}
                  value: v
                  scored_at: {row_clock: {start: "2026-01-01T00:00:00Z", every_seconds: 1.5}}
                """,
                "m.yaml"));
    RowMapper.Outcome outcome = mapper.map(c -> TextNode.valueOf(c.equals("v") ? "3.5" : "r"), 3);
    assertThat(((RowMapper.Outcome.Mapped) outcome).event().toString())
        .isEqualTo(
            "{\"type\":\"score\",\"request_id\":\"r\",\"deployment\":\"d\",\"name\":\"mos\","
                + "\"value\":3.5,\"scored_at\":\"2026-01-01T00:00:04.500Z\"}");
  }

  private static ObjectNode map(String rules, Map<String, String> cells) throws Exception {
    RowMapper.Outcome outcome = outcome(rules, cells);
    assertThat(outcome).isInstanceOf(RowMapper.Outcome.Mapped.class);
    return ((RowMapper.Outcome.Mapped) outcome).event();
  }

  private static RowMapper.Outcome outcome(String rules, Map<String, String> cells)
      throws Exception {
    return new RowMapper(Mapping.parse(BASE + rules, "m.yaml"))
        .map(
            column -> {
              String cell =
                  column.equals("id") ? "r" : column.equals("t") ? "1" : cells.get(column);
              JsonNode node = cell == null ? null : TextNode.valueOf(cell);
              return node;
            },
            0);
  }
}

package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.PromptHash;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The table of fields in the README is what the adapters make of the fixtures. {@code
 * -Dservedrift.docs.write=true} writes it anew.
 */
class CoverageTableTest {
  private static final Path README = Path.of("README.md");
  private static final String START = "<!-- adapter-fields -->\n";
  private static final String END = "<!-- /adapter-fields -->";
  private static final Map<AdapterFormat, List<String>> FIXTURES = new LinkedHashMap<>();

  static {
    FIXTURES.put(
        AdapterFormat.SGLANG_METRICS,
        List.of("sglang-metrics-0.5.6.log", "sglang-metrics-0.4.log"));
    FIXTURES.put(AdapterFormat.SGLANG_LOG, List.of("sglang-text.log", "sglang-request-json.log"));
    FIXTURES.put(
        AdapterFormat.SGLANG_DIFFUSION_LOG,
        List.of("sglang-diffusion-json.log", "performance.log"));
    FIXTURES.put(AdapterFormat.SGLANG_PERF_LOG, List.of("performance.log"));
    FIXTURES.put(AdapterFormat.VLLM, List.of("vllm-responses-0.12.ndjson", "vllm-spans.json"));
    FIXTURES.put(
        AdapterFormat.KSERVE, List.of("kserve-structured-1.0.ndjson", "kserve-binary-kcat.ndjson"));
    FIXTURES.put(AdapterFormat.OTLP, List.of("otlp-genai-1.41.ndjson"));
  }

  @Test
  void isTheOneOfTheReadme() throws Exception {
    assertThat(FIXTURES.keySet()).containsExactlyInAnyOrder(AdapterFormat.values());
    String readme = Files.readString(README);
    int from = readme.indexOf(START) + START.length();
    int to = readme.indexOf(END);

    assertThat(readme).contains(START, END);
    if (Boolean.getBoolean("servedrift.docs.write")) {
      Files.writeString(README, readme.substring(0, from) + table() + readme.substring(to));
    } else {
      assertThat(readme.substring(from, to)).isEqualTo(table());
    }
  }

  private static String table() throws UnfitSourceException {
    Map<String, TreeSet<AdapterFormat>> formats = new TreeMap<>();
    for (Map.Entry<AdapterFormat, List<String>> e : FIXTURES.entrySet()) {
      for (String path : requestFields(e.getKey(), e.getValue())) {
        formats.computeIfAbsent(path, p -> new TreeSet<>()).add(e.getKey());
      }
    }
    StringBuilder table = new StringBuilder("| field of a request |");
    FIXTURES.keySet().forEach(format -> table.append(" `").append(format.label()).append("` |"));
    table.append("\n|---|").append("---|".repeat(FIXTURES.size())).append('\n');
    formats.forEach(
        (path, given) -> {
          table.append("| `").append(path).append("` |");
          FIXTURES.keySet().forEach(format -> table.append(given.contains(format) ? " x |" : " |"));
          table.append('\n');
        });
    return table.toString();
  }

  private static Set<String> requestFields(AdapterFormat format, List<String> fixtures)
      throws UnfitSourceException {
    PromptHash hash =
        PromptHash.of("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8));
    AdapterSettings settings =
        AdapterSettings.of("d").withZone(ZoneOffset.UTC).withPromptHash(hash);
    AdapterRun run = AdapterRun.of(format, settings, fixtures.toArray(String[]::new));
    Set<String> paths = new TreeSet<>();
    run.ofType("request").forEach(event -> leaves(event, "", paths));
    paths.removeAll(List.of("type", "deployment", "request_id", "finished_at", "status"));
    return paths;
  }

  private static void leaves(JsonNode node, String path, Set<String> into) {
    List<String> open = List.of("stage_seconds", "config", "model");
    if (!node.isObject() || open.contains(path)) {
      into.add(open.contains(path) ? path + ".*" : path);
      return;
    }
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    names.forEach(name -> leaves(node.get(name), path.isEmpty() ? name : path + "." + name, into));
  }
}

package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.servedrift.ingest.capture.ConfigCapture;
import io.servedrift.ingest.literal.PythonLiteral;
import io.servedrift.schemas.PromptHash;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Lines of all fixtures, mutated: no adapter throws, and what it gives is accepted or refused like
 * any event. In the suite 40,000 lines; {@code -Dservedrift.fuzz.lines=1000000} for a million, and
 * {@code -Dservedrift.fuzz.seed=N} for another seed.
 */
class MutatedLinesTest {
  private static final int LINES = Integer.getInteger("servedrift.fuzz.lines", 40_000);
  private static final long SEED = Long.getLong("servedrift.fuzz.seed", 20260920L);
  private static final List<AdapterFormat> FORMATS = List.of(AdapterFormat.values());
  private static final List<String> FILES =
      List.of(
          "sglang-metrics-0.5.6.log",
          "sglang-metrics-0.4.log",
          "sglang-diffusion-json.log",
          "performance.log",
          "sglang-text.log",
          "sglang-request-json.log",
          "vllm-responses-0.12.ndjson",
          "vllm-spans.json",
          "otlp-genai-1.41.ndjson",
          "kserve-structured-1.0.ndjson",
          "kserve-binary-kcat.ndjson");
  private static final String[] PIECES = {
    "null",
    "-1",
    "1e999",
    "NaN",
    "\"\"",
    "[]",
    "{}",
    "true",
    "99999999999999999999",
    "\\ud800",
    "'",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    ":",
    "\\",
    "0000-00-00 00:00:00",
    "+999999999-12-31T23:59:59.999999999Z",
    "torch.x",
    "...",
    "\u0000",
    "\uD83D",
    "%",
    "obj=",
    "out="
  };

  @Test
  void noLineThrows() {
    List<String> lines = new ArrayList<>();
    FILES.forEach(file -> lines.addAll(AdapterRun.lines(file)));
    Random random = new Random(SEED);
    PromptHash hash =
        PromptHash.of("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8));
    AdapterSettings settings =
        AdapterSettings.of("fuzzed").withZone(ZoneId.of("Europe/Berlin")).withPromptHash(hash);
    Map<AdapterFormat, Adapter> adapters = new EnumMap<>(AdapterFormat.class);
    long given = 0;
    for (int i = 0; i < LINES; i++) {
      String line = mutated(lines.get(random.nextInt(lines.size())), lines, random);
      AdapterFormat format = FORMATS.get(i % FORMATS.size());
      AdapterRun run = new AdapterRun();
      try {
        Adapter adapter = adapters.computeIfAbsent(format, f -> f.open(settings));
        byte[] content = line.getBytes(StandardCharsets.UTF_8);
        adapter.take(new SourceLine(content, 0, i), run);
        OtlpProtobuf.traces(content);
        ConfigCapture.ofLogLine("server_args=" + line);
        PythonLiteral.parse(line);
        if (i % 5_000 == 4_999) {
          adapters.remove(format).end(run);
        }
      } catch (UnfitSourceException e) {
        assertThat(e).hasMessageContaining("slow requests only");
      } catch (RuntimeException | StackOverflowError e) {
        fail("seed " + SEED + ", line " + i + ", " + format + ": " + line, e);
      }
      given += run.events.size();
    }
    // Most mutations leave something that is still an event: the property is about those as well.
    assertThat(given).isGreaterThan(LINES / 50);
  }

  private static String mutated(String line, List<String> lines, Random random) {
    StringBuilder text = new StringBuilder(line);
    int times = random.nextInt(4);
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(text.length() + 1);
      int to = Math.min(text.length(), at + random.nextInt(12));
      switch (random.nextInt(6)) {
        case 0 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
        case 1 -> text.replace(at, to, PIECES[random.nextInt(PIECES.length)]);
        case 2 -> text.delete(at, to);
        case 3 -> text.setLength(at);
        case 4 -> text.insert(at, (char) random.nextInt(0x10000));
        default -> {
          String other = lines.get(random.nextInt(lines.size()));
          int from = random.nextInt(other.length() + 1);
          text.insert(at, other.substring(from, Math.min(other.length(), from + 80)));
        }
      }
      value(text, random);
    }
    return text.toString();
  }

  /** Replaces the value of a random member: the mutation that keeps a line parseable. */
  private static void value(StringBuilder text, Random random) {
    int colon = text.indexOf("\":", random.nextInt(text.length() + 1));
    if (colon < 0) {
      return;
    }
    int end = colon + 2;
    while (end < text.length() && ",}]".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    text.replace(colon + 2, end, PIECES[random.nextInt(9)]);
  }
}

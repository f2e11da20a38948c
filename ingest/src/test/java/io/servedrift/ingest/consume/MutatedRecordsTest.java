package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/**
 * Records of a topic, headers and values mutated: reading them never throws, and what is given is
 * accepted or refused like any event. In the suite 20,000 of each kind; {@code
 * -Dservedrift.fuzz.lines=1000000} for a million, {@code -Dservedrift.fuzz.seed=N} for another
 * seed.
 */
class MutatedRecordsTest {
  private static final int RECORDS = Integer.getInteger("servedrift.fuzz.lines", 20_000);
  private static final long SEED = Long.getLong("servedrift.fuzz.seed", 20260920L);
  private static final long START = Instant.parse("2026-09-20T10:00:00Z").toEpochMilli();

  /** ExportTraceServiceRequest of one span {@code llm_request}, service.name=svc. */
  private static final byte[] SPAN =
      HexFormat.of()
          .parseHex(
              "0a580a170a150a0c736572766963652e6e616d6512050a03737663123d123b0a105b8efff798038103"
                  + "d269b633813fc60c1208eee19b7ec3c1b1742a0b6c6c6d5f72657175657374390061135c23a58518"
                  + "41002bae9723a58518");

  private static final String[] HEADERS = {
    "ce_id",
    "ce_type",
    "ce_time",
    "ce_specversion",
    "ce_source",
    "ce_inferenceservicename",
    "ce_namespace",
    "ce_component",
    "ce_endpoint",
    "content-type",
    "CE_ID",
    "ce_",
    ""
  };
  private static final String[] TEXTS = {
    "",
    "1.0",
    "org.kubeflow.serving.inference.request",
    "org.kubeflow.serving.inference.response",
    "2026-09-20T10:00:01Z",
    "+999999999-12-31T23:59:59.999999999Z",
    "2026-09-20T10:00:01",
    "predictor",
    "application/cloudevents+json",
    "application/json",
    "application/x-protobuf",
    "null",
    "\"",
    "\\",
    "\u0000",
    "\uD83D",
    "{",
    "a".repeat(300)
  };

  /** Checks every event like one of the contract. */
  private static final class Output implements AdapterOutput {
    private static final EventReader READER = new EventReader();
    int accepted;
    int rejected;

    @Override
    public void event(ObjectNode publicJson, SourceLine from) {
      if (READER.readJson(publicJson) instanceof Reading.Accepted) {
        accepted++;
      }
    }

    @Override
    public void skip(String reason, SourceLine from) {}

    @Override
    public void reject(String reason, List<Problem> problems, SourceLine from) {
      rejected++;
    }

    @Override
    public void note(String what) {}
  }

  private static Adapter adapter(AdapterFormat format) {
    return format.open(
        new AdapterSettings(
            Optional.of("fuzzed"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional::empty));
  }

  @Test
  void noCloudEventThrows() throws IOException {
    List<byte[]> bodies = bodies();
    Random random = new Random(SEED);
    Output out = new Output();
    Adapter adapter = adapter(AdapterFormat.KSERVE);
    for (int i = 0; i < RECORDS; i++) {
      Map<String, byte[]> headers = headers(random, i);
      byte[] value = bodies.get(random.nextInt(bodies.size()));
      value = random.nextInt(3) == 0 ? mutated(value, random) : value;
      give(new RecordHeaders(), headers, random.nextInt(40) == 0 ? null : value, i, adapter, out);
      if (i % 5_000 == 4_999) {
        adapter.pass(Instant.ofEpochMilli(START).plusSeconds(i * 3_600L), out);
      }
    }

    // Most mutations leave something that pairs: the property is about those as well.
    assertThat(out.accepted).isGreaterThan(RECORDS / 50);
    assertThat(out.rejected).isGreaterThan(RECORDS / 50);
  }

  @Test
  void noProtobufThrows() {
    Random random = new Random(SEED);
    Output out = new Output();
    Adapter adapter = adapter(AdapterFormat.OTLP);
    for (int i = 0; i < RECORDS; i++) {
      byte[] value = random.nextInt(20) == 0 ? SPAN : mutated(SPAN, random);
      give(new RecordHeaders(), Map.of(), value, i, adapter, out);
    }

    assertThat(out.accepted).isGreaterThan(RECORDS / 50);
    assertThat(out.rejected).isGreaterThan(RECORDS / 50);
  }

  private static void give(
      RecordHeaders all,
      Map<String, byte[]> headers,
      byte[] value,
      int number,
      Adapter adapter,
      Output out) {
    headers.forEach(all::add);
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "t",
            0,
            number,
            START,
            TimestampType.CREATE_TIME,
            0,
            value == null ? -1 : value.length,
            null,
            value,
            all,
            Optional.empty());
    try {
      byte[] line = RecordLine.of(record, adapterReadsCloudEvents(headers));
      assertThat(RecordLine.size(record)).isNotNegative();
      if (line != null) {
        adapter.take(new SourceLine(line, 0, number, Instant.ofEpochMilli(START)), out);
      }
    } catch (RuntimeException | StackOverflowError e) {
      fail("seed " + SEED + ", record " + number + ": " + headers.keySet(), e);
    }
  }

  private static boolean adapterReadsCloudEvents(Map<String, byte[]> headers) {
    return !headers.isEmpty();
  }

  /** Those of a request or response, of which some are changed, missing or more. */
  private static Map<String, byte[]> headers(Random random, int number) {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    headers.put("ce_specversion", bytes("1.0"));
    headers.put("ce_id", bytes("r-" + number / 2));
    headers.put("ce_type", bytes(TEXTS[2 + number % 2]));
    headers.put("ce_time", bytes(Instant.ofEpochMilli(START + number).toString()));
    headers.put("ce_inferenceservicename", bytes("s"));
    headers.put("content-type", bytes("application/json"));
    for (int times = random.nextInt(8) - 4; times > 0; times--) {
      String name = HEADERS[random.nextInt(HEADERS.length)];
      switch (random.nextInt(4)) {
        case 0 -> headers.remove(name);
        case 1 -> headers.put(name, null);
        case 2 -> headers.put(name, mutated(bytes("r-1 2026-09-20"), random));
        default -> headers.put(name, bytes(TEXTS[random.nextInt(TEXTS.length)]));
      }
    }
    return headers;
  }

  private static byte[] mutated(byte[] from, Random random) {
    byte[] bytes = from.clone();
    for (int times = 1 + random.nextInt(3); times > 0 && bytes.length > 0; times--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes = Arrays.copyOf(bytes, random.nextInt(4) == 0 ? at : bytes.length);
        default -> {
          int to = random.nextInt(bytes.length);
          System.arraycopy(
              bytes, at, bytes, to, Math.min(random.nextInt(9), bytes.length - Math.max(at, to)));
        }
      }
    }
    return bytes;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Bodies of runtimes, and whole events in structured mode. */
  private static List<byte[]> bodies() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String file : List.of("kserve-structured-1.0.ndjson", "vllm-responses-0.12.ndjson")) {
      try (InputStream in = MutatedRecordsTest.class.getResourceAsStream("/adapters/" + file)) {
        all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8)).append('\n');
      }
    }
    return all.toString().lines().map(MutatedRecordsTest::bytes).toList();
  }
}

package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.avro.specific.SpecificRecord;

/**
 * Properties over arbitrary records, made from the schemas alone: a new field is covered without a
 * change here.
 */
class RoundTripTest {
  private final EventReader reader = new EventReader();

  @Provide
  Arbitrary<SpecificRecord> records() {
    return Arbitraries.of(EventType.values())
        .flatMap(t -> Arbitraries.randomValue(random -> record(t.plan(), random)));
  }

  @Provide
  Arbitrary<SpecificRecord> validEvents() {
    return Arbitraries.of(Arrays.stream(EventType.values()).filter(EventType::isInput).toList())
        .flatMap(t -> Arbitraries.randomValue(random -> valid(record(t.plan(), random), random)));
  }

  @Property
  void decodesWhatWasEncoded(@ForAll("records") SpecificRecord record) {
    assertThat(EventCodec.decode(EventCodec.encode(record))).isEqualTo(record);
  }

  @Property
  void readsJsonBackToAnEqualEvent(@ForAll("validEvents") SpecificRecord event) {
    Reading.Accepted reading =
        accepted(reader.read(EventJson.write(event).getBytes(StandardCharsets.UTF_8)));
    assertThat(reading.event()).isEqualTo(event);
    assertThat(reading.unknownFields()).isZero();
  }

  @Property
  void readsAvroBackToAnEqualEvent(@ForAll("validEvents") SpecificRecord event) {
    assertThat(accepted(reader.read(EventCodec.encode(event))).event()).isEqualTo(event);
  }

  @Property
  void judgesJsonAndAvroAlike(@ForAll("records") SpecificRecord record) {
    if (record instanceof ConfigRecord || !EventType.of(record).isInput()) {
      return;
    }
    boolean json = reader.readJson(EventJson.toJson(record)) instanceof Reading.Accepted;
    boolean avro = reader.read(EventCodec.encode(record)) instanceof Reading.Accepted;
    assertThat(json).isEqualTo(avro);
  }

  @Property(tries = 2000)
  void neverThrows_forArbitraryBytes(@ForAll byte[] bytes, @ForAll("prefixes") byte[] prefix) {
    byte[] payload = Arrays.copyOf(prefix, prefix.length + bytes.length);
    System.arraycopy(bytes, 0, payload, prefix.length, bytes.length);
    if (reader.read(payload) instanceof Reading.Rejected r) {
      assertThat(r.problems()).isNotEmpty();
      assertThat(DeadLetters.of(payload, r, "test", Instant.EPOCH, false).getLength())
          .isEqualTo(payload.length);
    }
  }

  @Provide
  Arbitrary<byte[]> prefixes() {
    List<byte[]> all = new ArrayList<>();
    all.add(new byte[0]);
    all.add(new byte[] {0});
    all.add("{".getBytes(StandardCharsets.UTF_8));
    all.add("{\"type\":\"request\",\"x\":".getBytes(StandardCharsets.UTF_8));
    for (EventType t : EventType.values()) {
      all.add(Arrays.copyOf(EventCodec.encode(Samples.small(t)), 10));
    }
    return Arbitraries.of(all);
  }

  @Property(tries = 2000)
  void neverThrows_forDamagedEvents(
      @ForAll("validEvents") SpecificRecord event, @ForAll Random random) {
    byte[] avro = EventCodec.encode(event);
    byte[] json = EventJson.write(event).getBytes(StandardCharsets.UTF_8);
    for (byte[] payload : List.of(avro, json)) {
      for (int i = 0; i < 4; i++) {
        payload[random.nextInt(payload.length)] = (byte) random.nextInt(256);
      }
      assertThat(reader.read(payload)).isNotNull();
    }
  }

  private static SpecificRecord valid(SpecificRecord record, Random random) {
    if (record instanceof RequestEvent e) {
      e.setDeployment(printable(e.getDeployment()));
      e.setRequestId(printable(e.getRequestId()));
      e.setConfigId(printable(e.getConfigId()));
      e.setModelId(printable(e.getModelId()));
      Double latency = e.getLatencySeconds();
      if (latency == null && e.getScores().isEmpty() && e.getStatus() == RequestStatus.OK) {
        latency = 1.5;
        e.setLatencySeconds(latency);
      }
      e.setArrivedAt(
          latency == null || random.nextBoolean()
              ? null
              : e.getFinishedAt().minus((long) (latency * 1e6), ChronoUnit.MICROS));
      if (e.getArrivedAt() != null && !TimeText.isPlausible(e.getArrivedAt())) {
        e.setArrivedAt(null);
      }
      double whole = latency == null ? 86400 : latency;
      e.setQueueSeconds(least(e.getQueueSeconds(), whole));
      e.setInferenceSeconds(least(e.getInferenceSeconds(), whole));
      e.setTimeToFirstTokenSeconds(least(e.getTimeToFirstTokenSeconds(), whole));
      e.getStageSeconds().replaceAll((k, v) -> Math.min(v, whole));
      EventRules.settleCache(e);
    } else if (record instanceof ConfigRecord c) {
      ConfigFingerprint.Fingerprint config = ConfigFingerprint.ofConfig(config(random));
      ConfigFingerprint.Fingerprint model =
          ConfigFingerprint.ofModel(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("name", text(random, 9))
                  .put("path", text(random, 9)));
      c.setConfigId(config.isKnown() ? config.id() : null);
      c.setCounted(config.isKnown() ? config.counted() : null);
      c.setNotCounted(
          config.isKnown() && !config.notCounted().equals("{}") ? config.notCounted() : null);
      boolean both = !config.isKnown() || random.nextBoolean();
      c.setModelId(both ? model.id() : null);
      c.setModel(both ? model.counted() : null);
      c.setModelNotCounted(both ? model.notCounted() : null);
    }
    return record;
  }

  private static String printable(String name) {
    String printable = name.replaceAll("\\p{Cntrl}", "_");
    return printable.equals("*") ? "+" : printable;
  }

  private static Double least(Double value, double most) {
    return value == null ? null : (Double) Math.min(value, most);
  }

  private static final String[] NAMES = {
    "runtime",
    "batching",
    "max_batch_size",
    "extra",
    "port",
    "cache",
    "denoise",
    "name",
    "colour",
    "é",
    "mode"
  };

  private static ObjectNode config(Random random) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    for (int i = random.nextInt(5); i >= 0; i--) {
      String name = NAMES[random.nextInt(NAMES.length)];
      JsonNode value = configValue(random, 0);
      // These hold named leaves: anything but an object there is refused.
      boolean axis = List.of("runtime", "batching", "cache").contains(name);
      node.set(
          name,
          axis && !value.isObject()
              ? JsonNodeFactory.instance.objectNode().set("mode", value)
              : value);
    }
    return node;
  }

  private static JsonNode configValue(Random random, int depth) {
    JsonNodeFactory f = JsonNodeFactory.instance;
    return switch (random.nextInt(depth > 4 ? 5 : 8)) {
      case 0 -> f.nullNode();
      case 1 -> f.booleanNode(random.nextBoolean());
      case 2 -> f.numberNode(random.nextInt());
      case 3 -> f.numberNode(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
      case 4 -> f.textNode(text(random, 6));
      case 5 -> {
        ArrayNode list = f.arrayNode();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(configValue(random, depth + 1));
        }
        yield list;
      }
      default -> {
        ObjectNode node = f.objectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
          node.set(NAMES[random.nextInt(NAMES.length)], configValue(random, depth + 1));
        }
        yield node;
      }
    };
  }

  private static SpecificRecord record(RecordPlan plan, Random random) {
    SpecificRecord r = plan.newRecord();
    for (RecordPlan.Field f : plan.fields) {
      if (!f.nullable() || random.nextBoolean()) {
        r.put(f.pos(), value(f.value(), random));
      }
    }
    return r;
  }

  private static Object value(ValuePlan v, Random random) {
    return switch (v.kind) {
      case BOOLEAN -> random.nextBoolean();
      case INT -> (int) between(random, v);
      case LONG ->
          v.min < -1 ? (Object) random.nextLong() : (Object) (random.nextLong() & Long.MAX_VALUE);
      case DOUBLE -> between(random, v);
      case STRING -> text(random, Math.min(v.maxLength, 20));
      case BYTES -> ByteBuffer.wrap(text(random, 20).getBytes(StandardCharsets.UTF_8));
      case TIME ->
          Instant.parse("2000-01-02T00:00:00Z")
              .plus((long) (random.nextDouble() * 3.15e15), ChronoUnit.MICROS);
      case ENUM -> v.words.values().toArray()[random.nextInt(v.words.size())];
      case RECORD -> record(v.record, random);
      case ARRAY -> {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(value(v.element, random));
        }
        yield list;
      }
      case MAP -> {
        Map<String, Object> map = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          map.put(text(random, 10), value(v.element, random));
        }
        yield map;
      }
    };
  }

  /** Edges and everyday values more often than a uniform draw would give. */
  private static double between(Random random, ValuePlan v) {
    return switch (random.nextInt(6)) {
      case 0 -> v.min;
      case 1 -> v.max;
      case 2 -> Math.min(v.max, Math.max(v.min, 0));
      case 3 -> Math.min(v.max, Math.max(v.min, random.nextInt(100)));
      default -> Math.min(v.max, Math.max(v.min, random.nextGaussian() * 50));
    };
  }

  /** One character at least; no half characters. */
  private static String text(Random random, int longest) {
    StringBuilder s = new StringBuilder();
    int length = 1 + random.nextInt(longest);
    while (s.length() < length) {
      int c =
          switch (random.nextInt(8)) {
            case 0 -> random.nextInt(0x20);
            case 1 -> 0xA0 + random.nextInt(0x2000);
            case 2 -> s.length() + 2 <= length ? 0x1F600 + random.nextInt(64) : '"';
            default -> 0x20 + random.nextInt(0x5f);
          };
      s.appendCodePoint(c);
    }
    return s.toString();
  }
}

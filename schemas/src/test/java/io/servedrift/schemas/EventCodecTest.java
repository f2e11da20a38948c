package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Tick;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EventCodecTest {
  private static final Instant T = Instant.parse("2026-11-30T10:00:00.000001Z");

  @Test
  void writesTheHeaderOfTheSpecification() throws IOException {
    SpecificRecord tick = new Tick(T);
    ByteBuffer avros =
        new BinaryMessageEncoder<>(new Tick().getSpecificData(), Tick.getClassSchema())
            .encode(tick);
    byte[] expected = new byte[avros.remaining()];
    avros.get(expected);
    assertThat(EventCodec.encode(tick)).isEqualTo(expected);
    assertThat(ByteBuffer.wrap(expected).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(2))
        .isEqualTo(SchemaNormalization.parsingFingerprint64(Tick.getClassSchema()));
  }

  @ParameterizedTest
  @EnumSource
  void decodesEveryRecord(EventType type) {
    for (SpecificRecord r : List.of(Samples.full(type), Samples.small(type))) {
      SpecificRecord back = EventCodec.decode(EventCodec.encode(r));
      assertThat(back).isEqualTo(r).isNotSameAs(r).hasSameClassAs(r);
    }
  }

  @Test
  void refusesOtherBytes() {
    assertThatThrownBy(
            () -> EventCodec.decode("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
        .isInstanceOf(MalformedEventException.class)
        .extracting(e -> ((MalformedEventException) e).reason())
        .isEqualTo(RejectReason.UNKNOWN_FORMAT);
  }

  @Test
  void allocatesNothingForLengthsThatLie() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder e = EncoderFactory.get().directBinaryEncoder(out, null);
    e.writeLong(Integer.MAX_VALUE - 8); // length of request_id
    byte[] header = Arrays.copyOf(EventCodec.encode(Samples.small(EventType.REQUEST)), 10);
    byte[] lie = Arrays.copyOf(header, header.length + out.size());
    System.arraycopy(out.toByteArray(), 0, lie, 10, out.size());
    assertThatThrownBy(() -> EventCodec.decode(lie)).isInstanceOf(MalformedEventException.class);

    // A block of two thousand million entries, in the array and in the map form.
    for (EventType type : List.of(EventType.PANE, EventType.SERVING_EVENT, EventType.ALERT)) {
      byte[] good = EventCodec.encode(Samples.small(type));
      for (int at = 10; at < good.length; at++) {
        byte[] bad = Arrays.copyOf(good, good.length + 5);
        System.arraycopy(new byte[] {-2, -1, -1, -1, 15}, 0, bad, at, 5);
        try {
          EventCodec.decode(bad);
        } catch (MalformedEventException expected) {
          assertThat(expected.reason()).isNotNull();
        }
      }
    }
  }

  @Test
  void readsWhatANewerReleaseWrote_throughARegistry() throws IOException {
    Schema newer =
        new Schema.Parser()
            .parse(
                "{\"type\":\"record\",\"name\":\"ScoreEvent\",\"namespace\":\"io.servedrift.schemas.avro\",\"fields\":["
                    + "{\"name\":\"request_id\",\"type\":\"string\"},{\"name\":\"mood\",\"type\":[\"null\",\"string\"],\"default\":null},"
                    + "{\"name\":\"deployment\",\"type\":\"string\"},{\"name\":\"tags\",\"type\":{\"type\":\"array\",\"items\":\"string\"},\"default\":[]},"
                    + "{\"name\":\"extra\",\"type\":{\"type\":\"map\",\"values\":\"bytes\"},\"default\":{}},"
                    + "{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"value\",\"type\":\"double\"},"
                    + "{\"name\":\"scored_at\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}}]}");
    GenericRecord r = new GenericData.Record(newer);
    r.put("request_id", "r");
    r.put("mood", "good");
    r.put("deployment", "d");
    r.put("tags", List.of("a", "b"));
    r.put("extra", java.util.Map.of("k", ByteBuffer.wrap(new byte[3])));
    r.put("name", "clip");
    r.put("value", 0.5);
    r.put("scored_at", 1_796_032_803_000_000L);

    EventReader reader = new EventReader(ReadLimits.DEFAULT, id -> id == 258 ? newer : null);
    Reading.Accepted a = Given.accepted(reader.read(framed(258, newer, r)));

    ScoreEvent score = (ScoreEvent) a.event();
    assertThat(score.getName()).isEqualTo("clip");
    assertThat(score.getScorer()).isNull();
    assertThat(score.getScoredAt()).isEqualTo(Instant.parse("2026-11-30T10:00:03Z"));
    assertThat(Given.rejected(reader.read(framed(7, newer, r))).detail())
        .isEqualTo("(item)=schema id 7: must be known to the schema registry");
  }

  @Test
  void readsNewSymbolAsUnknown() throws IOException {
    String text =
        RequestEvent.getClassSchema().toString().replace("\"CANCELLED\"", "\"CANCELLED\",\"SHED\"");
    Schema newer = new Schema.Parser().parse(text);
    RequestEvent old = (RequestEvent) Samples.small(EventType.REQUEST);
    old.setStatus(RequestStatus.ERROR);
    old.setFinishedAt(T);
    byte[] bytes = EventCodec.encode(old);
    GenericRecord r =
        (GenericRecord)
            new org.apache.avro.generic.GenericDatumReader<>(RequestEvent.getClassSchema(), newer)
                .read(
                    null,
                    org.apache.avro.io.DecoderFactory.get()
                        .binaryDecoder(bytes, 10, bytes.length - 10, null));
    r.put("status", new GenericData.EnumSymbol(newer.getField("status").schema(), "SHED"));

    Reading.Accepted a =
        Given.accepted(new EventReader(ReadLimits.DEFAULT, id -> newer).read(framed(1, newer, r)));
    assertThat(((RequestEvent) a.event()).getStatus()).isEqualTo(RequestStatus.UNKNOWN);
  }

  @Test
  void saysUnknownSchema_whenRegisteredSchemaCannotBeRead() throws IOException {
    Schema other = Schema.createRecord("Other", null, "x", false, List.of());
    assertThat(
            Given.rejected(reader(other).read(framed(1, other, new GenericData.Record(other))))
                .reason())
        .isEqualTo("unknown_schema");
    Schema clash =
        Schema.createRecord(
            "Tick",
            null,
            "io.servedrift.schemas.avro",
            false,
            List.of(new Schema.Field("at", Schema.create(Schema.Type.STRING))));
    GenericRecord r = new GenericData.Record(clash);
    r.put("at", "now");
    assertThat(Given.rejected(reader(clash).read(framed(1, clash, r))).reason())
        .isEqualTo("unknown_schema");
  }

  @Test
  void saysUnavailable_whenRegistryFails() {
    EventReader failing =
        new EventReader(
            ReadLimits.DEFAULT,
            id -> {
              throw new IOException("down");
            });
    assertThat(Given.rejected(failing.read(new byte[] {0, 0, 0, 0, 1, 0})).reason())
        .isEqualTo("registry_unavailable");
  }

  private static EventReader reader(Schema schema) {
    return new EventReader(ReadLimits.DEFAULT, id -> schema);
  }

  private static byte[] framed(int id, Schema schema, GenericRecord r) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0);
    out.write(ByteBuffer.allocate(4).putInt(id).array());
    BinaryEncoder e = EncoderFactory.get().directBinaryEncoder(out, null);
    new GenericDatumWriter<GenericRecord>(schema).write(r, e);
    return out.toByteArray();
  }

  @Test
  void worksFromManyThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 200; i++) {
                    for (EventType type : EventType.values()) {
                      SpecificRecord r = Samples.full(type);
                      if (!EventCodec.decode(EventCodec.encode(r)).equals(r)) {
                        return false;
                      }
                    }
                  }
                  return true;
                }));
      }
      for (Future<Boolean> f : all) {
        assertThat(f.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}

package io.servedrift.schemas;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Events as bytes: Avro single-object encoding, {@code C3 01}, the CRC-64-AVRO fingerprint of the
 * writer's schema (little-endian), the body (Avro 1.12 specification). What any release wrote is
 * read as the current record. Thread-safe; decoded records are never reused.
 */
public final class EventCodec {
  private static final int HEADER = 10;
  private static final SpecificData MODEL = model();
  private static final ThreadLocal<Tools> TOOLS = ThreadLocal.withInitial(Tools::new);

  private EventCodec() {}

  /**
   * Encodes a record of {@link EventType}.
   *
   * @throws org.apache.avro.AvroRuntimeException when a field that must not be null is null
   */
  public static byte[] encode(SpecificRecord record) {
    return TOOLS.get().encode(record);
  }

  /**
   * Decodes single-object encoding. Checks the form only, not the constraints: that is {@link
   * EventReader}.
   *
   * @throws MalformedEventException for every other payload
   */
  public static SpecificRecord decode(byte[] bytes) {
    if (WireFormat.detect(bytes) != WireFormat.SINGLE_OBJECT || bytes.length < HEADER) {
      throw new MalformedEventException(
          RejectReason.UNKNOWN_FORMAT,
          "not Avro single-object encoding: must start with C3 01 and 8 bytes of fingerprint",
          null);
    }
    long fingerprint = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(2);
    Tools tools = TOOLS.get();
    DatumReader<SpecificRecord> reader = tools.byFingerprint.get(fingerprint);
    if (reader == null) {
      Schema writer = SchemaCatalog.byFingerprint(fingerprint);
      if (writer == null) {
        throw new MalformedEventException(
            RejectReason.UNKNOWN_SCHEMA,
            "schema fingerprint "
                + Long.toHexString(fingerprint)
                + ": not of any release up to this one",
            null);
      }
      reader = reader(writer);
      tools.byFingerprint.put(fingerprint, reader);
    }
    return tools.read(reader, bytes, HEADER);
  }

  /** Decodes a body that was written with the given schema, from the given position. */
  static SpecificRecord decode(Schema writer, byte[] bytes, int from) {
    Tools tools = TOOLS.get();
    DatumReader<SpecificRecord> reader = tools.bySchema.get(writer);
    if (reader == null) {
      reader = reader(writer);
      tools.bySchema.put(writer, reader);
    }
    return tools.read(reader, bytes, from);
  }

  private static DatumReader<SpecificRecord> reader(Schema writer) {
    EventType type = EventType.ofSchemaName(writer.getFullName());
    if (type == null) {
      throw new MalformedEventException(
          RejectReason.UNKNOWN_SCHEMA,
          "schema " + writer.getFullName() + ": must be a servedrift record",
          null);
    }
    return new SpecificDatumReader<>(writer, type.schema(), MODEL);
  }

  private static SpecificData model() {
    AvroTrust.grant();
    SpecificData model = new SpecificData(EventCodec.class.getClassLoader());
    model.addLogicalTypeConversion(new TimeConversions.TimestampMicrosConversion());
    model.setFastReaderEnabled(true);
    return model;
  }

  /** What one thread needs to read and write. */
  private static final class Tools {
    /**
     * Schemas of a registry are foreign: a producer that registers one per message must not fill
     * the heap.
     */
    private static final int MAX_FOREIGN = 256;

    private final Map<Long, DatumReader<SpecificRecord>> byFingerprint = new HashMap<>();
    private final Map<Schema, DatumReader<SpecificRecord>> bySchema =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(
              Map.Entry<Schema, DatumReader<SpecificRecord>> eldest) {
            return size() > MAX_FOREIGN;
          }
        };
    private final Map<EventType, SpecificDatumWriter<SpecificRecord>> writers =
        new EnumMap<>(EventType.class);
    private final ByteDecoder decoder = new ByteDecoder();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    private @Nullable BinaryEncoder encoder;

    byte[] encode(SpecificRecord record) {
      EventType type = EventType.of(record);
      out.reset();
      out.write(0xC3);
      out.write(1);
      long fingerprint = type.fingerprint();
      for (int shift = 0; shift < 64; shift += 8) {
        out.write((int) (fingerprint >>> shift));
      }
      encoder = EncoderFactory.get().binaryEncoder(out, encoder);
      try {
        writers
            .computeIfAbsent(type, t -> new SpecificDatumWriter<>(t.schema(), MODEL))
            .write(record, encoder);
        encoder.flush();
      } catch (IOException e) {
        throw new UncheckedIOException("an array cannot fail", e);
      }
      return out.toByteArray();
    }

    SpecificRecord read(DatumReader<SpecificRecord> reader, byte[] bytes, int from) {
      SpecificRecord record;
      try {
        record = reader.read(null, decoder.reset(bytes, from));
      } catch (IOException | RuntimeException e) {
        throw new MalformedEventException(
            e instanceof org.apache.avro.AvroTypeException && !(e.getCause() instanceof IOException)
                ? RejectReason.UNKNOWN_SCHEMA
                : RejectReason.BAD_AVRO,
            "the body does not fit its schema: " + e.getClass().getSimpleName(),
            e);
      }
      if (decoder.remaining() > 0) {
        throw new MalformedEventException(
            RejectReason.BAD_AVRO,
            decoder.remaining() + " bytes after the end of the record",
            null);
      }
      return record;
    }
  }
}

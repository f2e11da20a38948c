package io.servedrift.monitors.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.avro.AvroTypeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.Encoder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * How a record of Kafka stands in a container file: offset, timestamp, key, value and headers as
 * they were; topic and partition are those of the file. The value stays the bytes that were sent,
 * so that a replay reads, rejects and compares what the live monitor did. Both sides are not
 * thread-safe.
 */
final class RecordFormat {
  /** Never changed: a later form gets another name. */
  static final Schema SCHEMA =
      new Schema.Parser()
          .parse(
              """
              {"type":"record","name":"ArchivedRecord","namespace":"io.servedrift.archive",
               "doc":"One Kafka record; topic and partition are in the metadata of the file.",
               "fields":[
                {"name":"offset","type":"long"},
                {"name":"timestamp","type":{"type":"long","logicalType":"timestamp-millis"},
                 "doc":"Event time."},
                {"name":"key","type":["null","bytes"],"default":null},
                {"name":"value","type":["null","bytes"],"default":null,
                 "doc":"As sent: Avro single-object encoding (C3 01, fingerprint, body) or JSON."},
                {"name":"headers","default":[],"type":{"type":"array","items":
                 {"type":"record","name":"ArchivedHeader","fields":[
                  {"name":"key","type":"string"},
                  {"name":"value","type":["null","bytes"],"default":null}]}}}]}
              """);

  /** CRC-64-AVRO of the canonical form, 16 hex digits. */
  static final String FINGERPRINT =
      String.format("%016x", SchemaNormalization.parsingFingerprint64(SCHEMA));

  private static final int NULL = 0;
  private static final int PRESENT = 1;

  private RecordFormat() {}

  /** Writes records; see {@link RecordFormat}. */
  static final class Writer implements DatumWriter<ConsumerRecord<byte[], byte[]>> {
    @Override
    public void setSchema(Schema schema) {
      require(schema);
    }

    @Override
    public void write(ConsumerRecord<byte[], byte[]> record, Encoder out) throws IOException {
      out.writeLong(record.offset());
      out.writeLong(record.timestamp());
      bytes(record.key(), out);
      bytes(record.value(), out);
      out.writeArrayStart();
      Header[] headers = record.headers().toArray();
      out.setItemCount(headers.length);
      for (Header header : headers) {
        out.startItem();
        out.writeString(header.key());
        bytes(header.value(), out);
      }
      out.writeArrayEnd();
    }

    private static void bytes(byte @Nullable [] value, Encoder out) throws IOException {
      if (value == null) {
        out.writeIndex(NULL);
        out.writeNull();
      } else {
        out.writeIndex(PRESENT);
        out.writeBytes(value);
      }
    }
  }

  /** Reads records of one topic partition; see {@link RecordFormat}. */
  static final class Reader implements DatumReader<ConsumerRecord<byte[], byte[]>> {
    private final String topic;
    private final int partition;

    Reader(String topic, int partition) {
      this.topic = topic;
      this.partition = partition;
    }

    @Override
    public void setSchema(Schema schema) {
      require(schema);
    }

    @Override
    public ConsumerRecord<byte[], byte[]> read(
        @Nullable ConsumerRecord<byte[], byte[]> reuse, Decoder in) throws IOException {
      long offset = in.readLong();
      long timestamp = in.readLong();
      byte[] key = bytes(in);
      byte[] value = bytes(in);
      RecordHeaders headers = new RecordHeaders();
      for (long n = in.readArrayStart(); n != 0; n = in.arrayNext()) {
        for (long i = 0; i < n; i++) {
          headers.add(in.readString(), bytes(in));
        }
      }
      return new ConsumerRecord<>(
          topic,
          partition,
          offset,
          timestamp,
          TimestampType.CREATE_TIME,
          key == null ? ConsumerRecord.NULL_SIZE : key.length,
          value == null ? ConsumerRecord.NULL_SIZE : value.length,
          key,
          value,
          headers,
          Optional.empty());
    }

    private static byte @Nullable [] bytes(Decoder in) throws IOException {
      if (in.readIndex() == NULL) {
        in.readNull();
        return null;
      }
      ByteBuffer buffer = in.readBytes(null);
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      return bytes;
    }
  }

  private static void require(Schema schema) {
    if (SchemaNormalization.parsingFingerprint64(schema)
        != SchemaNormalization.parsingFingerprint64(SCHEMA)) {
      throw new AvroTypeException(
          "schema " + schema.getFullName() + ": must be " + SCHEMA.getFullName() + " of archive");
    }
  }
}

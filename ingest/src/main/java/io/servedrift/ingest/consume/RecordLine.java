package io.servedrift.ingest.consume;

import io.servedrift.ingest.adapters.BinaryCloudEvent;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A record as a line of the file format: its value; where CloudEvents are read, of one in binary
 * mode (Kafka protocol binding for CloudEvents 1.0.2, 3.2) value and attributes together.
 */
final class RecordLine {
  private static final String STRUCTURED = "application/cloudevents";
  private static final byte[] NOTHING = {};

  private RecordLine() {}

  /**
   * The line; null when the record has nothing to say.
   *
   * @param cloudEvents whether the format is that of CloudEvents
   */
  static byte @Nullable [] of(ConsumerRecord<byte[], byte[]> record, boolean cloudEvents) {
    byte[] value = record.value();
    if (cloudEvents) {
      Map<String, String> headers = headers(record);
      boolean structured = headers.getOrDefault("content-type", "").startsWith(STRUCTURED);
      if (!structured && headers.containsKey("ce_specversion")) {
        return BinaryCloudEvent.line(headers, value == null ? NOTHING : value);
      }
    }
    return value == null || isBlank(value) ? null : value;
  }

  private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      if (header.value() != null) {
        headers.put(
            header.key().toLowerCase(Locale.ROOT),
            new String(header.value(), StandardCharsets.UTF_8));
      }
    }
    return headers;
  }

  private static boolean isBlank(byte[] value) {
    for (byte b : value) {
      if (!Character.isWhitespace(b)) {
        return false;
      }
    }
    return true;
  }

  /** Bytes of value and headers, before they are decoded. */
  static long size(ConsumerRecord<byte[], byte[]> record) {
    long size = Math.max(0, record.serializedValueSize());
    for (Header header : record.headers()) {
      size += header.key().length() + (header.value() == null ? 0 : header.value().length);
    }
    return size;
  }
}

package io.servedrift.ingest.files;

import io.servedrift.schemas.EventCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** Short hashes by which rows that occur again are found. */
final class ContentHash {
  private static final List<String> ID_FIELDS =
      List.of("request_id", "event_id", "eval_id", "decision_id");

  private ContentHash() {}

  /** Hash of all cells but one. */
  static long ofCells(List<String> cells, int exceptIndex) {
    MessageDigest digest = LineReader.sha256();
    for (int i = 0; i < cells.size(); i++) {
      if (i != exceptIndex) {
        byte[] cell = cells.get(i).getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(4).putInt(0, cell.length));
        digest.update(cell);
      }
    }
    return shortened(digest);
  }

  static long ofText(String text) {
    MessageDigest digest = LineReader.sha256();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return shortened(digest);
  }

  /** Hash of an event as if it had no id. */
  static long ofEvent(SpecificRecord event) {
    Schema.Field field = idField(event);
    MessageDigest digest = LineReader.sha256();
    if (field == null) {
      digest.update(EventCodec.encode(event));
      return shortened(digest);
    }
    Object id = event.get(field.pos());
    event.put(field.pos(), "");
    digest.update(EventCodec.encode(event));
    event.put(field.pos(), id);
    return shortened(digest);
  }

  /** Hash of the identity of an event within everything else it says. */
  static long ofId(SpecificRecord event) {
    Schema.Field field = idField(event);
    return ofText(field == null ? "" : String.valueOf(event.get(field.pos())));
  }

  private static Schema.@Nullable Field idField(SpecificRecord event) {
    for (String name : ID_FIELDS) {
      Schema.Field field = event.getSchema().getField(name);
      if (field != null) {
        return field;
      }
    }
    return null;
  }

  private static long shortened(MessageDigest digest) {
    long hash = ByteBuffer.wrap(digest.digest()).getLong();
    return hash == SortEntry.NOT_COMPARED ? 1 : hash;
  }
}

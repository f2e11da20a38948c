package io.servedrift.ingest.publish;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.Output;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Workload;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * What an event that is not encoded yet holds of the buffer: an upper bound of its encoded size (of
 * a request with its key; the keys of others are short), up to three times as much for text that is
 * not ASCII and more for maps of small values, and near to its size on the heap. Requests are
 * weighed field by field, because a thread that serves one waits for it; whatever else there is by
 * a walk over its schema, which costs ten times as much when caches are cold.
 */
final class EventWeight {

  /** A request's own objects and all its numbers. */
  private static final int REQUEST_BYTES = 1_024;

  private static final int OBJECT_BYTES = 24;
  private static final int CONTAINER_BYTES = 64;

  private EventWeight() {}

  /** The weight of an event, bytes. */
  static long of(SpecificRecord event) {
    return event instanceof RequestEvent request ? ofRequest(request) : ofRecord(event);
  }

  private static long ofRequest(RequestEvent request) {
    long sum =
        REQUEST_BYTES
            + 2 * text(request.getRequestId())
            + text(request.getDeployment())
            + text(request.getNode())
            + text(request.getConfigId())
            + text(request.getModelId())
            + text(request.getError())
            + text(request.getFinishReason())
            + ofMap(request.getStageSeconds())
            + ofMap(request.getScores())
            + ofMap(request.getScorers());
    Workload workload = request.getWorkload();
    if (workload != null) {
      sum +=
          text(workload.getModality())
              + text(workload.getPromptHash())
              + text(workload.getNegativePromptHash())
              + text(workload.getPromptClass())
              + texts(workload.getAdapters())
              + ofValue(workload.getConstrained());
    }
    BatchComposition batch = request.getBatch();
    if (batch != null) {
      int segments = batch.getSegments() == null ? 0 : batch.getSegments().size();
      sum += texts(batch.getNeighbours()) + (long) OBJECT_BYTES * segments;
    }
    Output output = request.getOutput();
    return output == null ? sum : sum + text(output.getSha256());
  }

  private static long texts(@Nullable List<String> all) {
    long sum = 0;
    if (all != null) {
      for (String each : all) {
        sum += text(each);
      }
    }
    return sum;
  }

  private static long text(@Nullable String text) {
    return text == null ? 0 : CONTAINER_BYTES + ofText(text);
  }

  private static long ofMap(@Nullable Map<?, ?> map) {
    return map == null || map.isEmpty() ? 0 : ofValue(map);
  }

  private static long ofValue(@Nullable Object value) {
    if (value == null) {
      return 0;
    }
    if (value instanceof CharSequence text) {
      return CONTAINER_BYTES + ofText(text);
    }
    if (value instanceof SpecificRecord event) {
      return ofRecord(event);
    }
    if (value instanceof Collection<?> items) {
      long sum = CONTAINER_BYTES;
      for (Object item : items) {
        sum += OBJECT_BYTES + ofValue(item);
      }
      return sum;
    }
    if (value instanceof Map<?, ?> map) {
      long sum = CONTAINER_BYTES;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        sum += CONTAINER_BYTES + ofValue(entry.getKey()) + ofValue(entry.getValue());
      }
      return sum;
    }
    return value instanceof ByteBuffer bytes ? CONTAINER_BYTES + bytes.remaining() : OBJECT_BYTES;
  }

  /** UTF-8 has one byte for an ASCII character, and at most three for another UTF-16 unit. */
  private static long ofText(CharSequence text) {
    int length = text.length();
    long sum = length;
    for (int i = 0; i < length; i++) {
      sum += text.charAt(i) < 0x80 ? 0 : 2;
    }
    return sum;
  }

  private static long ofRecord(SpecificRecord event) {
    long sum = CONTAINER_BYTES;
    int fields = event.getSchema().getFields().size();
    for (int i = 0; i < fields; i++) {
      // Which branch of a union an absent field took is a byte as well.
      sum += 1 + ofValue(event.get(i));
    }
    return sum;
  }
}

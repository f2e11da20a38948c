package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.AnswerStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came back from a call, unread. Immutable by convention: nobody writes into the array.
 *
 * @param ended how it ended
 * @param error short code when it did not end well, else null
 * @param body the answer, empty when there is none
 * @param doneNanos reading of the timeline at the last byte, or when it was given up
 * @param marks how many bytes had come when, in order
 */
@SuppressWarnings("ArrayRecordComponent")
record Reply(
    AnswerStatus ended, @Nullable String error, byte[] body, long doneNanos, List<Mark> marks) {

  /**
   * Bytes that had come.
   *
   * @param bytes from the beginning of the body
   * @param nanos reading of the timeline
   */
  record Mark(int bytes, long nanos) {}

  static Reply failed(AnswerStatus status, String error, long nanos) {
    return new Reply(status, error, new byte[0], nanos, List.of());
  }

  boolean ok() {
    return ended == AnswerStatus.OK;
  }

  /** Short code when it did not end well. */
  String codeOfFailure() {
    return error == null ? "unknown" : error;
  }

  /** When this many bytes of the body had come. */
  long nanosAt(int bytes) {
    for (Mark mark : marks) {
      if (mark.bytes() >= bytes) {
        return mark.nanos();
      }
    }
    return doneNanos;
  }
}

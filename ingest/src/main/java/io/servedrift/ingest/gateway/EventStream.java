package io.servedrift.ingest.gateway;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Splits a server-sent event stream into the data of its events, in whatever pieces it comes:
 * WHATWG HTML, section 9.2.6, with the three line ends it allows. Only {@code data} counts here;
 * the lines of one event are joined with a line feed. One thread at a time.
 */
final class EventStream {

  private static final byte[] DATA = {'d', 'a', 't', 'a', ':'};

  private final int limit;
  private final Consumer<byte[]> events;
  private ByteArrayOutputStream line = new ByteArrayOutputStream(256);
  private ByteArrayOutputStream data = new ByteArrayOutputStream(256);
  private boolean hasData;
  private boolean afterReturn;
  private boolean givenUp;

  /**
   * @param limitBytes longest event; a longer one ends the reading
   * @param events takes the data of each event
   */
  EventStream(int limitBytes, Consumer<byte[]> events) {
    this.limit = limitBytes;
    this.events = events;
  }

  /** Reads what the buffer holds and leaves the buffer as it is. */
  void add(ByteBuffer chunk) {
    byte[] bytes = new byte[chunk.remaining()];
    chunk.slice().get(bytes);
    int from = 0;
    for (int i = 0; i < bytes.length && !givenUp; i++) {
      byte b = bytes[i];
      if (b == '\n' && afterReturn) {
        from = i + 1;
      } else if (b == '\n' || b == '\r') {
        append(bytes, from, i);
        endLine();
        from = i + 1;
      }
      afterReturn = b == '\r';
    }
    append(bytes, from, bytes.length);
  }

  private void append(byte[] bytes, int from, int to) {
    givenUp |= line.size() + data.size() + to - from > limit;
    if (!givenUp) {
      line.write(bytes, from, to - from);
    }
  }

  private void endLine() {
    if (line.size() == 0) {
      if (hasData) {
        events.accept(data.toByteArray());
      }
      data.reset();
      hasData = false;
      return;
    }
    byte[] bytes = line.toByteArray();
    line.reset();
    if (startsWithData(bytes)) {
      int from = DATA.length;
      if (bytes.length > from && bytes[from] == ' ') {
        from++;
      }
      if (hasData) {
        data.write('\n');
      }
      data.write(bytes, from, bytes.length - from);
      hasData = true;
    }
  }

  private static boolean startsWithData(byte[] bytes) {
    return bytes.length >= DATA.length
        && Arrays.equals(bytes, 0, DATA.length, DATA, 0, DATA.length);
  }

  /** Bytes held of an event that is not whole. */
  int held() {
    return line.size() + data.size();
  }

  /** Reads no further. */
  void giveUp() {
    givenUp = true;
    line = new ByteArrayOutputStream(0);
    data = new ByteArrayOutputStream(0);
  }

  /** Whether an event was too long, or nobody wants any more. */
  boolean givenUp() {
    return givenUp;
  }
}

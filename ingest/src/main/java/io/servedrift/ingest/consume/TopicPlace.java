package io.servedrift.ingest.consume;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * How far a partition was read: everything before {@code readUpTo} is done but for the records that
 * waited for a partner. The first of these is the committed offset, and the metadata of the commit
 * name them all, so that reading again takes up them alone: a request whose response was taken
 * before would seem to have got none. Immutable.
 *
 * @param offset where reading goes on
 * @param readUpTo end of what was read, exclusive
 * @param held offsets that waited, ascending; a view that must not be changed
 */
record TopicPlace(long offset, long readUpTo, NavigableSet<Long> held) {
  /** Brokers take 4,096 characters of metadata unless they are told otherwise. */
  static final int MOST_CHARACTERS = 4_000;

  private static final Pattern METADATA =
      Pattern.compile("servedrift-1:(\\d{1,18}):([A-Za-z0-9_-]*)");
  private static final String FORMAT = "servedrift-1:%d:%s";
  private static final int LONGEST_FORMAT = FORMAT.length() + 19;
  private static final int PAYLOAD_BITS = 7;
  private static final int MORE = 1 << PAYLOAD_BITS;

  /** A place before which nothing waits. */
  static TopicPlace at(long offset) {
    return new TopicPlace(offset, offset, new TreeSet<>());
  }

  /**
   * The place after reading.
   *
   * @param readUpTo end of what was read, exclusive
   * @param waiting offsets that wait; when there are more than the metadata hold, the oldest are
   *     given up
   * @param mostCharacters of metadata
   */
  static TopicPlace of(long readUpTo, NavigableSet<Long> waiting, int mostCharacters) {
    NavigableSet<Long> held = new TreeSet<>();
    int room = (mostCharacters - LONGEST_FORMAT) / 4 * 3 - 1;
    Long younger = null;
    for (long offset : waiting.descendingSet()) {
      room -= younger == null ? 0 : length(younger - offset);
      if (room < 0) {
        break;
      }
      held.add(offset);
      younger = offset;
    }
    return new TopicPlace(held.isEmpty() ? readUpTo : held.first(), readUpTo, held);
  }

  /** The same where retention took what was before an offset. */
  TopicPlace from(long first) {
    return new TopicPlace(
        first, Math.max(first, readUpTo), new TreeSet<>(held.tailSet(first, true)));
  }

  /** Whether the record was read and nothing of it is still to come. */
  boolean isDone(long record) {
    return record < readUpTo && !held.contains(record);
  }

  /** The place as Kafka keeps it. */
  OffsetAndMetadata toCommit() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long before = offset;
    for (long each : held) {
      write(each - before, bytes);
      before = each;
    }
    return new OffsetAndMetadata(
        offset,
        FORMAT.formatted(
            readUpTo, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray())));
  }

  /** The place that was committed; metadata of others, or none, say that nothing waits. */
  static TopicPlace of(OffsetAndMetadata committed) {
    Matcher metadata = METADATA.matcher(committed.metadata());
    long offset = committed.offset();
    if (!metadata.matches() || Long.parseLong(metadata.group(1)) < offset) {
      return at(offset);
    }
    NavigableSet<Long> held = new TreeSet<>();
    try {
      long at = offset;
      for (long step : read(Base64.getUrlDecoder().decode(metadata.group(2)))) {
        at += step;
        held.add(at);
      }
    } catch (IllegalArgumentException e) {
      return at(offset);
    }
    return new TopicPlace(offset, Long.parseLong(metadata.group(1)), held);
  }

  private static int length(long value) {
    int length = 1;
    for (long rest = value >>> PAYLOAD_BITS; rest != 0; rest >>>= PAYLOAD_BITS) {
      length++;
    }
    return length;
  }

  private static void write(long value, ByteArrayOutputStream into) {
    long rest = value;
    while (rest >= MORE) {
      into.write((int) (rest & (MORE - 1)) | MORE);
      rest >>>= PAYLOAD_BITS;
    }
    into.write((int) rest);
  }

  private static List<Long> read(byte[] bytes) {
    List<Long> values = new ArrayList<>();
    long value = 0;
    int shift = 0;
    for (byte b : bytes) {
      value |= (long) (b & (MORE - 1)) << shift;
      if ((b & MORE) == 0) {
        values.add(value);
        value = 0;
        shift = 0;
      } else {
        shift += PAYLOAD_BITS;
      }
    }
    return values;
  }
}

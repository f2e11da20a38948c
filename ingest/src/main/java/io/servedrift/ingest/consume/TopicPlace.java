package io.servedrift.ingest.consume;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
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
 * @param unnamed how many more waited than the metadata have room for
 */
record TopicPlace(long offset, long readUpTo, NavigableSet<Long> held, long unnamed) {
  /** Brokers take 4,096 characters of metadata unless they are told otherwise. */
  static final int MOST_CHARACTERS = 4_000;

  private static final Pattern METADATA =
      Pattern.compile("servedrift-1:(\\d{1,18}):(\\d{1,9}):([A-Za-z0-9_-]*)");
  private static final String FORMAT = "servedrift-1:%d:%d:%s";
  private static final int LONGEST_FORMAT = FORMAT.length() + 28;
  private static final int PAYLOAD_BITS = 7;
  private static final int MORE = 1 << PAYLOAD_BITS;

  /** More than any adapter holds. */
  private static final long MOST_IN_A_RUN = 1 << 20;

  /** Offsets one after the other. */
  private record Run(long first, long last) {}

  /** A place before which nothing waits. */
  static TopicPlace at(long offset) {
    return new TopicPlace(offset, offset, new TreeSet<>(), 0);
  }

  /**
   * The place after reading.
   *
   * @param readUpTo end of what was read, exclusive
   * @param waiting offsets that wait; when there are more than the metadata hold, the oldest are
   *     counted only
   * @param mostCharacters of metadata
   */
  static TopicPlace of(long readUpTo, NavigableSet<Long> waiting, int mostCharacters) {
    NavigableSet<Long> held = new TreeSet<>();
    int room = (mostCharacters - LONGEST_FORMAT) / 4 * 3 - 2;
    Run younger = null;
    for (Run run : runs(waiting).descendingMap().values()) {
      room -= run.last() > run.first() ? length(run.last() - run.first()) : 0;
      room -= younger == null ? 0 : length((younger.first() - run.last()) << 1);
      if (room < 0) {
        break;
      }
      for (long offset = run.first(); offset <= run.last(); offset++) {
        held.add(offset);
      }
      younger = run;
    }
    return new TopicPlace(
        held.isEmpty() ? readUpTo : held.first(), readUpTo, held, waiting.size() - held.size());
  }

  private static NavigableMap<Long, Run> runs(NavigableSet<Long> offsets) {
    NavigableMap<Long, Run> runs = new TreeMap<>();
    for (long offset : offsets) {
      Map.Entry<Long, Run> before = runs.lastEntry();
      long first =
          before != null && before.getValue().last() == offset - 1 ? before.getKey() : offset;
      runs.put(first, new Run(first, offset));
    }
    return runs;
  }

  /** The same where retention took what was before an offset. */
  TopicPlace from(long first) {
    return new TopicPlace(
        first, Math.max(first, readUpTo), new TreeSet<>(held.tailSet(first, true)), unnamed);
  }

  /** The same where the log was cut at an offset. */
  TopicPlace upTo(long end) {
    return new TopicPlace(
        Math.min(offset, end),
        Math.min(end, readUpTo),
        new TreeSet<>(held.headSet(end, false)),
        unnamed);
  }

  /** Whether the record was read and nothing of it is still to come. */
  boolean isDone(long record) {
    return record < readUpTo && !held.contains(record);
  }

  /** The place as Kafka keeps it. */
  OffsetAndMetadata toCommit() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long before = offset;
    for (Run run : runs(held).values()) {
      // The step from the run before, and whether a length follows.
      boolean many = run.last() > run.first();
      write((run.first() - before) << 1 | (many ? 1 : 0), bytes);
      if (many) {
        write(run.last() - run.first(), bytes);
      }
      before = run.last();
    }
    return new OffsetAndMetadata(
        offset,
        FORMAT.formatted(
            readUpTo,
            unnamed,
            Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray())));
  }

  /** The place that was committed; metadata of others, or none, say that nothing waits. */
  static TopicPlace of(OffsetAndMetadata committed) {
    Matcher metadata = METADATA.matcher(committed.metadata());
    long offset = committed.offset();
    if (!metadata.matches() || Long.parseLong(metadata.group(1)) < offset) {
      return at(offset);
    }
    long readUpTo = Long.parseLong(metadata.group(1));
    try {
      return new TopicPlace(
          offset,
          readUpTo,
          held(offset, readUpTo, read(Base64.getUrlDecoder().decode(metadata.group(3)))),
          Long.parseLong(metadata.group(2)));
    } catch (IllegalArgumentException e) {
      return at(offset);
    }
  }

  private static NavigableSet<Long> held(long from, long readUpTo, List<Long> values) {
    NavigableSet<Long> held = new TreeSet<>();
    long at = from;
    for (Iterator<Long> each = values.iterator(); each.hasNext(); ) {
      long step = each.next();
      at += step >>> 1;
      long last = at + ((step & 1) == 1 && each.hasNext() ? each.next() : 0);
      if (at < from || last < at || last >= readUpTo || last - at > MOST_IN_A_RUN) {
        throw new IllegalArgumentException("no places of ours");
      }
      for (; at < last; at++) {
        held.add(at);
      }
      held.add(at);
    }
    return held;
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

package io.servedrift.monitors.pane;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compact binary form of arrivals: one chunk per commit. A string is written once per chunk and
 * then referred to by number, so a request costs its id, its values and a byte or two per
 * covariate. Not thread-safe.
 *
 * <p>The form is internal to one version of the monitor: chunks live for minutes in a changelog. A
 * changed form raises {@link #VERSION}, and an unknown version is an error that says to drain
 * first.
 */
final class ArrivalLog {
  private static final int VERSION = 2;
  private static final int REQUEST = 1;
  private static final int SCORE = 2;
  private static final int REQUESTS_TICK = 3;
  private static final int SCORES_TICK = 4;
  private static final int WAITING = 5;
  private static final int REQUESTS_OVERFLOW = 6;
  private static final int SCORES_OVERFLOW = 7;

  /** A waiting record longer than this may become a dead letter without its content. */
  private static final int LONGEST_PAYLOAD = 8 * 1024;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 14);
  private final DataOutputStream out = new DataOutputStream(bytes);
  private final Map<String, Integer> dictionary = new HashMap<>();
  private boolean empty = true;

  /** An arrival and the channel it came on. */
  record Entry(Channel channel, Arrival arrival) {}

  /** A decoded chunk: the clocks before its first arrival, and the arrivals. */
  record Chunk(
      PartitionClock.Snapshot requests, PartitionClock.Snapshot scores, List<Entry> entries) {}

  /** Starts a chunk with the clocks as they are now. */
  void begin(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    bytes.reset();
    dictionary.clear();
    empty = true;
    try {
      out.writeByte(VERSION);
      writeSnapshot(requests);
      writeSnapshot(scores);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isEmpty() {
    return empty;
  }

  int size() {
    return bytes.size();
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }

  /** Appends an arrival. */
  void append(Channel channel, Arrival arrival) {
    empty = false;
    try {
      write(channel, arrival, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(Channel channel, Arrival arrival, boolean waiting) throws IOException {
    boolean requests = channel == Channel.REQUESTS;
    if (arrival instanceof Arrival.Tick tick) {
      out.writeByte(requests ? REQUESTS_TICK : SCORES_TICK);
      out.writeLong(tick.micros());
    } else if (arrival instanceof Arrival.Request request) {
      out.writeByte(REQUEST);
      writeRequest(request.request());
      writePayload(request.origin(), request.payload(), waiting);
    } else if (arrival instanceof Arrival.Score score) {
      out.writeByte(SCORE);
      writeString(score.deployment());
      writeUnique(score.requestId());
      writeValue(score.value());
      out.writeLong(score.micros());
      writePayload(score.origin(), score.payload(), waiting);
    } else if (arrival instanceof Arrival.Waiting held) {
      out.writeByte(WAITING);
      out.writeLong(held.number());
      write(channel, held.arrival(), true);
    } else if (arrival instanceof Arrival.Overflow overflow) {
      out.writeByte(requests ? REQUESTS_OVERFLOW : SCORES_OVERFLOW);
      out.writeLong(overflow.number());
      out.writeLong(overflow.micros());
    }
  }

  /** Reads a chunk back. */
  static Chunk read(byte[] chunk) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(chunk))) {
      int version = in.readByte();
      if (version != VERSION) {
        throw new IllegalStateException(
            "pane changelog: chunk version "
                + version
                + ", this monitor reads "
                + VERSION
                + "; stop the old version cleanly and let its panes close before upgrading");
      }
      PartitionClock.Snapshot requests = readSnapshot(in);
      PartitionClock.Snapshot scores = readSnapshot(in);
      List<String> dictionary = new ArrayList<>();
      List<Entry> entries = new ArrayList<>();
      while (in.available() > 0) {
        entries.add(readEntry(in, dictionary));
      }
      return new Chunk(requests, scores, entries);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "pane changelog: broken chunk of " + chunk.length + " bytes", e);
    }
  }

  private static Entry readEntry(DataInputStream in, List<String> dictionary) throws IOException {
    int kind = in.readByte();
    return switch (kind) {
      case REQUESTS_TICK -> new Entry(Channel.REQUESTS, new Arrival.Tick(in.readLong()));
      case SCORES_TICK -> new Entry(Channel.SCORES, new Arrival.Tick(in.readLong()));
      case REQUEST -> {
        ServedRequest request = readRequest(in, dictionary);
        byte[] payload = readPayload(in);
        String origin = payload == null ? "" : readUnique(in);
        yield new Entry(Channel.REQUESTS, new Arrival.Request(request, origin, payload));
      }
      case SCORE -> {
        String deployment = readString(in, dictionary);
        String requestId = readUnique(in);
        ServedRequest.Value value = readValue(in, dictionary);
        long micros = in.readLong();
        byte[] payload = readPayload(in);
        String origin = payload == null ? "" : readUnique(in);
        yield new Entry(
            Channel.SCORES,
            new Arrival.Score(deployment, requestId, value, micros, origin, payload));
      }
      case WAITING -> {
        long number = in.readLong();
        Entry held = readEntry(in, dictionary);
        yield new Entry(held.channel(), new Arrival.Waiting(number, held.arrival()));
      }
      case REQUESTS_OVERFLOW ->
          new Entry(Channel.REQUESTS, new Arrival.Overflow(in.readLong(), in.readLong()));
      case SCORES_OVERFLOW ->
          new Entry(Channel.SCORES, new Arrival.Overflow(in.readLong(), in.readLong()));
      default -> throw new IOException("unknown arrival kind " + kind);
    };
  }

  private void writeSnapshot(PartitionClock.Snapshot snapshot) throws IOException {
    out.writeLong(snapshot.now());
    out.writeLong(snapshot.lastTick());
    out.writeLong(snapshot.nextNumber());
  }

  private static PartitionClock.Snapshot readSnapshot(DataInputStream in) throws IOException {
    return new PartitionClock.Snapshot(in.readLong(), in.readLong(), in.readLong());
  }

  private void writeRequest(ServedRequest request) throws IOException {
    writeString(request.deployment());
    writeUnique(request.requestId());
    writeString(request.modelId());
    writeString(request.configId());
    out.writeLong(request.finishedMicros());
    out.writeLong(request.arrivedMicros());
    writeString(request.outcome().name());
    out.writeByte(request.buckets().size());
    for (String bucket : request.buckets()) {
      writeString(bucket);
    }
    writeValues(request.metrics());
    writeValues(request.scores());
  }

  private static ServedRequest readRequest(DataInputStream in, List<String> dictionary)
      throws IOException {
    String deployment = readString(in, dictionary);
    String requestId = readUnique(in);
    String modelId = readString(in, dictionary);
    String configId = readString(in, dictionary);
    long finished = in.readLong();
    long arrived = in.readLong();
    ServedRequest.Outcome outcome = ServedRequest.Outcome.valueOf(readString(in, dictionary));
    int count = in.readByte();
    List<String> buckets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      buckets.add(readString(in, dictionary));
    }
    return new ServedRequest(
        deployment,
        requestId,
        modelId,
        configId,
        finished,
        arrived,
        outcome,
        List.copyOf(buckets),
        readValues(in, dictionary),
        readValues(in, dictionary));
  }

  private void writeValues(List<ServedRequest.Value> values) throws IOException {
    out.writeShort(values.size());
    for (ServedRequest.Value value : values) {
      writeValue(value);
    }
  }

  private static List<ServedRequest.Value> readValues(DataInputStream in, List<String> dictionary)
      throws IOException {
    int count = in.readUnsignedShort();
    List<ServedRequest.Value> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(readValue(in, dictionary));
    }
    return List.copyOf(values);
  }

  private void writeValue(ServedRequest.Value value) throws IOException {
    writeString(value.name());
    out.writeDouble(value.value());
    writeString(value.scorer());
  }

  private static ServedRequest.Value readValue(DataInputStream in, List<String> dictionary)
      throws IOException {
    return new ServedRequest.Value(
        readString(in, dictionary), in.readDouble(), readString(in, dictionary));
  }

  /**
   * Payload and origin are kept only for arrivals that wait: only those may still become dead
   * letters.
   */
  private void writePayload(String origin, byte @Nullable [] payload, boolean keep)
      throws IOException {
    if (!keep || payload == null || payload.length > LONGEST_PAYLOAD) {
      out.writeInt(-1);
      return;
    }
    out.writeInt(payload.length);
    out.write(payload);
    writeUnique(origin);
  }

  private static byte @Nullable [] readPayload(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length < 0 ? null : in.readNBytes(length);
  }

  /** A string that repeats: by number, with its text at the first use. */
  private void writeString(String text) throws IOException {
    Integer known = dictionary.get(text);
    if (known != null) {
      writeVarint(known);
      return;
    }
    writeVarint(dictionary.size());
    dictionary.put(text, dictionary.size());
    writeUnique(text);
  }

  private static String readString(DataInputStream in, List<String> dictionary) throws IOException {
    int number = readVarint(in);
    if (number < dictionary.size()) {
      return dictionary.get(number);
    }
    String text = readUnique(in);
    dictionary.add(text);
    return text;
  }

  private void writeUnique(String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    writeVarint(utf8.length);
    out.write(utf8);
  }

  private static String readUnique(DataInputStream in) throws IOException {
    return new String(in.readNBytes(readVarint(in)), StandardCharsets.UTF_8);
  }

  private void writeVarint(int value) throws IOException {
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      out.writeByte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.writeByte(rest);
  }

  private static int readVarint(DataInputStream in) throws IOException {
    int value = 0;
    int shift = 0;
    int next;
    do {
      next = in.readUnsignedByte();
      value |= (next & 0x7f) << shift;
      shift += 7;
    } while ((next & 0x80) != 0);
    return value;
  }
}

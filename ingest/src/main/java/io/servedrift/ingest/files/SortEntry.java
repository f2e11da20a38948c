package io.servedrift.ingest.files;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An encoded event with what is needed to sort it and to say where it came from. */
final class SortEntry implements Comparable<SortEntry> {
  /** Heap that an entry costs beside its payload, bytes (estimate). */
  static final int OVERHEAD_BYTES = 96;

  /** Content hash of an entry that takes no part in the search for repetitions. */
  static final long NOT_COMPARED = 0;

  private final long timeMicros;
  private final long sequence;
  private final long contentHash;
  private final long idHash;
  private final int file;
  private final long line;
  private final byte[] payload;

  /**
   * @param timeMicros event time, microseconds since 1970
   * @param sequence order of reading: the earlier of two with the same time comes first
   * @param contentHash of everything but the id, or {@link #NOT_COMPARED}
   * @param file index of the input file
   * @param payload the event as it goes over the wire
   */
  SortEntry(
      long timeMicros,
      long sequence,
      long contentHash,
      long idHash,
      int file,
      long line,
      byte[] payload) {
    this.timeMicros = timeMicros;
    this.sequence = sequence;
    this.contentHash = contentHash;
    this.idHash = idHash;
    this.file = file;
    this.line = line;
    this.payload = payload;
  }

  long timeMicros() {
    return timeMicros;
  }

  boolean comparable() {
    return contentHash != NOT_COMPARED;
  }

  long contentHash() {
    return contentHash;
  }

  long idHash() {
    return idHash;
  }

  int file() {
    return file;
  }

  long line() {
    return line;
  }

  byte[] payload() {
    return payload;
  }

  long heapBytes() {
    return payload.length + (long) OVERHEAD_BYTES;
  }

  @Override
  public int compareTo(SortEntry other) {
    int byTime = Long.compare(timeMicros, other.timeMicros);
    return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SortEntry that
        && timeMicros == that.timeMicros
        && sequence == that.sequence;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(timeMicros) * 31 + Long.hashCode(sequence);
  }

  void write(DataOutputStream out) throws IOException {
    out.writeLong(timeMicros);
    out.writeLong(sequence);
    out.writeLong(contentHash);
    out.writeLong(idHash);
    out.writeInt(file);
    out.writeLong(line);
    out.writeInt(payload.length);
    out.write(payload);
  }

  /** The next entry, or null at the end. */
  static @Nullable SortEntry read(DataInputStream in) throws IOException {
    long time;
    try {
      time = in.readLong();
    } catch (EOFException ignored) {
      return null;
    }
    long sequence = in.readLong();
    long contentHash = in.readLong();
    long idHash = in.readLong();
    int file = in.readInt();
    long line = in.readLong();
    byte[] payload = new byte[in.readInt()];
    in.readFully(payload);
    return new SortEntry(time, sequence, contentHash, idHash, file, line, payload);
  }
}

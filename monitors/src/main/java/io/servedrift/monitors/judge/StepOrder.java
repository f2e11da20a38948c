package io.servedrift.monitors.judge;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;

/**
 * The place of a step in the order in which a judge takes them.
 *
 * @param micros when it may be judged, event time: the end of a pane plus its grace, or when a
 *     serving event counts
 * @param rank what comes first at the same time
 * @param id tells steps of one deployment apart that share time and rank; empty for panes
 */
record StepOrder(long micros, Rank rank, String deployment, String id)
    implements Comparable<StepOrder> {
  private static final Comparator<StepOrder> ORDER =
      Comparator.comparingLong(StepOrder::micros)
          .thenComparing(StepOrder::rank)
          .thenComparing(StepOrder::deployment)
          .thenComparing(StepOrder::id);

  /** Kinds of steps, in their order at one time: what happened comes before what it did. */
  enum Rank {
    EVENT,
    LATENCY,
    SCORE
  }

  @Override
  public int compareTo(StepOrder other) {
    return ORDER.compare(this, other);
  }

  /** Bytes that {@link #decode} reads. */
  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeLong(micros);
      out.writeUTF(rank.name());
      out.writeUTF(deployment);
      out.writeUTF(id);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  static StepOrder decode(byte[] encoded) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded));
    try {
      return new StepOrder(in.readLong(), Rank.valueOf(in.readUTF()), in.readUTF(), in.readUTF());
    } catch (IOException e) {
      throw new IllegalArgumentException("place of a step: ends too early", e);
    }
  }

  /** Whether this comes before everything of a rank from a time on. */
  boolean isBefore(long otherMicros, Rank otherRank) {
    return micros < otherMicros || (micros == otherMicros && rank.compareTo(otherRank) < 0);
  }
}

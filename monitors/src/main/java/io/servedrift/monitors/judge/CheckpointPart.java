package io.servedrift.monitors.judge;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A piece of a checkpoint, as one record of the judge-state topic: a checkpoint can have tens of
 * megabytes, a record cannot. Immutable.
 *
 * @param deployment whose state it is
 * @param micros the full hour that it was taken at: all steps before it are in it
 * @param part number of the piece, from 0
 * @param parts how many there are
 * @param bytes of the state
 */
@SuppressWarnings("ArrayRecordComponent") // on its way to or from a topic, never compared
public record CheckpointPart(String deployment, long micros, int part, int parts, byte[] bytes) {
  /** Most bytes of state in a piece. */
  public static final int LARGEST = 900 * 1024;

  private static final int MAGIC = 0x5344_4a31;

  /** Cuts a checkpoint. */
  public static List<CheckpointPart> cut(String deployment, long micros, byte[] state) {
    int parts = Math.max(1, (state.length + LARGEST - 1) / LARGEST);
    List<CheckpointPart> cut = new ArrayList<>(parts);
    for (int part = 0; part < parts; part++) {
      int from = part * LARGEST;
      int to = Math.min(state.length, from + LARGEST);
      cut.add(
          new CheckpointPart(deployment, micros, part, parts, Arrays.copyOfRange(state, from, to)));
    }
    return cut;
  }

  /** Key of the record: deployment, time, piece. */
  public byte[] key() {
    Instant at = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    return (deployment + "/" + at + "/" + part).getBytes(StandardCharsets.UTF_8);
  }

  /** Value of the record. */
  public byte[] encode() {
    ByteArrayOutputStream encoded = new ByteArrayOutputStream(bytes.length + 64);
    DataOutputStream out = new DataOutputStream(encoded);
    try {
      out.writeInt(MAGIC);
      out.writeUTF(deployment);
      out.writeLong(micros);
      out.writeInt(part);
      out.writeInt(parts);
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return encoded.toByteArray();
  }

  /**
   * Reads the value of a record.
   *
   * @throws IllegalArgumentException when it is no piece of a checkpoint
   */
  public static CheckpointPart decode(byte[] encoded) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded));
    try {
      int magic = in.readInt();
      if (magic != MAGIC) {
        throw new IllegalArgumentException(
            "piece of a checkpoint: begins with "
                + Integer.toHexString(magic)
                + ", must begin with "
                + Integer.toHexString(MAGIC));
      }
      return new CheckpointPart(
          in.readUTF(), in.readLong(), in.readInt(), in.readInt(), in.readAllBytes());
    } catch (IOException e) {
      throw new IllegalArgumentException("piece of a checkpoint: ends too early", e);
    }
  }
}

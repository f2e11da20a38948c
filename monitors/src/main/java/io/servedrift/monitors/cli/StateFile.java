package io.servedrift.monitors.cli;

import io.servedrift.monitors.judge.CheckpointPart;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the judge knew at the end of a replay, in a file: for {@code --state FILE} of the next one.
 * Collects the newest checkpoint of each deployment; the file holds the pieces that the judge-state
 * topic would. Not thread-safe.
 */
final class StateFile {
  private static final byte[] MAGIC = "servedrift judge state 1\n".getBytes(StandardCharsets.UTF_8);
  private static final int LARGEST_PIECE = 2 * CheckpointPart.LARGEST;

  private final Map<String, List<CheckpointPart>> newest = new TreeMap<>();

  /** Takes a checkpoint in place of the one before. */
  void take(String deployment, long micros, byte[] state) {
    newest.put(deployment, CheckpointPart.cut(deployment, micros, state));
  }

  /** Whether there was none. */
  boolean isEmpty() {
    return newest.isEmpty();
  }

  /** Writes all of them; the file appears whole or not at all. */
  void write(Path file) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(unfinished)))) {
      out.write(MAGIC);
      for (List<CheckpointPart> parts : newest.values()) {
        for (CheckpointPart part : parts) {
          byte[] piece = part.encode();
          out.writeInt(piece.length);
          out.write(piece);
        }
      }
    }
    Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * The pieces of checkpoints in a file.
   *
   * @throws CommandFailure when there is no such file or it is something else
   */
  static List<byte[]> read(Path file) throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
        throw CommandFailure.usage(
            "--state " + file + ": is neither an archive nor a file of replay --save-state");
      }
      for (int next = in.read(); next >= 0; next = in.read()) {
        int length = (next << 24) | in.readUnsignedByte() << 16 | in.readUnsignedShort();
        if (length < 1 || length > LARGEST_PIECE) {
          throw CommandFailure.usage("--state " + file + ": is damaged");
        }
        byte[] piece = new byte[length];
        in.readFully(piece);
        CheckpointPart.decode(piece);
        pieces.add(piece);
      }
    } catch (NoSuchFileException e) {
      throw new CommandFailure(ExitCode.USAGE, "--state " + file + ": no such file or folder", e);
    } catch (EOFException | IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, "--state " + file + ": is damaged", e);
    }
    return pieces;
  }
}

package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a run recorded, one JSON object per line, only ever appended to. A line that was being
 * written when the process was killed is cut off the next time. One process at a time: it holds the
 * lock of a file of its own, which nobody else opens, for a process that closes any descriptor of a
 * file gives up its locks on it. Thread-safe.
 */
final class Journal implements AutoCloseable {
  static final String NAME = "journal.ndjson";

  static final ObjectMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  private static final String LOCK = "journal.lock";

  private final FileChannel lock;
  private final FileChannel channel;

  private Journal(FileChannel lock, FileChannel channel) {
    this.lock = lock;
    this.channel = channel;
  }

  /**
   * Opens the journal of a folder, which is made when it is not there, and cuts off a line that was
   * not written whole.
   *
   * @throws GateInputException when another process writes it
   */
  static Journal open(Path folder) throws IOException, GateInputException {
    Files.createDirectories(folder);
    FileChannel lock = opened(folder.resolve(LOCK));
    try {
      if (lock.tryLock() == null) {
        throw taken(folder);
      }
      FileChannel channel = opened(folder.resolve(NAME));
      long whole = wholeLines(channel);
      channel.truncate(whole).position(whole);
      return new Journal(lock, channel);
    } catch (OverlappingFileLockException e) {
      lock.close();
      throw taken(folder);
    } catch (IOException | GateInputException e) {
      lock.close();
      throw e;
    }
  }

  private static FileChannel opened(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
  }

  private static GateInputException taken(Path folder) {
    return new GateInputException(folder + ": another gate writes here (--report)");
  }

  /** Length of the lines that end with a line break. */
  private static long wholeLines(FileChannel channel) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    for (long at = channel.size(); at > 0; at--) {
      one.clear();
      channel.read(one, at - 1);
      if (one.get(0) == '\n') {
        return at;
      }
    }
    return 0;
  }

  /** Takes the lines of a journal one by one. */
  interface Reader {
    /**
     * A line.
     *
     * @throws JsonProcessingException when it is not what a gate writes
     */
    void line(JsonNode line) throws JsonProcessingException;
  }

  /**
   * Reads the journal of a folder without writing to it; a line that was not written whole is left
   * out.
   *
   * @throws GateInputException when there is none or it is damaged
   */
  static void read(Path folder, Reader reader) throws IOException, GateInputException {
    Path file = folder.resolve(NAME);
    if (!Files.isRegularFile(file)) {
      throw new GateInputException(folder + ": must hold a " + NAME + " that a gate wrote");
    }
    boolean cutOff;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      cutOff = wholeLines(channel) < channel.size();
    }
    int number = 0;
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      String next = lines.readLine();
      while (next != null) {
        String line = next;
        next = lines.readLine();
        number++;
        if (next != null || !cutOff) {
          reader.line(JSON.readTree(line));
        }
      }
    } catch (JsonProcessingException | IllegalArgumentException | CharacterCodingException e) {
      throw new GateInputException(
          file + ":" + number + ": was written by another version, or is damaged");
    }
  }

  /**
   * Appends a line.
   *
   * @param kind what it is about
   * @param name of the value in it
   * @param value a record of the evidence, or a tree
   */
  void append(String kind, String name, Object value) throws IOException {
    ObjectNode line = JSON.createObjectNode().put("kind", kind);
    line.set(name, JSON.valueToTree(value));
    append(line);
  }

  synchronized void append(ObjectNode line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Brings what was appended to the disk. */
  void sync() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    try (lock) {
      channel.close();
    }
  }
}

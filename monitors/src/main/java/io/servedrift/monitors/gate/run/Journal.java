package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run recorded, one JSON object per line, only ever appended to. A line that was being
 * written when the process was killed is cut off the next time. One process at a time. Thread-safe.
 */
final class Journal implements AutoCloseable {
  static final String NAME = "journal.ndjson";

  static final ObjectMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  private final FileChannel channel;

  private Journal(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Opens the journal of a folder, which is made when it is not there.
   *
   * @param lines takes what was recorded before
   * @throws GateInputException when another process writes it, or it is damaged
   */
  static Journal open(Path folder, List<JsonNode> lines) throws IOException, GateInputException {
    Files.createDirectories(folder);
    Path file = folder.resolve(NAME);
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
    try {
      if (channel.tryLock() == null) {
        throw new GateInputException(folder + ": another gate writes here (--report)");
      }
      lines.addAll(read(folder));
      long whole = wholeLines(channel);
      channel.truncate(whole).position(whole);
      return new Journal(channel);
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw new GateInputException(folder + ": another gate writes here (--report)");
    } catch (IOException | GateInputException e) {
      channel.close();
      throw e;
    }
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

  /**
   * Reads the journal of a folder without writing to it.
   *
   * @throws GateInputException when there is none or it is damaged
   */
  static List<JsonNode> read(Path folder) throws IOException, GateInputException {
    Path file = folder.resolve(NAME);
    if (!Files.isRegularFile(file)) {
      throw new GateInputException(folder + ": must hold a " + NAME + " that a gate wrote");
    }
    String text = Files.readString(file, StandardCharsets.UTF_8);
    List<JsonNode> lines = new ArrayList<>();
    int from = 0;
    for (int to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      try {
        lines.add(JSON.readTree(text.substring(from, to)));
      } catch (JsonProcessingException e) {
        throw new GateInputException(
            file + ":" + (lines.size() + 1) + ": is damaged: not one JSON object");
      }
      from = to + 1;
    }
    return lines;
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
    channel.close();
  }
}

package io.servedrift.monitors.ledger.io;

import io.servedrift.monitors.ledger.Dictionary;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;

/**
 * A ledger in a file: one event per line, as on the topic, only ever added to. Lines that are no
 * event are named and passed over; events of other kinds are passed over silently, but that {@code
 * config} events say what ids mean. Thread-safe, also between processes; one object for one file.
 */
public final class LedgerFile {
  /** Longest file that is read, bytes. */
  public static final long MAX_BYTES = 64L << 20;

  private static final int MOST_PROBLEMS = 100;

  private final Path file;

  /** The ledger in this file, which need not exist to be written. */
  public LedgerFile(Path file) {
    this.file = file;
  }

  /**
   * Reads it.
   *
   * @throws LedgerException when it is no file that a ledger can be in
   */
  public Ledger read() throws IOException {
    requireUsable();
    return parse(Files.readAllBytes(file));
  }

  private void requireUsable() throws IOException {
    if (Files.isDirectory(file)) {
      throw new LedgerException(file + ": is a folder; must be a file of one event per line");
    }
    if (Files.size(file) > MAX_BYTES) {
      throw new LedgerException(
          file + ": " + Files.size(file) + " bytes; must be at most " + MAX_BYTES);
    }
  }

  /**
   * Checks that records can be added.
   *
   * @throws LedgerException when they cannot
   */
  public void requireWritable() throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.exists(file)) {
      requireUsable();
    }
    if (!Files.isWritable(Files.exists(file) || folder == null ? file : folder)) {
      throw new LedgerException(file + ": cannot be written");
    }
  }

  private Ledger parse(byte[] content) {
    Dictionary dictionary = new Dictionary();
    List<EvalResult> results = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    EventReader reader = new EventReader();
    int number = 0;
    int bad = 0;
    for (byte[] line : lines(content)) {
      number++;
      if (isBlank(line)) {
        continue;
      }
      Reading reading = reader.readJson(line);
      if (reading instanceof Reading.Accepted accepted) {
        accepted.registrations().forEach(dictionary::add);
        SpecificRecord event = accepted.event();
        if (event instanceof EvalResult result) {
          results.add(result);
        } else if (event instanceof ConfigRecord meaning) {
          dictionary.add(meaning);
        }
      } else if (reading instanceof Reading.Rejected rejected && ++bad <= MOST_PROBLEMS) {
        problems.add(file + ":" + number + ": " + rejected.detail());
      }
    }
    if (bad > MOST_PROBLEMS) {
      problems.add(file + ": " + (bad - MOST_PROBLEMS) + " more lines that are no event");
    }
    List<LedgerEntry> entries = results.stream().map(dictionary::entry).toList();
    return new Ledger(entries, dictionary, problems);
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b > ' ' || b < 0) {
        return false;
      }
    }
    return true;
  }

  private static List<byte[]> lines(byte[] content) {
    List<byte[]> lines = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= content.length; i++) {
      if (i == content.length || content[i] == '\n') {
        lines.add(Arrays.copyOfRange(content, start, i));
        start = i + 1;
      }
    }
    return lines;
  }

  /**
   * Adds a record, unless its id is there already.
   *
   * @return whether it was added
   * @throws LedgerException when the file would be too long, or is none
   */
  public synchronized boolean add(LedgerEntry entry) throws IOException {
    requireWritable();
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      var lock = channel.lock();
      try {
        requireUsable();
        byte[] content = Files.readAllBytes(file);
        if (parse(content).find(entry.id()).isPresent()) {
          return false;
        }
        String line = entry.toJson() + "\n";
        // A line that a crash cut off must not swallow the next one.
        boolean cut = content.length > 0 && content[content.length - 1] != '\n';
        byte[] added = ((cut ? "\n" : "") + line).getBytes(StandardCharsets.UTF_8);
        if (content.length + (long) added.length > MAX_BYTES) {
          throw new LedgerException(
              file + ": must be at most " + MAX_BYTES + " bytes; begin another");
        }
        ByteBuffer buffer = ByteBuffer.wrap(added);
        channel.position(content.length);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        channel.force(true);
        return true;
      } finally {
        lock.release();
      }
    }
  }
}

package io.servedrift.ingest.follow;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One file that grows. A line is given once its end is written. When the path names another file
 * (rotation), the old one is read to its end first, then those that were rotated away since, told
 * by name ({@code server.log.1}, {@code server.log-20260920}) and order of change; when the file
 * was cut or written anew under the same identity, it is read from its start. Not thread-safe.
 */
final class FollowedFile implements Closeable {
  /** Takes lines. */
  interface Lines {
    /**
     * A line without its end; null in place of one that is longer than the limit.
     *
     * @param number counted from 1 since the file was opened
     */
    void take(byte @Nullable [] line, long number);
  }

  private static final int HEAD_BYTES = 1024;
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final byte LF = '\n';
  private static final byte CR = '\r';

  /** What a rotation puts behind the name; nothing compressed. */
  private static final Pattern ROTATED = Pattern.compile("[.-][0-9][0-9T_:.-]*");

  private record Rotated(Path file, FileTime changed) {}

  private final Path path;
  private final int maxLineBytes;
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
  private @Nullable FileChannel channel;
  private String key = "";
  private long offset;
  private long number;
  private boolean inLongLine;
  private long restedAt = -1;
  private int headLength;
  private String headSha256 = "";

  FollowedFile(Path path, int maxLineBytes) {
    this.path = path;
    this.maxLineBytes = maxLineBytes;
  }

  Path path() {
    return path;
  }

  /**
   * Goes on where the place says, also when the file has been renamed since; else from the start.
   *
   * @return false when the place could not be found again, so that something may be missing
   */
  boolean resume(FilePlace place) throws IOException {
    Path found = isAt(path, place) ? path : sibling(place);
    if (found == null) {
      Path anew = writtenAnew(place);
      if (anew != null) {
        open(anew);
      }
      return !Files.exists(path) && place.offset() == 0;
    }
    open(found);
    offset = place.offset();
    return true;
  }

  /** The same file, renamed after it was cut: what is in it was written after the place. */
  private @Nullable Path writtenAnew(FilePlace place) throws IOException {
    for (Rotated one : rotated()) {
      if (!place.key().isEmpty() && keyOf(one.file()).equals(place.key())) {
        return one.file();
      }
    }
    return null;
  }

  /** The place before anything is read; null while there is no file. */
  @Nullable FilePlace begin() throws IOException {
    if (channel == null && Files.isRegularFile(path)) {
      open(path);
    }
    return place();
  }

  /** Passes over what is there already. */
  void skipToEnd() throws IOException {
    if (channel == null && Files.isRegularFile(path)) {
      open(path);
      FileChannel open = channel;
      offset = open == null ? 0 : lineStart(open, open.size());
    }
  }

  private long lineStart(FileChannel open, long end) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    for (long at = end - 1; at >= 0; at--) {
      one.clear();
      if (open.read(one, at) == 1 && one.get(0) == LF) {
        return at + 1;
      }
    }
    return 0;
  }

  private @Nullable Path sibling(FilePlace place) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return null;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        if (Files.isRegularFile(file) && isAt(file, place)) {
          return file;
        }
      }
    }
    return null;
  }

  private static boolean isAt(Path file, FilePlace place) throws IOException {
    try (FileChannel open = FileChannel.open(file, StandardOpenOption.READ)) {
      return keyOf(file).equals(place.key())
          && open.size() >= place.offset()
          && head(open, place.headLength()).equals(place.headSha256());
    } catch (NoSuchFileException | AccessDeniedException e) {
      return false;
    }
  }

  /**
   * Whether everything is read, and nothing was written since the time.
   *
   * @param before of the last change
   */
  boolean isReadAndUnchangedSince(Instant before) throws IOException {
    FileChannel open = channel;
    if (open == null || open.size() != offset) {
      return false;
    }
    try {
      return Files.getLastModifiedTime(path).toInstant().isBefore(before);
    } catch (NoSuchFileException e) {
      return !Files.exists(path);
    }
  }

  /**
   * Gives the lines that are complete.
   *
   * @param most lines given at once
   * @return how many were given; 0 when there is nothing more for now
   */
  int poll(int most, Lines lines) throws IOException {
    if (channel == null) {
      if (!Files.isRegularFile(path)) {
        return 0;
      }
      open(path);
    }
    if (wasRewritten()) {
      offset = 0;
      inLongLine = false;
    }
    int given = read(most, lines);
    return given == 0 ? turnToNewFile(lines) : given;
  }

  private int read(int most, Lines lines) throws IOException {
    FileChannel open = channel;
    if (open == null) {
      return 0;
    }
    int given = 0;
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    long at = offset;
    while (given < most) {
      chunk.clear();
      int n = open.read(chunk, at);
      if (n <= 0) {
        return given;
      }
      chunk.flip();
      while (chunk.hasRemaining() && given < most) {
        byte b = chunk.get();
        at++;
        if (b == LF) {
          given += give(line, lines);
          offset = at;
        } else if (!inLongLine) {
          line.write(b);
          if (line.size() > maxLineBytes) {
            inLongLine = true;
            line.reset();
          }
        }
        if (inLongLine) {
          offset = at;
        }
      }
    }
    return given;
  }

  private int give(ByteArrayOutputStream line, Lines lines) {
    number++;
    if (inLongLine) {
      inLongLine = false;
      lines.take(null, number);
    } else {
      byte[] content = line.toByteArray();
      int length = content.length;
      if (length > 0 && content[length - 1] == CR) {
        length--;
      }
      lines.take(length == content.length ? content : Arrays.copyOf(content, length), number);
    }
    line.reset();
    return 1;
  }

  /** The old file is left once it has rested for a look: its writer may still hold it. */
  private int turnToNewFile(Lines lines) throws IOException {
    FileChannel open = channel;
    String current = currentKey();
    if (open == null || current == null || current.equals(key)) {
      restedAt = -1;
      return 0;
    }
    long size = open.size();
    if (restedAt != size) {
      restedAt = size;
      return 0;
    }
    int given = 0;
    if (size > offset) {
      given = last(open, size, lines);
    }
    open(successor());
    return Math.max(given, 1);
  }

  private @Nullable String currentKey() throws IOException {
    try {
      return Files.isRegularFile(path) ? keyOf(path) : null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** The file that was written after the open one: several rotations may lie between two looks. */
  private Path successor() throws IOException {
    FileTime left = null;
    List<Rotated> others = new ArrayList<>();
    for (Rotated one : rotated()) {
      if (keyOf(one.file()).equals(key)) {
        left = one.changed();
      } else {
        others.add(one);
      }
    }
    FileTime after = left;
    return after == null
        ? path
        : others.stream()
            .filter(one -> one.changed().compareTo(after) > 0)
            .min(Comparator.comparing(Rotated::changed))
            .map(Rotated::file)
            .orElse(path);
  }

  private List<Rotated> rotated() throws IOException {
    String name = String.valueOf(path.getFileName());
    Path folder = path.toAbsolutePath().getParent();
    List<Rotated> found = new ArrayList<>();
    if (folder == null) {
      return found;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        String other = String.valueOf(file.getFileName());
        if (other.startsWith(name)
            && ROTATED.matcher(other.substring(name.length())).matches()
            && Files.isReadable(file)
            && Files.isRegularFile(file)) {
          found.add(new Rotated(file, Files.getLastModifiedTime(file)));
        }
      }
    }
    return found;
  }

  /** A last line without its end, of a file that nobody writes any more. */
  private int last(FileChannel open, long size, Lines lines) throws IOException {
    long length = size - offset;
    if (inLongLine || length > maxLineBytes) {
      inLongLine = true;
      return give(new ByteArrayOutputStream(), lines);
    }
    ByteBuffer rest = ByteBuffer.allocate((int) length);
    open.read(rest, offset);
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    line.write(rest.array(), 0, rest.position());
    return give(line, lines);
  }

  private void open(Path file) throws IOException {
    close();
    channel = FileChannel.open(file, StandardOpenOption.READ);
    key = keyOf(file);
    offset = 0;
    number = 0;
    inLongLine = false;
    restedAt = -1;
    headLength = 0;
    headSha256 = "";
  }

  private boolean wasRewritten() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      return false;
    }
    if (open.size() < offset) {
      headLength = 0;
      headSha256 = "";
      return true;
    }
    if (headLength > 0 && !head(open, headLength).equals(headSha256)) {
      headLength = 0;
      headSha256 = "";
      return true;
    }
    int known = (int) Math.min(HEAD_BYTES, offset);
    if (known > headLength) {
      headLength = known;
      headSha256 = head(open, known);
    }
    return false;
  }

  /** How far it is read; null while there is no file. */
  @Nullable FilePlace place() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      return null;
    }
    int length = (int) Math.min(HEAD_BYTES, offset);
    return new FilePlace(key, offset, length, head(open, length));
  }

  private static String keyOf(Path file) throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return key == null ? "" : key.toString();
  }

  private static String head(FileChannel open, int length) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(length);
    int read = 1;
    while (head.hasRemaining() && read > 0) {
      read = open.read(head, head.position());
    }
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(head.array(), 0, head.position());
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}

package io.servedrift.ingest.files;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens one input: a file or standard input, gzip and byte order mark recognised by content. */
final class InputFile {
  /** The path that means standard input. */
  static final Path STDIN = Path.of("-");

  private final Path path;
  private final InputStream stdin;

  InputFile(Path path, InputStream stdin) {
    this.path = path;
    this.stdin = stdin;
  }

  /** How the input is called in origins and messages. */
  String name() {
    return path.equals(STDIN) ? "stdin" : path.toString();
  }

  InputStream open() throws IOException, FileReadException {
    InputStream raw = path.equals(STDIN) ? new Uncloseable(stdin) : openFile();
    try {
      return withoutByteOrderMark(decompressed(raw));
    } catch (IOException | FileReadException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }

  private InputStream openFile() throws IOException, FileReadException {
    if (Files.isDirectory(path)) {
      throw new FileReadException(path + ": is a folder, must be a file", null);
    }
    try {
      return Files.newInputStream(path);
    } catch (NoSuchFileException e) {
      throw new FileReadException(path + ": no such file", e);
    }
  }

  private static InputStream decompressed(InputStream raw) throws IOException {
    PushbackInputStream in = new PushbackInputStream(new BufferedInputStream(raw, 1 << 16), 4);
    byte[] head = in.readNBytes(2);
    in.unread(head);
    boolean gzip = head.length == 2 && (head[0] & 0xFF) == 0x1F && (head[1] & 0xFF) == 0x8B;
    return gzip ? new GZIPInputStream(in, 1 << 16) : in;
  }

  private InputStream withoutByteOrderMark(InputStream in) throws IOException, FileReadException {
    PushbackInputStream pushback = new PushbackInputStream(in, 4);
    byte[] head = pushback.readNBytes(3);
    int first = head.length > 1 ? (head[0] & 0xFF) << 8 | (head[1] & 0xFF) : 0;
    if (first == 0xFEFF || first == 0xFFFE) {
      throw new FileReadException(name() + ": is UTF-16, must be UTF-8 (convert it first)", null);
    }
    boolean mark = head.length == 3 && first == 0xEFBB && (head[2] & 0xFF) == 0xBF;
    if (!mark) {
      pushback.unread(head);
    }
    return pushback;
  }

  /** Standard input belongs to the caller and stays open. */
  private static final class Uncloseable extends FilterInputStream {
    Uncloseable(InputStream in) {
      super(in);
    }

    @Override
    public void close() {
      // the caller's stream
    }
  }
}

package io.servedrift.ingest.files;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Sorted entries, in memory or in one file; can be gone through more than once. */
final class SortedStore implements Closeable {
  private final List<SortEntry> held;
  private final @Nullable Path file;
  private final List<Closeable> open = new ArrayList<>();

  private SortedStore(List<SortEntry> held, @Nullable Path file) {
    this.held = held;
    this.file = file;
  }

  static SortedStore inMemory(List<SortEntry> sorted) {
    return new SortedStore(sorted, null);
  }

  static SortedStore inFile(Path sorted) {
    return new SortedStore(List.of(), sorted);
  }

  Iterator<SortEntry> iterator() {
    if (file == null) {
      return held.iterator();
    }
    try {
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16));
      open.add(in);
      return new FileIterator(in);
    } catch (IOException e) {
      throw new UncheckedIOException("sorted events in " + file + " cannot be read", e);
    }
  }

  @Override
  public void close() throws IOException {
    for (Closeable stream : open) {
      stream.close();
    }
  }

  private static final class FileIterator implements Iterator<SortEntry> {
    private final DataInputStream in;
    private @Nullable SortEntry next;

    FileIterator(DataInputStream in) {
      this.in = in;
      this.next = read();
    }

    private @Nullable SortEntry read() {
      try {
        return SortEntry.read(in);
      } catch (IOException e) {
        throw new UncheckedIOException("sorted events cannot be read back", e);
      }
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public SortEntry next() {
      SortEntry current = next;
      if (current == null) {
        throw new NoSuchElementException("no more events");
      }
      next = read();
      return current;
    }
  }
}

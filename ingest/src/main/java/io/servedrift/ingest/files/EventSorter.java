package io.servedrift.ingest.files;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * External merge sort: entries are held up to a limit in bytes, then written as sorted runs to a
 * temporary folder and merged. What fits the limit never touches the disk. Not thread-safe.
 */
final class EventSorter implements Closeable {
  /** Runs merged at once: keeps open files and buffers few. */
  static final int MAX_RUNS = 64;

  private final long maxHeapBytes;
  private final Path temporaryRoot;
  private List<SortEntry> held = new ArrayList<>();
  private long heldBytes;
  private final List<Path> runs = new ArrayList<>();
  private @Nullable Path folder;
  private int runsWritten;

  /**
   * @param maxHeapBytes bytes held before a run is written
   * @param temporaryRoot where the folder for runs is made
   */
  EventSorter(long maxHeapBytes, Path temporaryRoot) {
    this.maxHeapBytes = maxHeapBytes;
    this.temporaryRoot = temporaryRoot;
  }

  void add(SortEntry entry) throws IOException {
    held.add(entry);
    heldBytes += entry.heapBytes();
    if (heldBytes > maxHeapBytes) {
      spill();
    }
  }

  /**
   * Sorts everything and passes it by once in order.
   *
   * @return the sorted entries, in memory or in one file
   */
  SortedStore finish(Consumer<SortEntry> inOrder) throws IOException {
    if (runs.isEmpty()) {
      held.sort(null);
      held.forEach(inOrder);
      return SortedStore.inMemory(held);
    }
    spill();
    Path merged = merge(inOrder);
    return SortedStore.inFile(merged);
  }

  /** True when something was written to disk. */
  boolean spilled() {
    return runsWritten > 0;
  }

  private void spill() throws IOException {
    if (held.isEmpty()) {
      return;
    }
    held.sort(null);
    Path run = newRun();
    try (DataOutputStream out = output(run)) {
      for (SortEntry entry : held) {
        entry.write(out);
      }
    }
    runs.add(run);
    held = new ArrayList<>();
    heldBytes = 0;
    if (runs.size() >= MAX_RUNS) {
      Path merged = merge(e -> {});
      runs.add(merged);
    }
  }

  private Path merge(Consumer<SortEntry> inOrder) throws IOException {
    Path target = newRun();
    PriorityQueue<Run> heads = new PriorityQueue<>();
    List<Run> open = new ArrayList<>();
    try (DataOutputStream out = output(target)) {
      for (Path path : runs) {
        Run run = new Run(path);
        open.add(run);
        if (run.advance()) {
          heads.add(run);
        }
      }
      for (Run run = heads.poll(); run != null; run = heads.poll()) {
        SortEntry entry = run.head();
        inOrder.accept(entry);
        entry.write(out);
        if (run.advance()) {
          heads.add(run);
        }
      }
    } finally {
      for (Run run : open) {
        run.close();
      }
    }
    for (Path path : runs) {
      Files.delete(path);
    }
    runs.clear();
    return target;
  }

  private Path newRun() throws IOException {
    if (folder == null) {
      folder = Files.createTempDirectory(temporaryRoot, "servedrift-sort-");
    }
    return folder.resolve("run-" + runsWritten++);
  }

  private static DataOutputStream output(Path path) throws IOException {
    return new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path), 1 << 16));
  }

  /** Deletes the temporary files. */
  @Override
  public void close() throws IOException {
    Path toDelete = folder;
    if (toDelete == null || !Files.exists(toDelete)) {
      return;
    }
    try (var files = Files.list(toDelete)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(toDelete);
  }

  /** A sorted run with its first entry taken out. */
  private static final class Run implements Comparable<Run>, Closeable {
    private final DataInputStream in;
    private @Nullable SortEntry head;

    Run(Path path) throws IOException {
      in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16));
    }

    boolean advance() throws IOException {
      head = SortEntry.read(in);
      return head != null;
    }

    SortEntry head() {
      if (head == null) {
        throw new IllegalStateException("the run is at its end");
      }
      return head;
    }

    @Override
    public int compareTo(Run other) {
      return head().compareTo(other.head());
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}

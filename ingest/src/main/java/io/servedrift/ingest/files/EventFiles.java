package io.servedrift.ingest.files;

import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.schemas.ReadLimits;
import io.servedrift.schemas.avro.DeadLetter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads event files: NDJSON, CSV or what a runtime writes, plain or gzip, standard input as {@code
 * -}. Memory is bounded by the limit of one row and the limit of the sort, whatever the size of the
 * files.
 *
 * <pre>{@code
 * try (SortedEvents events =
 *     EventFiles.builder(List.of(path), FileFormat.CSV, Instant.now(clock))
 *         .mapping(Mapping.load(mappingFile))
 *         .build()
 *         .read(deadLetters::add)) {
 *   for (FileEvent e : events) { ... }
 * }
 * }</pre>
 *
 * <p>Immutable; each {@link #read} goes through the files anew.
 */
public final class EventFiles {
  private final Builder settings;

  private EventFiles(Builder settings) {
    this.settings = settings;
  }

  /**
   * Starts a description of what is to be read.
   *
   * @param paths at least one; {@code -} is standard input
   * @param notAfter a later event time is a dead letter
   */
  public static Builder builder(List<Path> paths, FileFormat format, Instant notAfter) {
    return new Builder(paths, format, notAfter);
  }

  /** The common case in one call: default limits, rows that cannot be used go to the consumer. */
  public static SortedEvents read(
      List<Path> paths,
      FileFormat format,
      @Nullable Mapping mapping,
      Instant notAfter,
      Consumer<DeadLetter> rejected)
      throws FileReadException {
    return builder(paths, format, notAfter).mapping(mapping).build().read(rejected);
  }

  /**
   * Reads everything and sorts it.
   *
   * @param rejected takes each row that cannot be used, in order of reading
   * @throws FileReadException when a file as a whole cannot be read; nothing is returned then, as a
   *     part of the data would look like all of it
   */
  public SortedEvents read(Consumer<DeadLetter> rejected) throws FileReadException {
    EventSorter sorter = new EventSorter(settings.maxHeapBytes, settings.temporaryRoot);
    try {
      return new FileReading(settings, sorter, rejected).run();
    } catch (FileReadException | RuntimeException e) {
      discard(sorter, e);
      throw e;
    }
  }

  private static void discard(EventSorter sorter, Exception cause) {
    try {
      sorter.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Settings of {@link EventFiles}. */
  public static final class Builder {
    final List<Path> paths;
    final FileFormat format;
    final Instant notAfter;
    @Nullable Mapping mapping;
    AdapterSettings adapter =
        new AdapterSettings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    InputStream stdin = System.in;
    ReadLimits limits = ReadLimits.DEFAULT;
    boolean keepRaw;
    long maxHeapBytes = 128L << 20;
    Path temporaryRoot = Path.of(System.getProperty("java.io.tmpdir", "."));
    ReadProgress progress = (file, rows, bytes) -> {};

    private Builder(List<Path> paths, FileFormat format, Instant notAfter) {
      if (paths.isEmpty()) {
        throw new IllegalArgumentException("paths: must name at least one file");
      }
      this.paths = List.copyOf(paths);
      this.format = format;
      this.notAfter = notAfter;
    }

    /** Needed for CSV; for NDJSON of another shape than the contract's. */
    public Builder mapping(@Nullable Mapping value) {
      mapping = value;
      return this;
    }

    /** What a runtime's format does not say itself; used with those formats only. */
    public Builder adapter(AdapterSettings value) {
      adapter = value;
      return this;
    }

    /** What {@code -} reads; default {@link System#in}. */
    public Builder stdin(InputStream value) {
      stdin = value;
      return this;
    }

    /** Limits of one row; default {@link ReadLimits#DEFAULT}. */
    public Builder limits(ReadLimits value) {
      limits = value;
      return this;
    }

    /** Keeps rejected rows as they are, unredacted; default off. */
    public Builder keepRaw(boolean value) {
      keepRaw = value;
      return this;
    }

    /** Bytes of encoded events held before the sort uses the disk; default 128 MiB. */
    public Builder maxHeapBytes(long value) {
      if (value < 1) {
        throw new IllegalArgumentException("maxHeapBytes=" + value + ": must be at least 1");
      }
      maxHeapBytes = value;
      return this;
    }

    /** Where sorted runs are written when they do not fit the memory; default the system's. */
    public Builder temporaryRoot(Path value) {
      temporaryRoot = value;
      return this;
    }

    /** Told every thousand rows. */
    public Builder progress(ReadProgress value) {
      progress = value;
      return this;
    }

    /**
     * The finished description.
     *
     * @throws IllegalArgumentException when the format needs a mapping or a deployment and there is
     *     none
     */
    public EventFiles build() {
      if (format.adapter() != null) {
        format.adapter().open(adapter);
      }
      if (format == FileFormat.CSV && mapping == null) {
        throw new IllegalArgumentException("--format csv: must have a --mapping");
      }
      return new EventFiles(this);
    }
  }
}

package io.servedrift.ingest.files;

import io.servedrift.ingest.adapters.AdapterFormat;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a line of an input file is. Compression is not part of it: gzip is detected by content. */
public enum FileFormat {
  /** One JSON object per line; with a mapping the objects may have any shape. */
  NDJSON(null),
  /** Comma-separated values with a header line; needs a mapping. */
  CSV(null),
  /** SGLang's file of requests. */
  SGLANG_METRICS(AdapterFormat.SGLANG_METRICS);

  private final @Nullable AdapterFormat adapter;

  FileFormat(@Nullable AdapterFormat adapter) {
    this.adapter = adapter;
  }

  /**
   * The format of a name given on the command line.
   *
   * @throws IllegalArgumentException naming the value and what is allowed
   */
  public static FileFormat of(String name) {
    for (FileFormat format : values()) {
      if (format.label().equals(name.toLowerCase(Locale.ROOT))) {
        return format;
      }
    }
    throw new IllegalArgumentException("--format " + name + ": must be one of " + labels());
  }

  /** All names, for messages. */
  public static String labels() {
    return Arrays.stream(values()).map(FileFormat::label).collect(Collectors.joining(", "));
  }

  /** The name used on the command line. */
  public String label() {
    return adapter == null ? name().toLowerCase(Locale.ROOT) : adapter.label();
  }

  /** The adapter that reads its lines; null for the project's own formats. */
  public @Nullable AdapterFormat adapter() {
    return adapter;
  }
}

package io.servedrift.ingest.files;

import java.util.Locale;

/** What a line of an input file is. Compression is not part of it: gzip is detected by content. */
public enum FileFormat {
  /** One JSON object per line; with a mapping the objects may have any shape. */
  NDJSON,
  /** Comma-separated values with a header line; needs a mapping. */
  CSV;

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
    throw new IllegalArgumentException("--format " + name + ": must be one of ndjson, csv");
  }

  /** The name used on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

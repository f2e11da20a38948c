package io.servedrift.monitors.archive;

import org.apache.avro.file.CodecFactory;

/** How the blocks of container files are compressed. */
public enum ArchiveCodec {
  /** Smaller and faster; every current Avro library reads it, some with an extra package. */
  ZSTD("zstd"),
  /** What every Avro library reads by itself. */
  DEFLATE("deflate");

  private static final int ZSTD_LEVEL = 3;
  private static final int DEFLATE_LEVEL = 6;

  private final String word;

  ArchiveCodec(String word) {
    this.word = word;
  }

  /** The name on the command line and in the manifest. */
  public String word() {
    return word;
  }

  /**
   * The codec of this name.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static ArchiveCodec of(String word) {
    for (ArchiveCodec codec : values()) {
      if (codec.word.equals(word)) {
        return codec;
      }
    }
    throw new IllegalArgumentException("codec " + word + ": must be zstd or deflate");
  }

  CodecFactory factory() {
    // Blocks carry the checksum of zstd beside the SHA-256 of the file: the one finds damage while
    // reading, the other before.
    return this == ZSTD
        ? CodecFactory.zstandardCodec(ZSTD_LEVEL, true)
        : CodecFactory.deflateCodec(DEFLATE_LEVEL);
  }
}

package io.servedrift.ingest.files;

/** Told from time to time how far reading is. */
@FunctionalInterface
public interface ReadProgress {
  /**
   * Called every thousand rows and at the end of each file.
   *
   * @param file input being read
   * @param rows rows read so far, over all files
   * @param bytes bytes of this file read so far, after decompression
   */
  void at(String file, long rows, long bytes);
}

package io.servedrift.ingest.files;

/** Told from time to time how far writing to Kafka is. */
@FunctionalInterface
public interface ImportProgress {
  /**
   * Called every thousand records and at the end.
   *
   * @param records written so far, ticks included
   * @param bytes of their values
   */
  void at(long records, long bytes);
}

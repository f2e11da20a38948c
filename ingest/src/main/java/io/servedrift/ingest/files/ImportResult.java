package io.servedrift.ingest.files;

import java.util.Map;

/**
 * What an import did. {@code read.read() = read.accepted() + read.rejected() + read.skipped()}, and
 * {@code read.accepted()} is the sum of {@code writtenByType}: an import that returns has written
 * all of it.
 *
 * @param prefix of the topics
 * @param read what became of every row of the files
 * @param writtenByType events acknowledged by the broker, by the word of their type
 * @param registrations configurations given inline, written to the configs topic beside the events
 * @param ticks written to every partition of requests, scores and serving events together
 * @param deadLetters rows written to the dead-letters topic or file
 */
public record ImportResult(
    String prefix,
    ReadSummary read,
    Map<String, Long> writtenByType,
    long registrations,
    long ticks,
    long deadLetters) {

  /** Events acknowledged by the broker. */
  public long written() {
    return writtenByType.values().stream().mapToLong(Long::longValue).sum();
  }
}

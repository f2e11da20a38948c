package io.servedrift.ingest.files;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of every row: {@code read = accepted + rejected + skipped}, always. Empty lines and
 * header lines are no rows; of a runtime's format each record is one, and a line may hold several.
 *
 * @param read rows found in all files
 * @param acceptedByType events by the word of their type
 * @param rejectedByReason dead letters by reason code
 * @param skippedByReason rows that the mapping leaves out, by the explanation it gives
 * @param registrations configurations and models given inline, each once
 * @param lookalikes accepted requests that equal an earlier one in everything but the request id;
 *     reported only, all of them are kept
 * @param repeats accepted events that equal an earlier one in everything; kept too, the monitor
 *     counts them as duplicates
 * @param unknownFields fields that no schema knows: ignored
 * @param unknownFieldsByName how often each of them came; of the first {@value #MOST_UNKNOWN_NAMES}
 *     names
 * @param cacheConflicts events whose cache flag contradicted the typed members
 * @param notes what was left out of accepted events because it cannot be true, or could not be
 *     read, by explanation
 * @param emptyFiles inputs without a single byte
 * @param first earliest event time accepted, null when there is none
 * @param last latest event time accepted, null when there is none
 */
public record ReadSummary(
    long read,
    Map<String, Long> acceptedByType,
    Map<String, Long> rejectedByReason,
    Map<String, Long> skippedByReason,
    long registrations,
    long lookalikes,
    long repeats,
    long unknownFields,
    Map<String, Long> unknownFieldsByName,
    long cacheConflicts,
    Map<String, Long> notes,
    List<String> emptyFiles,
    @Nullable Instant first,
    @Nullable Instant last) {

  /** Names of unknown fields that are told apart. */
  static final int MOST_UNKNOWN_NAMES = 50;

  /** Rows that became an event. */
  public long accepted() {
    return sum(acceptedByType);
  }

  /** Rows that became a dead letter. */
  public long rejected() {
    return sum(rejectedByReason);
  }

  /** Rows left out on purpose. */
  public long skipped() {
    return sum(skippedByReason);
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}

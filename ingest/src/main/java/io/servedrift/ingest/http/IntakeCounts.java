package io.servedrift.ingest.http;

import java.util.Map;

/**
 * What came in over HTTP since the endpoint was made, at one instant: {@code items = accepted +
 * rejected + failed}.
 *
 * @param items items answered
 * @param accepted items acknowledged by the broker
 * @param rejectedByReason items that will never be accepted, by reason code
 * @param failedByReason usable items that did not get through, by reason code; the sender was told
 * @param unknownFields fields that no schema knows, in accepted items
 * @param cacheConflicts accepted items whose {@code cache.hit} contradicted the typed members
 * @param deadLettersOffered rejected items handed to the publisher as dead letters
 * @param deadLettersDropped rejected items for which the publisher had no room
 * @param responsesByStatus answers by HTTP status
 */
public record IntakeCounts(
    long items,
    long accepted,
    Map<String, Long> rejectedByReason,
    Map<String, Long> failedByReason,
    long unknownFields,
    long cacheConflicts,
    long deadLettersOffered,
    long deadLettersDropped,
    Map<Integer, Long> responsesByStatus) {

  public IntakeCounts {
    rejectedByReason = Map.copyOf(rejectedByReason);
    failedByReason = Map.copyOf(failedByReason);
    responsesByStatus = Map.copyOf(responsesByStatus);
  }
}

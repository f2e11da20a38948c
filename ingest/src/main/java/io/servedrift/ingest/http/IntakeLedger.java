package io.servedrift.ingest.http;

import java.util.HashMap;
import java.util.Map;

/** The endpoint's counters, changed under one lock so that a snapshot adds up. Thread-safe. */
final class IntakeLedger {

  private final Map<String, Long> rejected = new HashMap<>();
  private final Map<String, Long> failed = new HashMap<>();
  private final Map<Integer, Long> responses = new HashMap<>();
  private long items;
  private long accepted;
  private long unknownFields;
  private long cacheConflicts;
  private long deadLettersOffered;
  private long deadLettersDropped;

  synchronized void answered(int status, Verdicts answer) {
    responses.merge(status, 1L, Long::sum);
    for (Verdicts.Verdict verdict : answer.verdicts()) {
      items++;
      if (verdict instanceof Verdicts.Verdict.Accepted yes) {
        accepted++;
        unknownFields += yes.unknownFields();
        cacheConflicts += yes.cacheConflicts();
      } else if (verdict instanceof Verdicts.Verdict.Rejected no) {
        rejected.merge(no.reason(), 1L, Long::sum);
      } else if (verdict instanceof Verdicts.Verdict.Failed later) {
        failed.merge(later.reason(), 1L, Long::sum);
      }
    }
  }

  synchronized void deadLetter(boolean kept) {
    if (kept) {
      deadLettersOffered++;
    } else {
      deadLettersDropped++;
    }
  }

  synchronized void refused(int status) {
    responses.merge(status, 1L, Long::sum);
  }

  synchronized IntakeCounts snapshot() {
    return new IntakeCounts(
        items,
        accepted,
        rejected,
        failed,
        unknownFields,
        cacheConflicts,
        deadLettersOffered,
        deadLettersDropped,
        responses);
  }
}

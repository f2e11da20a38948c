package io.servedrift.ingest.files;

import io.servedrift.schemas.Reading;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts while files are read. Not thread-safe. */
final class ReadTally {
  private final Map<String, Long> accepted = new TreeMap<>();
  private final Map<String, Long> rejected = new TreeMap<>();
  private final Map<String, Long> skipped = new TreeMap<>();
  private final List<String> emptyFiles = new ArrayList<>();
  private final Map<String, Long> notes = new TreeMap<>();
  private long read;
  private long registrations;
  private long unknownFields;
  private final Map<String, Long> unknownNames = new TreeMap<>();
  private long cacheConflicts;
  private @Nullable Instant first;
  private @Nullable Instant last;

  void row() {
    read++;
  }

  long rows() {
    return read;
  }

  void accepted(String type, Instant at, Reading.Accepted reading) {
    accepted.merge(type, 1L, Long::sum);
    unknownFields += reading.unknownFields();
    cacheConflicts += reading.cacheConflicts();
    for (String name : reading.unknownNames()) {
      if (unknownNames.containsKey(name) || unknownNames.size() < ReadSummary.MOST_UNKNOWN_NAMES) {
        unknownNames.merge(name, 1L, Long::sum);
      }
    }
    first = first == null || at.isBefore(first) ? at : first;
    last = last == null || at.isAfter(last) ? at : last;
  }

  void rejected(String reason) {
    rejected.merge(reason, 1L, Long::sum);
  }

  void skipped(String reason) {
    skipped.merge(reason, 1L, Long::sum);
  }

  void note(String what) {
    if (notes.containsKey(what) || notes.size() < ReadSummary.MOST_UNKNOWN_NAMES) {
      notes.merge(what, 1L, Long::sum);
    }
  }

  void registration() {
    registrations++;
  }

  void emptyFile(String name) {
    emptyFiles.add(name);
  }

  ReadSummary summary(Repetitions repetitions) {
    return new ReadSummary(
        read,
        Map.copyOf(accepted),
        Map.copyOf(rejected),
        Map.copyOf(skipped),
        registrations,
        repetitions.lookalikes(),
        repetitions.repeats(),
        unknownFields,
        Map.copyOf(unknownNames),
        cacheConflicts,
        Map.copyOf(notes),
        List.copyOf(emptyFiles),
        first,
        last);
  }
}

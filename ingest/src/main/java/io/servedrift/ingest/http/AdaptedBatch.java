package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;

/** What an adapter makes of one body: events, their registrations and dead letters. */
final class AdaptedBatch implements AdapterOutput {
  private final EventReader reader;
  private final String origin;
  private final Instant at;
  private final List<SpecificRecord> records = new ArrayList<>();
  private long accepted;
  private long rejected;
  private String firstReason = "";

  /**
   * @param origin of dead letters
   * @param at time of dead letters
   */
  AdaptedBatch(EventReader reader, String origin, Instant at) {
    this.reader = reader;
    this.origin = origin;
    this.at = at;
  }

  /** Everything to be published, in order. */
  List<SpecificRecord> records() {
    return records;
  }

  long accepted() {
    return accepted;
  }

  /** How many became a dead letter. */
  long rejected() {
    return rejected;
  }

  /** Why the first was rejected; empty when none was. */
  String firstReason() {
    return firstReason;
  }

  @Override
  public void event(ObjectNode publicJson, SourceLine from) {
    Reading reading = reader.readJson(publicJson);
    if (reading instanceof Reading.Accepted taken) {
      accepted++;
      records.addAll(taken.registrations());
      records.add(taken.event());
    } else if (reading instanceof Reading.Rejected why) {
      letter(publicJson.toString().getBytes(StandardCharsets.UTF_8), why);
    }
  }

  @Override
  public void skip(String reason, SourceLine from) {
    // What gives no event of its own is taken and forgotten.
  }

  @Override
  public void reject(String reason, List<Problem> problems, SourceLine from) {
    letter(from.content(), new Reading.Rejected(reason, problems)).setContent(null);
  }

  @Override
  public void note(String what) {
    // What cannot be true is left out; over HTTP nobody reads a count of it.
  }

  // Of a runtime's own line nothing is kept: only members of the contract are known to be harmless.
  private DeadLetter letter(byte[] kept, Reading.Rejected why) {
    rejected++;
    firstReason = firstReason.isEmpty() ? why.detail() : firstReason;
    DeadLetter letter = DeadLetters.of(kept, why, origin, at, false);
    records.add(letter);
    return letter;
  }
}

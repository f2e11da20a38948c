package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes a dead letter of each row that cannot be used and hands it on. */
final class LetterBox {
  private final Consumer<DeadLetter> rejected;
  private final Instant at;
  private final boolean keepRaw;

  /**
   * @param at time of the letters: rows without a valid time have none of their own
   * @param keepRaw keep the row as it is instead of what may be kept of it
   */
  LetterBox(Consumer<DeadLetter> rejected, Instant at, boolean keepRaw) {
    this.rejected = rejected;
    this.at = at;
    this.keepRaw = keepRaw;
  }

  /** A line that never became a row. */
  void malformed(FileRow.Malformed row, String origin) {
    Reading.Rejected why =
        new Reading.Rejected(row.reason(), List.of(new Problem(row.what(), "", row.allowed())));
    byte[] content = row.content().content();
    if (content != null) {
      rejected.accept(DeadLetters.of(content, why, origin, at, keepRaw));
      return;
    }
    DeadLetter letter = DeadLetters.of(new byte[0], why, origin, at, false);
    letter.setLength(row.content().length());
    letter.setSha256(String.valueOf(row.content().sha256()));
    rejected.accept(letter);
  }

  /** A line of the contract's JSON. */
  void json(byte[] line, Reading.Rejected why, String origin) {
    rejected.accept(DeadLetters.of(line, why, origin, at, keepRaw));
  }

  /**
   * A record that an adapter could not use.
   *
   * @param raw the line; empty when it is no longer held
   * @param event what the adapter made of it, null for nothing; the rest of the line is not kept,
   *     as it can hold prompts under any name
   */
  void adapted(byte[] raw, @Nullable ObjectNode event, Reading.Rejected why, String origin) {
    if (keepRaw && raw.length > 0) {
      rejected.accept(DeadLetters.of(raw, why, origin, at, true));
      return;
    }
    byte[] kept = event == null ? new byte[0] : event.toString().getBytes(StandardCharsets.UTF_8);
    DeadLetter letter = DeadLetters.of(kept, why, origin, at, false);
    if (raw.length > 0) {
      letter.setLength(raw.length);
      letter.setSha256(HexFormat.of().formatHex(LineReader.sha256().digest(raw)));
    }
    rejected.accept(letter);
  }

  /** A row that went through a mapping: kept are the mapped columns, never the others. */
  void mapped(FileRow.Columns row, RowMapper mapper, Reading.Rejected why, String origin) {
    if (keepRaw) {
      rejected.accept(DeadLetters.of(row.raw(), why, origin, at, true));
      return;
    }
    byte[] kept = mapper.mappedColumns(row.lookup()).toString().getBytes(StandardCharsets.UTF_8);
    DeadLetter letter = DeadLetters.of(kept, why, origin, at, false);
    byte[] raw = row.raw();
    letter.setLength(raw.length);
    letter.setSha256(HexFormat.of().formatHex(LineReader.sha256().digest(raw)));
    rejected.accept(letter);
  }
}

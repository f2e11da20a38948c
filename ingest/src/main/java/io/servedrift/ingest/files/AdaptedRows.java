package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Gives lines to an adapter and accounts for what it makes of them. Not thread-safe. */
final class AdaptedRows implements AdapterOutput {
  private final Adapter adapter;
  private final ReadTally tally;
  private final LetterBox letters;
  private final BiFunction<ObjectNode, SourceLine, Verdict> events;
  private final IntFunction<String> names;

  /**
   * What became of an event.
   *
   * @param refusal null when it was kept
   */
  record Verdict(Reading.@Nullable Rejected refusal) {
    static final Verdict KEPT = new Verdict(null);
  }

  /**
   * @param names of the inputs by their number
   * @param events checks and keeps an event
   */
  AdaptedRows(
      Adapter adapter,
      ReadTally tally,
      LetterBox letters,
      IntFunction<String> names,
      BiFunction<ObjectNode, SourceLine, Verdict> events) {
    this.adapter = adapter;
    this.tally = tally;
    this.letters = letters;
    this.names = names;
    this.events = events;
  }

  /**
   * Takes a line that is not blank.
   *
   * @throws UncheckedIOException when an event cannot be kept
   */
  void take(Line line, int file) {
    byte[] content = line.content();
    if (content != null) {
      adapter.take(new SourceLine(content, file, line.number()), this);
    }
  }

  /** Lets the adapter give what it holds. */
  void end() throws UnfitSourceException {
    adapter.end(this);
  }

  @Override
  public void event(ObjectNode publicJson, SourceLine from) {
    tally.row();
    Reading.Rejected why = events.apply(publicJson, from).refusal();
    if (why != null) {
      tally.rejected(why.reason());
      letters.adapted(from.content(), publicJson, why, origin(from));
    }
  }

  @Override
  public void skip(String reason, SourceLine from) {
    tally.row();
    tally.skipped(reason);
  }

  @Override
  public void reject(String reason, List<Problem> problems, SourceLine from) {
    tally.row();
    tally.rejected(reason);
    letters.adapted(from.content(), null, new Reading.Rejected(reason, problems), origin(from));
  }

  @Override
  public void note(String what) {
    tally.note(what);
  }

  private String origin(SourceLine from) {
    return names.apply(from.file()) + ":" + from.number();
  }
}

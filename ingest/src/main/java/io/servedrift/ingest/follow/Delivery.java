package io.servedrift.ingest.follow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;

/**
 * Gives events to the publisher and sees to it that each is acknowledged: what the broker did not
 * take is offered again, as the source is not read a second time. Not thread-safe.
 */
public final class Delivery implements AdapterOutput {
  private final EventSink sink;
  private final EventReader reader = new EventReader();
  private final Clock clock;
  private final Function<SourceLine, String> origins;
  private final Deque<SpecificRecord> batch = new ArrayDeque<>();
  private final Map<String, Long> rejected = new TreeMap<>();
  private final Map<String, Long> skipped = new TreeMap<>();
  private final Map<String, Long> notes = new TreeMap<>();
  private final Map<String, Long> published = new TreeMap<>();
  private long lines;

  /**
   * @param clock stamps dead letters
   * @param origins how a line is called in dead letters
   */
  public Delivery(EventSink sink, Clock clock, Function<SourceLine, String> origins) {
    this.sink = sink;
    this.clock = clock;
    this.origins = origins;
  }

  /** Lines or records counted so far. */
  public long lines() {
    return lines;
  }

  /** Counts a line or record. */
  public void line() {
    lines++;
  }

  @Override
  public void event(ObjectNode publicJson, SourceLine from) {
    Reading reading = reader.readJson(publicJson);
    if (reading instanceof Reading.Rejected why) {
      letter(publicJson.toString().getBytes(StandardCharsets.UTF_8), why, from);
    } else if (reading instanceof Reading.Accepted accepted) {
      accepted(accepted);
    }
  }

  /** A line in the shape of the contract. */
  public void contract(SourceLine line) {
    Reading reading = reader.readJson(line.content());
    if (reading instanceof Reading.Rejected why) {
      letter(line.content(), why, line);
    } else if (reading instanceof Reading.Accepted accepted) {
      accepted(accepted);
    }
  }

  private void accepted(Reading.Accepted accepted) {
    batch.addAll(accepted.registrations());
    batch.add(accepted.event());
  }

  @Override
  public void skip(String reason, SourceLine from) {
    skipped.merge(reason, 1L, Long::sum);
  }

  @Override
  public void reject(String reason, List<Problem> problems, SourceLine from) {
    letter(from.content(), new Reading.Rejected(reason, problems), from).setContent(null);
  }

  @Override
  public void note(String what) {
    notes.merge(what, 1L, Long::sum);
  }

  // Of a runtime's own line nothing is kept: only members of the contract are known to be harmless.
  private DeadLetter letter(byte[] kept, Reading.Rejected why, SourceLine from) {
    rejected.merge(why.reason(), 1L, Long::sum);
    DeadLetter letter = DeadLetters.of(kept, why, origins.apply(from), clock.instant(), false);
    batch.add(letter);
    return letter;
  }

  /**
   * Waits until everything given so far is acknowledged.
   *
   * @param stopped asked between attempts
   * @param pause waits before the next attempt
   * @return false when it was stopped before that
   */
  public boolean settle(BooleanSupplier stopped, Runnable pause) {
    while (!batch.isEmpty()) {
      List<SpecificRecord> sent = new ArrayList<>(batch);
      List<CompletableFuture<Published>> fates = new ArrayList<>(sent.size());
      sent.forEach(event -> fates.add(sink.publish(event)));
      batch.clear();
      for (int i = 0; i < sent.size(); i++) {
        if (isToBeSentAgain(fates.get(i))) {
          batch.add(sent.get(i));
        }
      }
      if (!batch.isEmpty()) {
        if (stopped.getAsBoolean()) {
          return false;
        }
        pause.run();
      }
    }
    return true;
  }

  private boolean isToBeSentAgain(CompletableFuture<Published> fate) {
    try {
      published.merge(fate.join().topic(), 1L, Long::sum);
      return false;
    } catch (CompletionException e) {
      if (e.getCause() instanceof EventDroppedException dropped && dropped.reason().isFinal()) {
        rejected.merge(dropped.reason().code(), 1L, Long::sum);
        return false;
      }
      return true;
    }
  }

  /** What became of the lines so far. */
  public FollowCounts counts() {
    return new FollowCounts(lines, published, rejected, skipped, notes);
  }
}

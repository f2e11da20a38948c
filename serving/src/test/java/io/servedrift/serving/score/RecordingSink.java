package io.servedrift.serving.score;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.avro.specific.SpecificRecord;

/** Keeps what it is offered, or refuses it. */
public final class RecordingSink implements EventSink {

  public final List<SpecificRecord> events = new CopyOnWriteArrayList<>();
  public volatile boolean refuses;

  @Override
  public boolean offer(SpecificRecord event) {
    if (!refuses) {
      events.add(event);
    }
    return !refuses;
  }

  @Override
  public CompletableFuture<Published> publish(SpecificRecord event) {
    throw new UnsupportedOperationException("scores are offered");
  }
}

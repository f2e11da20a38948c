package io.servedrift.serving.node;

import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.specific.SpecificRecord;

/** Keeps what it is offered, and finds what a reader would reject. Thread-safe. */
public final class CollectingSink implements EventSink {

  private final List<SpecificRecord> events = new ArrayList<>();
  private boolean failing;

  /** Whether the broker acknowledges nothing. */
  public synchronized void failing(boolean fails) {
    failing = fails;
  }

  @Override
  public synchronized boolean offer(SpecificRecord event) {
    events.add(event);
    return true;
  }

  @Override
  public synchronized CompletableFuture<Published> publish(SpecificRecord event) {
    events.add(event);
    return failing
        ? CompletableFuture.failedFuture(new IllegalStateException("no broker"))
        : CompletableFuture.completedFuture(new Published("topic", 0, events.size()));
  }

  /** The events of one type, in order. */
  public synchronized <T> List<T> of(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Everything, in order. */
  public synchronized List<SpecificRecord> all() {
    return List.copyOf(events);
  }

  /** What the reader of the monitor says of each event that it would reject. */
  public List<Reading> rejected() {
    EventReader reader = new EventReader();
    return all().stream()
        .map(event -> reader.read(EventCodec.encode(event)))
        .filter(reading -> !(reading instanceof Reading.Accepted))
        .toList();
  }

  /** Books in which everything was published. */
  public PublisherMetrics metrics() {
    long offered = all().size();
    return new PublisherMetrics() {
      @Override
      public long offered() {
        return offered;
      }

      @Override
      public long published() {
        return offered;
      }

      @Override
      public long dropped(DropReason reason) {
        return 0;
      }

      @Override
      public long inFlight() {
        return 0;
      }

      @Override
      public long inFlightBytes() {
        return 0;
      }
    };
  }
}

package io.servedrift.ingest.http;

import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;

/** Keeps what it is given; the fate of each published event can be chosen. */
final class RecordingSink implements EventSink {

  static final CompletableFuture<Published> ACKNOWLEDGED =
      CompletableFuture.completedFuture(new Published("topic", 0, 0));

  final List<SpecificRecord> published = new CopyOnWriteArrayList<>();
  final List<SpecificRecord> offered = new CopyOnWriteArrayList<>();
  volatile boolean refuse;
  volatile Function<SpecificRecord, CompletableFuture<Published>> fate = event -> ACKNOWLEDGED;

  @Override
  public boolean offer(SpecificRecord event) {
    offered.add(event);
    return !refuse;
  }

  @Override
  public CompletableFuture<Published> publish(SpecificRecord event) {
    published.add(event);
    return fate.apply(event);
  }

  static CompletableFuture<Published> dropped(DropReason reason) {
    return CompletableFuture.failedFuture(new EventDroppedException(reason, "said the test", null));
  }

  <T> List<T> published(Class<T> type) {
    return published.stream().filter(type::isInstance).map(type::cast).toList();
  }
}

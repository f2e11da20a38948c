package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UntilTakenTest {

  /** A sink that refuses for one reason, or takes everything. */
  private static final class Broker implements EventSink {
    @Nullable DropReason refuses;
    final List<SpecificRecord> offered = new ArrayList<>();

    @Override
    public boolean offer(SpecificRecord event) {
      throw new AssertionError("nobody would know whether the broker has it");
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      offered.add(event);
      return refuses == null
          ? CompletableFuture.completedFuture(new Published("topic", 0, 0))
          : CompletableFuture.failedFuture(new EventDroppedException(refuses, "", null));
    }
  }

  private static RequestEvent event(String id) {
    return RequestEvent.newBuilder()
        .setRequestId(id)
        .setDeployment("chat")
        .setFinishedAt(Instant.EPOCH)
        .setStatus(RequestStatus.OK)
        .setLatencySeconds(1.0)
        .build();
  }

  @Test
  void offersAgainInOrder_untilTheBrokerIsBack() throws Exception {
    Broker broker = new Broker();
    UntilTaken untold = new UntilTaken(broker);
    broker.refuses = DropReason.BROKER_ERROR;
    assertThat(untold.add(event("a"))).isZero();
    assertThat(untold.offer()).isZero();
    assertThat(untold.add(event("b"))).isZero();
    assertThat(untold.offer()).isZero();
    broker.refuses = null;
    broker.offered.clear();
    assertThat(untold.offer()).isZero();
    assertThat(broker.offered).containsExactly(event("a"), event("b"));
    broker.offered.clear();
    assertThat(untold.offer()).isZero();
    assertThat(broker.offered).as("taken once").isEmpty();
  }

  @Test
  void givesUpWhatCanNeverBePublished() throws Exception {
    Broker broker = new Broker();
    UntilTaken untold = new UntilTaken(broker);
    broker.refuses = DropReason.TOO_LARGE;
    untold.add(event("a"));
    assertThat(untold.offer()).isEqualTo(1);
    broker.refuses = null;
    broker.offered.clear();
    assertThat(untold.offer()).isZero();
    assertThat(broker.offered).isEmpty();
  }

  @Test
  void givesUpTheOldest_whenAnOutageSeesTooManyChanges() throws Exception {
    Broker broker = new Broker();
    UntilTaken untold = new UntilTaken(broker);
    for (int i = 0; i < UntilTaken.MOST; i++) {
      assertThat(untold.add(event("e-" + i))).isZero();
    }
    assertThat(untold.add(event("last"))).isEqualTo(1);
    assertThat(untold.offer()).isZero();
    assertThat(broker.offered)
        .hasSize(UntilTaken.MOST)
        .startsWith(event("e-1"))
        .endsWith(event("last"));
  }
}

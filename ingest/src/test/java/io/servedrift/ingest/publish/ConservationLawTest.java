package io.servedrift.ingest.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.Topics;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

class ConservationLawTest {

  private static final long BUFFER_BYTES = 1_200_000;

  /** What happens next, to the publisher or at the broker. */
  enum Step {
    OFFER,
    PUBLISH,
    OFFER_TOO_LARGE,
    OFFER_UNENCODABLE,
    BROKER_ACKNOWLEDGES,
    BROKER_REFUSES,
    SEND_THROWS,
    FLUSH,
    CLOSE
  }

  @Property(tries = 300)
  void everyOfferedEventIsAccountedFor_whateverHappens(
      @ForAll @Size(min = 1, max = 60) List<Step> steps) {
    FlakyProducer producer = new FlakyProducer();
    EventPublisher publisher =
        new EventPublisher(
            producer,
            new Topics("t"),
            PublisherSettings.defaults("127.0.0.1:1")
                .withBufferBytes(BUFFER_BYTES)
                .withCloseTimeout(Duration.ZERO),
            Clock.fixed(TestEvents.NOON, ZoneOffset.UTC),
            () -> 0L);
    List<CompletableFuture<Published>> fates = new ArrayList<>();
    long offers = 0;
    long acceptedOffers = 0;
    long tooLarge = 0;
    long unencodable = 0;
    for (Step step : steps) {
      switch (step) {
        case OFFER -> {
          offers++;
          // Large ones, so that the buffer fills within a case.
          acceptedOffers += publisher.offer(TestEvents.large(90_000)) ? 1 : 0;
        }
        case PUBLISH -> {
          offers++;
          fates.add(publisher.publish(TestEvents.request("r-" + offers)));
        }
        case OFFER_TOO_LARGE -> {
          offers++;
          acceptedOffers += publisher.offer(TestEvents.large(1_000_001)) ? 1 : 0;
          tooLarge++;
        }
        case OFFER_UNENCODABLE -> {
          offers++;
          acceptedOffers += publisher.offer(TestEvents.unencodable()) ? 1 : 0;
          unencodable++;
        }
        case BROKER_ACKNOWLEDGES -> producer.completeNext();
        case BROKER_REFUSES -> producer.errorNext(new NotEnoughReplicasException("one of two"));
        case SEND_THROWS -> producer.throwOnNextSend();
        case FLUSH -> publisher.flush(Duration.ofSeconds(30));
        case CLOSE -> publisher.close();
        default -> throw new AssertionError(step);
      }
      assertAccountedFor(publisher.metrics());
    }
    publisher.close();

    PublisherMetrics end = publisher.metrics();
    assertAccountedFor(end);
    assertThat(end.inFlight()).isZero();
    assertThat(end.inFlightBytes()).isZero();
    assertThat(end.offered()).isEqualTo(offers);
    assertThat(end.published() + end.dropped()).isEqualTo(offers);
    assertThat(end.published())
        .isLessThanOrEqualTo(acceptedOffers + fates.size())
        .isLessThanOrEqualTo(offers - tooLarge - unencodable);
    assertThat(end.dropped(DropReason.ENCODE_ERROR)).isLessThanOrEqualTo(unencodable);
    assertThat(fates).allMatch(CompletableFuture::isDone);
  }

  private static void assertAccountedFor(PublisherMetrics m) {
    assertThat(m.offered()).isEqualTo(m.published() + m.dropped() + m.inFlight());
    assertThat(m.inFlight()).isNotNegative();
    assertThat(m.inFlightBytes()).isBetween(0L, BUFFER_BYTES);
  }

  /** As Kafka's own, a forced close fails what is unacknowledged before it returns. */
  private static final class FlakyProducer extends MockProducer<byte[], byte[]> {
    private final ConcurrentLinkedQueue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

    FlakyProducer() {
      super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void throwOnNextSend() {
      failures.add(new KafkaException("cannot send"));
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      RuntimeException failure = failures.poll();
      if (failure != null) {
        throw failure;
      }
      return super.send(record, callback);
    }

    @Override
    public void close(Duration timeout) {
      boolean more = true;
      while (more) {
        more = errorNext(new KafkaException("Producer is closed forcefully."));
      }
      super.close(timeout);
    }
  }
}

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
    PUBLISH,
    PUBLISH_LARGE,
    PUBLISH_TOO_LARGE,
    PUBLISH_LARGER_THAN_THE_BUFFER,
    PUBLISH_UNENCODABLE,
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
            () -> 0L,
            Duration.ofMillis(100));
    List<CompletableFuture<Published>> fates = new ArrayList<>();
    long offers = 0;
    long tooLarge = 0;
    long unencodable = 0;
    for (Step step : steps) {
      switch (step) {
        case PUBLISH -> {
          offers++;
          fates.add(publisher.publish(TestEvents.request("r-" + offers)));
        }
        case PUBLISH_LARGE -> {
          offers++;
          // So that the buffer fills within a case.
          fates.add(publisher.publish(TestEvents.large(90_000)));
        }
        case PUBLISH_TOO_LARGE -> {
          offers++;
          tooLarge++;
          fates.add(publisher.publish(TestEvents.large(1_000_001)));
        }
        case PUBLISH_LARGER_THAN_THE_BUFFER -> {
          offers++;
          tooLarge++;
          fates.add(publisher.publish(TestEvents.large((int) BUFFER_BYTES)));
        }
        case PUBLISH_UNENCODABLE -> {
          offers++;
          unencodable++;
          fates.add(publisher.publish(TestEvents.unencodable()));
        }
        case BROKER_ACKNOWLEDGES -> producer.completeNext();
        case BROKER_REFUSES -> producer.errorNext(new NotEnoughReplicasException("one of two"));
        case SEND_THROWS -> producer.throwOnNextSend();
        case FLUSH -> publisher.flush(Duration.ofSeconds(30));
        case CLOSE -> publisher.close();
        default -> throw new AssertionError(step);
      }
      assertAccountedFor(publisher, fates);
    }
    publisher.close();

    assertAccountedFor(publisher, fates);
    PublisherMetrics end = publisher.metrics();
    assertThat(end.inFlight()).isZero();
    assertThat(end.inFlightBytes()).isZero();
    assertThat(end.offered()).isEqualTo(offers);
    assertThat(end.published() + end.dropped()).isEqualTo(offers);
    assertThat(end.published())
        .isEqualTo(fates.stream().filter(fate -> !fate.isCompletedExceptionally()).count())
        .isLessThanOrEqualTo(offers - tooLarge - unencodable);
    assertThat(end.dropped(DropReason.ENCODE_ERROR)).isLessThanOrEqualTo(unencodable);
    assertThat(fates).allMatch(CompletableFuture::isDone);
  }

  private static long open(List<CompletableFuture<Published>> fates) {
    return fates.stream().filter(fate -> !fate.isDone()).count();
  }

  private static void assertAccountedFor(
      EventPublisher publisher, List<CompletableFuture<Published>> fates) {
    long openBefore = open(fates);
    PublisherMetrics m = publisher.metrics();
    // The publisher's thread may be between the book and the future of one event.
    assertThat(m.inFlight()).isBetween(open(fates) - 1, openBefore);
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

package io.servedrift.ingest.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventPublisherTest {

  private static final Clock CLOCK = Clock.fixed(TestEvents.NOON, ZoneOffset.UTC);
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final PublisherSettings SETTINGS =
      PublisherSettings.defaults("127.0.0.1:1")
          .withBufferBytes(1 << 20)
          .withCloseTimeout(Duration.ZERO);

  private final AtomicLong nanos = new AtomicLong();

  private EventPublisher publisher(
      MockProducer<byte[], byte[]> producer, PublisherSettings settings) {
    return new EventPublisher(producer, TOPICS, settings, CLOCK, nanos::get, LOOK);
  }

  private static MockProducer<byte[], byte[]> producer(boolean autoComplete) {
    return new MockProducer<>(
        autoComplete, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Test
  void sendsToTopicOfEventWithKeyAndEventTime_whenOffered() {
    MockProducer<byte[], byte[]> producer = producer(true);
    RequestEvent event = TestEvents.request("r-1", TestEvents.NOON.minusSeconds(90));
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      assertThat(publisher.offer(event)).isTrue();
      assertThat(publisher.flush(Duration.ofSeconds(30))).isTrue();
    }

    assertThat(producer.history()).hasSize(1);
    ProducerRecord<byte[], byte[]> sent = producer.history().get(0);
    assertThat(sent.topic()).isEqualTo(TOPICS.requests());
    assertThat(new String(sent.key(), StandardCharsets.UTF_8)).isEqualTo("r-1");
    assertThat(sent.timestamp()).isEqualTo(TestEvents.NOON.minusSeconds(90).toEpochMilli());
    assertThat(sent.partition()).isNull();
    assertThat(sent.value()).isEqualTo(EventCodec.encode(event));
  }

  @Test
  void stampsRecordNearPresentButLeavesEvent_whenEventIsFarAhead() {
    MockProducer<byte[], byte[]> producer = producer(true);
    RequestEvent ahead = TestEvents.request("r-1", TestEvents.NOON.plusSeconds(86_400));
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      publisher.offer(ahead);
      publisher.flush(Duration.ofSeconds(30));
    }

    ProducerRecord<byte[], byte[]> sent = producer.history().get(0);
    assertThat(sent.timestamp()).isEqualTo(TestEvents.NOON.plusSeconds(1800).toEpochMilli());
    assertThat(sent.value()).isEqualTo(EventCodec.encode(ahead));
  }

  @Test
  void dropsNewestAndReturns_whenProducerBlocksForever() throws Exception {
    BlockedProducer producer = new BlockedProducer();
    EventPublisher publisher = publisher(producer, SETTINGS);
    assertThat(publisher.offer(TestEvents.request("first"))).isTrue();
    producer.awaitEntered();

    int taken = 1;
    while (publisher.offer(TestEvents.request("r-" + taken))) {
      taken++;
    }

    PublisherMetrics metrics = publisher.metrics();
    assertThat(metrics.inFlight()).isEqualTo(taken);
    assertThat(metrics.inFlightBytes()).isLessThanOrEqualTo(SETTINGS.bufferBytes());
    assertThat(metrics.dropped(DropReason.BUFFER_FULL)).isEqualTo(1);
    assertThat(publisher.publish(TestEvents.request("x"))).isCompletedExceptionally();

    publisher.close();
    assertThat(publisher.metrics().inFlight()).isZero();
    assertThat(publisher.metrics().dropped(DropReason.CLOSED)).isEqualTo(taken);
    producer.release();
  }

  @Test
  void completesFuture_whenBrokerAcknowledges() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(false);
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      CompletableFuture<Published> fate = publisher.publish(TestEvents.request("r-1"));
      assertThat(fate).isNotDone();
      await().until(producer::completeNext);

      assertThat(fate.get(30, TimeUnit.SECONDS)).isEqualTo(new Published(TOPICS.requests(), 0, 0));
      assertThat(publisher.metrics().published()).isEqualTo(1);
    }
  }

  @Test
  void failsFutureWithReason_whenBrokerRefuses() {
    MockProducer<byte[], byte[]> producer = producer(false);
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      CompletableFuture<Published> refused = publisher.publish(TestEvents.request("r-1"));
      await().until(() -> producer.errorNext(new NotEnoughReplicasException("one of two")));
      CompletableFuture<Published> large = publisher.publish(TestEvents.request("r-2"));
      await().until(() -> producer.errorNext(new RecordTooLargeException("limit")));

      assertDropped(refused, DropReason.BROKER_ERROR);
      assertDropped(large, DropReason.TOO_LARGE);
    }
  }

  @Test
  void drops_whenEventIsTooLargeOrCannotBeEncodedOrPublisherIsClosed() {
    MockProducer<byte[], byte[]> producer = producer(true);
    EventPublisher publisher = publisher(producer, SETTINGS);
    assertDropped(publisher.publish(TestEvents.large(1_000_001)), DropReason.TOO_LARGE);
    assertDropped(publisher.publish(TestEvents.unencodable()), DropReason.ENCODE_ERROR);
    publisher.close();
    assertDropped(publisher.publish(TestEvents.request("late")), DropReason.CLOSED);

    assertThat(producer.history()).isEmpty();
    assertThat(publisher.metrics().offered()).isEqualTo(3);
    assertThat(publisher.metrics().dropped()).isEqualTo(3);
    publisher.close();
  }

  @Test
  void dropsWithoutSending_whenEventWaitedLongerThanDeliveryTimeout() throws Exception {
    BlockedProducer producer = new BlockedProducer();
    EventPublisher publisher = publisher(producer, SETTINGS);
    publisher.offer(TestEvents.request("stuck"));
    producer.awaitEntered();
    CompletableFuture<Published> waiting = publisher.publish(TestEvents.request("waiting"));
    nanos.addAndGet(SETTINGS.deliveryTimeout().toNanos() + 1);
    producer.release();

    assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("no acknowledgement within PT10S");
    publisher.close();
  }

  @Test
  void encodesOnItsOwnThread_whenEventIsOffered() {
    MockProducer<byte[], byte[]> producer = producer(true);
    AtomicReference<String> encoding = new AtomicReference<>("");
    RequestEvent event =
        new RequestEvent() {
          @Override
          public String getRequestId() {
            encoding.set(Thread.currentThread().getName());
            return "r-1";
          }
        };
    event.setDeployment("image-gen");
    event.setFinishedAt(TestEvents.NOON);
    event.setStatus(RequestStatus.OK);
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      publisher.offer(event);
      publisher.flush(Duration.ofSeconds(30));
    }
    assertThat(encoding.get()).isEqualTo("servedrift-publisher");
  }

  @Test
  void keepsOrder_whenEventsAreOfferedAndPublishedInTurn() {
    MockProducer<byte[], byte[]> producer = producer(true);
    List<String> ids = IntStream.range(0, 200).mapToObj(i -> "r-" + i).toList();
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      for (String id : ids) {
        RequestEvent event = TestEvents.request(id);
        if (id.endsWith("7")) {
          var unused = publisher.publish(event);
        } else {
          publisher.offer(event);
        }
      }
      publisher.flush(Duration.ofSeconds(30));
    }
    assertThat(producer.history())
        .extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
        .containsExactlyElementsOf(ids);
  }

  @Test
  void accountsForEveryEvent_whenManyThreadsOfferWhileItCloses() throws Exception {
    int threads = 4;
    int each = 2_000;
    MockProducer<byte[], byte[]> producer = producer(true);
    EventPublisher publisher = publisher(producer, SETTINGS);
    AtomicLong refused = new AtomicLong();
    List<Thread> offering = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  refused.addAndGet(publisher.offer(TestEvents.request("r-" + i)) ? 0 : 1);
                }
              });
      offering.add(thread);
      thread.start();
    }
    while (publisher.metrics().offered() < threads * each / 2) {
      PublisherMetrics now = publisher.metrics();
      assertThat(now.offered()).isEqualTo(now.published() + now.dropped() + now.inFlight());
      assertThat(now.inFlight()).isNotNegative();
      assertThat(now.inFlightBytes()).isBetween(0L, SETTINGS.bufferBytes());
    }
    publisher.close();
    for (Thread thread : offering) {
      thread.join();
    }

    PublisherMetrics end = publisher.metrics();
    assertThat(end.offered()).isEqualTo((long) threads * each);
    assertThat(end.inFlight()).isZero();
    assertThat(end.inFlightBytes()).isZero();
    assertThat(end.published() + end.dropped()).isEqualTo((long) threads * each);
    assertThat(end.dropped()).isGreaterThanOrEqualTo(refused.get());
    assertThat(end.published()).isEqualTo(producer.history().size());
  }

  @Test
  void goesOn_whenAnErrorEndsTheEncodingOfOneEvent() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(true);
    RequestEvent poisoned =
        new RequestEvent() {
          @Override
          public String getRequestId() {
            if (Thread.currentThread().getName().equals("servedrift-publisher")) {
              throw new NoClassDefFoundError("a part is missing");
            }
            return "r-1";
          }
        };
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      CompletableFuture<Published> lost = publisher.publish(poisoned);
      CompletableFuture<Published> next = publisher.publish(TestEvents.request("r-2"));

      assertDropped(lost, DropReason.ENCODE_ERROR);
      assertThat(next.get(30, TimeUnit.SECONDS).topic()).isEqualTo(TOPICS.requests());
    }
  }

  @Test
  void goesOn_whenAnErrorEndsASend() throws Exception {
    AtomicBoolean failing = new AtomicBoolean(true);
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            if (failing.getAndSet(false)) {
              throw new OutOfMemoryError("for this one");
            }
            return super.send(record, callback);
          }
        };
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      assertDropped(publisher.publish(TestEvents.request("r-1")), DropReason.BROKER_ERROR);
      CompletableFuture<Published> next = publisher.publish(TestEvents.request("r-2"));
      assertThat(next.get(30, TimeUnit.SECONDS).topic()).isEqualTo(TOPICS.requests());
    }
  }

  @Test
  void sendsBeforeASmallBufferIsFull_howeverRarelyItLooks() {
    PublisherSettings small =
        new PublisherSettings(
            64 * 1024, 60_000, Duration.ofSeconds(10), Duration.ofSeconds(30), SETTINGS.kafka());
    MockProducer<byte[], byte[]> producer = producer(true);
    try (EventPublisher publisher =
        new EventPublisher(producer, TOPICS, small, CLOCK, nanos::get, Duration.ofDays(1))) {
      long held = 0;
      for (int i = 0; held < 3 * small.bufferBytes(); i++) {
        long before = publisher.metrics().inFlightBytes();
        assertThat(publisher.offer(TestEvents.request("r-" + i))).isTrue();
        long after = publisher.metrics().inFlightBytes();
        held += Math.max(1, after - before);
        if (after >= small.bufferBytes() / 4) {
          await().until(() -> publisher.metrics().inFlightBytes() == 0);
        }
      }
      assertThat(publisher.metrics().dropped()).isZero();
    }
  }

  @Test
  void takesWhatFitsEncoded_whenItWeighsMoreThanTheBuffer() throws Exception {
    PublisherSettings small =
        new PublisherSettings(
            64 * 1024, 60_000, Duration.ofSeconds(10), Duration.ZERO, SETTINGS.kafka());
    RequestEvent twoBytesACharacter = TestEvents.request("r-1");
    twoBytesACharacter.setError("\u00fc".repeat(25_000));
    try (EventPublisher publisher = publisher(producer(true), small)) {
      CompletableFuture<Published> fits = publisher.publish(twoBytesACharacter);
      assertThat(fits.get(30, TimeUnit.SECONDS).topic()).isEqualTo(TOPICS.requests());
    }
  }

  @Test
  void saysTooLarge_whenAnEventCanNeverFit() {
    PublisherSettings small =
        new PublisherSettings(
            64 * 1024, 64 * 1024, Duration.ofSeconds(10), Duration.ZERO, SETTINGS.kafka());
    try (EventPublisher publisher = publisher(producer(true), small)) {
      assertDropped(publisher.publish(TestEvents.large(70_000)), DropReason.TOO_LARGE);
      // Within the record's limit, but not with what it holds beside.
      assertDropped(publisher.publish(TestEvents.large(65_450)), DropReason.TOO_LARGE);
      assertThat(publisher.offer(TestEvents.large(70_000))).isFalse();
      assertThat(publisher.metrics().dropped(DropReason.TOO_LARGE)).isEqualTo(3);
      assertThat(publisher.metrics().offered()).isEqualTo(3);
    }
  }

  /** A caller's thread that stands still between being admitted and the queue. */
  private static final class Straggler implements LongSupplier {
    private final CountDownLatch admitted = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    @Override
    public long getAsLong() {
      if (Thread.currentThread().getName().equals("straggler")) {
        admitted.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return 0;
    }

    CompletableFuture<Boolean> offer(EventPublisher publisher) throws InterruptedException {
      CompletableFuture<Boolean> told = new CompletableFuture<>();
      new Thread(() -> told.complete(publisher.offer(TestEvents.request("late"))), "straggler")
          .start();
      admitted.await();
      return told;
    }
  }

  @Test
  void publishesWhatWasAdmitted_whenItComesIntoTheQueueAfterClose() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(true);
    Straggler straggler = new Straggler();
    EventPublisher publisher =
        new EventPublisher(
            producer,
            TOPICS,
            SETTINGS.withCloseTimeout(Duration.ofSeconds(30)),
            CLOCK,
            straggler,
            LOOK);
    CompletableFuture<Boolean> told = straggler.offer(publisher);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(publisher::close);
    await().until(() -> !publisher.offer(TestEvents.request("refused")));
    straggler.go.countDown();

    assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
    closed.get(30, TimeUnit.SECONDS);
    assertThat(producer.history())
        .extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
        .contains("late");
    assertThat(publisher.metrics().published()).isEqualTo(producer.history().size());
    assertThat(publisher.metrics().inFlight()).isZero();
  }

  @Test
  void takesTheEventBack_whenThePublisherIsGoneMeanwhile() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(true);
    Straggler straggler = new Straggler();
    EventPublisher publisher =
        new EventPublisher(producer, TOPICS, SETTINGS, CLOCK, straggler, LOOK);
    CompletableFuture<Boolean> told = straggler.offer(publisher);
    publisher.close();
    assertThat(publisher.metrics().inFlight()).isEqualTo(1);
    straggler.go.countDown();

    assertThat(told.get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(producer.history()).isEmpty();
    assertThat(publisher.metrics().dropped(DropReason.CLOSED)).isEqualTo(1);
    assertThat(publisher.metrics().inFlight()).isZero();
    assertThat(publisher.metrics().inFlightBytes()).isZero();
  }

  @Test
  void keepsTheOrderOfEachThread_whenEventsBetweenAreDropped() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(true);
    int each = 100;
    try (EventPublisher publisher = publisher(producer, SETTINGS)) {
      List<Thread> offering = new ArrayList<>();
      for (String name : List.of("a", "b", "c")) {
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    publisher.offer(TestEvents.request(name + i));
                    publisher.offer(TestEvents.unencodable());
                  }
                });
        offering.add(thread);
        thread.start();
      }
      for (Thread thread : offering) {
        thread.join();
      }
      assertThat(publisher.flush(Duration.ofSeconds(30))).isTrue();
    }
    List<String> keys =
        producer.history().stream()
            .map(record -> new String(record.key(), StandardCharsets.UTF_8))
            .toList();
    for (String name : List.of("a", "b", "c")) {
      assertThat(keys.stream().filter(key -> key.startsWith(name)))
          .containsExactlyElementsOf(IntStream.range(0, each).mapToObj(i -> name + i).toList());
    }
  }

  @Test
  void configuresProducerSafelyAndLetsUserOverride_whenSettingsAreGiven() {
    Map<String, Object> own =
        EventPublisher.producerSettings(PublisherSettings.defaults("broker:9092"));
    assertThat(own)
        .containsEntry(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "broker:9092")
        .containsEntry(ProducerConfig.ACKS_CONFIG, "all")
        .containsEntry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true)
        .containsEntry(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");

    Map<String, Object> overridden =
        EventPublisher.producerSettings(
            PublisherSettings.defaults("x")
                .withKafka(Map.of("bootstrap.servers", "y:1", "compression.type", "zstd")));
    assertThat(overridden)
        .containsEntry(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd")
        .containsEntry(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "y:1");
  }

  @Test
  void namesValueAndRange_whenSettingIsOutOfRange() {
    assertThatThrownBy(() -> SETTINGS.withBufferBytes(10))
        .hasMessage("publisher bufferBytes=10: must be at least 65536");
    assertThatThrownBy(() -> SETTINGS.withDeliveryTimeout(Duration.ZERO))
        .hasMessage("publisher deliveryTimeout=PT0S: must be between 1s and 1h");
  }

  private static void assertDropped(CompletableFuture<Published> fate, DropReason reason) {
    assertThatThrownBy(() -> fate.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            EventDroppedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}

package io.servedrift.ingest.publish;

import io.servedrift.schemas.Topics;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes events to their topics: encoded as Avro single objects, keyed by their topic's key,
 * stamped with their event time ({@link RecordEncoder}), lz4, idempotent, acknowledged by all
 * replicas.
 *
 * <p><b>Never blocks the caller, and costs it microseconds.</b> An event is put into a buffer
 * bounded in bytes, without waiting for a lock; one thread of its own looks every {@value
 * #LOOK_MILLIS} ms, and at once when a quarter of the buffer waits, encodes what is there and feeds
 * Kafka's producer, whose {@code send} may wait for metadata. Order is kept. When the buffer is
 * full the <em>newest</em> event is dropped: what was accepted earlier keeps its place. Every event
 * is accounted for, see {@link PublisherMetrics}.
 *
 * <p><b>What a killed process costs.</b> All that is not acknowledged: what was offered since the
 * last look, and what is on its way to the broker. An orderly {@link #close()} sends it.
 *
 * <p>Thread-safe.
 */
public final class EventPublisher implements EventSink, AutoCloseable {

  private static final int LOOK_MILLIS = 100;
  private static final Duration PAUSE_AFTER_AN_ERROR = Duration.ofMillis(10);

  /** What an event costs on the heap beside its own: queue node, record, future, batch slot. */
  private static final int OVERHEAD_BYTES = 256;

  private final Producer<byte[], byte[]> producer;
  private final RecordEncoder encoder;
  private final PublisherSettings settings;
  private final LongSupplier nanoTime;
  private final Ledger ledger;
  private final DropLog dropLog;
  private final SendQueue queue;
  private final Duration look;
  private final Thread sender;
  private final Refusal full;
  private volatile @Nullable Parcel inHand;
  private volatile boolean stopping;

  /** Whether nobody looks into the queue any more, but who puts something there. */
  private volatile boolean abandoned;

  /**
   * Connects in the background; an unreachable broker shows as {@code broker_error}.
   *
   * @throws org.apache.kafka.common.KafkaException when the Kafka settings are wrong
   */
  public EventPublisher(PublisherSettings settings, Topics topics) {
    this(
        new KafkaProducer<>(
            producerSettings(settings), new ByteArraySerializer(), new ByteArraySerializer()),
        topics,
        settings,
        Clock.systemUTC(),
        System::nanoTime,
        Duration.ofMillis(LOOK_MILLIS));
  }

  EventPublisher(
      Producer<byte[], byte[]> producer,
      Topics topics,
      PublisherSettings settings,
      Clock clock,
      LongSupplier nanoTime,
      Duration look) {
    this.producer = producer;
    this.encoder = new RecordEncoder(topics, settings.maxRecordBytes(), clock);
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.look = look;
    this.ledger = new Ledger(settings.bufferBytes());
    this.queue = new SendQueue(settings.bufferBytes(), ledger);
    this.dropLog = new DropLog(nanoTime);
    this.full =
        new Refusal(
            DropReason.BUFFER_FULL,
            "buffer of " + settings.bufferBytes() + " bytes is full; newest events are dropped",
            null);
    this.sender = new Thread(this::feedProducer, "servedrift-publisher");
    this.sender.setDaemon(true);
    this.sender.start();
  }

  static Map<String, Object> producerSettings(PublisherSettings settings) {
    int delivery = Math.toIntExact(settings.deliveryTimeout().toMillis());
    int linger = 5;
    Map<String, Object> p = new HashMap<>();
    p.put(ProducerConfig.ACKS_CONFIG, "all");
    p.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // With more, the first batch for a partition whose leader is just coming up is refused while
    // the
    // second gets through; the broker takes that one as the start of the producer's sequence, and
    // the first can never be delivered.
    p.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    p.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    p.put(ProducerConfig.LINGER_MS_CONFIG, linger);
    p.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 * 1024);
    // Twice our own bound, because batches are allocated whole: the buffer that fills is ours.
    p.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(2 * settings.bufferBytes(), 4L << 20));
    // Only our own thread waits. Enough for the first metadata of a cold start; short enough that
    // one missing topic does not hold up the others for long.
    p.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.min(2_000, delivery));
    p.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, delivery);
    p.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(30_000, delivery / 2));
    p.put(ProducerConfig.CLIENT_ID_CONFIG, "servedrift-publisher");
    p.putAll(settings.kafka());
    return p;
  }

  @Override
  public boolean offer(SpecificRecord event) {
    return enter(event, null) == null;
  }

  @Override
  public CompletableFuture<Published> publish(SpecificRecord event) {
    CompletableFuture<Published> fate = new CompletableFuture<>();
    Refusal refused = enter(event, fate);
    if (refused == null) {
      queue.wake();
    } else {
      fate.completeExceptionally(
          new EventDroppedException(refused.reason, refused.detail, refused.cause));
    }
    return fate;
  }

  /** Why an event was dropped at once. */
  private record Refusal(DropReason reason, String detail, @Nullable Throwable cause) {
    static final Refusal CLOSED = new Refusal(DropReason.CLOSED, "the publisher is closed", null);
  }

  private @Nullable Refusal enter(
      SpecificRecord event, @Nullable CompletableFuture<Published> fate) {
    long weight = EventWeight.of(event) + OVERHEAD_BYTES;
    if (weight <= settings.bufferBytes()) {
      return enter(() -> encoder.encode(event), weight, fate);
    }
    // Would never find room for its weight, which may be far above its size.
    try {
      ProducerRecord<byte[], byte[]> record = encoder.encode(event);
      long bytes = bytes(record);
      if (bytes > settings.bufferBytes()) {
        throw new EventDroppedException(
            DropReason.TOO_LARGE,
            bytes + " bytes with its key, in a buffer of " + settings.bufferBytes(),
            null);
      }
      return enter(() -> record, bytes, fate);
    } catch (EventDroppedException e) {
      ledger.refused(e.reason());
      return logged(new Refusal(e.reason(), e.detail(), e.getCause()));
    }
  }

  private @Nullable Refusal enter(
      Supplier<ProducerRecord<byte[], byte[]>> content,
      long bytes,
      @Nullable CompletableFuture<Published> fate) {
    DropReason refused = ledger.admit(bytes);
    if (refused != null) {
      return logged(refused == DropReason.CLOSED ? Refusal.CLOSED : full);
    }
    Parcel parcel =
        new Parcel(
            content, bytes, nanoTime.getAsLong() + settings.deliveryTimeout().toNanos(), fate);
    queue.add(parcel);
    if (abandoned && parcel.take()) {
      ledger.dropped(parcel.settle(), DropReason.CLOSED);
      return logged(Refusal.CLOSED);
    }
    return null;
  }

  private Refusal logged(Refusal refused) {
    dropLog.dropped(refused.reason, refused.detail);
    return refused;
  }

  private static int bytes(ProducerRecord<byte[], byte[]> record) {
    return record.value().length + record.key().length + OVERHEAD_BYTES;
  }

  private void feedProducer() {
    while (!stopping) {
      try {
        dropInHand();
        sayDrops();
        work();
      } catch (RuntimeException | Error e) {
        // What befell one event must not end the sending of all. The next round drops it; a pause,
        // because memory may be short.
        LockSupport.parkNanos(this, PAUSE_AFTER_AN_ERROR.toNanos());
      }
    }
  }

  /** What is in hand still when a round begins could not even be dropped in the one before. */
  private void dropInHand() {
    Parcel failed = inHand;
    if (failed != null) {
      drop(failed, DropReason.BROKER_ERROR, "could not be sent", null);
      inHand = null;
    }
  }

  private void sayDrops() {
    try {
      dropLog.say();
    } catch (RuntimeException | Error unsaid) {
      // The books tell it as well, and events matter more than the log.
      return;
    }
  }

  private void work() {
    Work work = queue.poll();
    if (work == null) {
      queue.sleep(look);
    } else if (work instanceof Parcel parcel) {
      if (parcel.take()) {
        inHand = parcel;
        send(parcel);
        inHand = null;
      }
    } else if (work instanceof FlushMark mark) {
      flushProducer(mark);
    }
  }

  private void send(Parcel parcel) {
    if (parcel.late(nanoTime.getAsLong())) {
      drop(
          parcel,
          DropReason.BROKER_ERROR,
          "no acknowledgement within " + settings.deliveryTimeout(),
          null);
      return;
    }
    try {
      ProducerRecord<byte[], byte[]> record = parcel.unpack();
      ledger.shrunk(parcel.shrinkTo(bytes(record)));
      // The callback tells what the future would.
      var unused = producer.send(record, (metadata, failure) -> settled(parcel, metadata, failure));
    } catch (EventDroppedException e) {
      drop(parcel, e);
    } catch (RuntimeException | Error e) {
      drop(parcel, stopping ? DropReason.CLOSED : DropReason.BROKER_ERROR, text(e), e);
    }
  }

  private void settled(
      Parcel parcel, @Nullable RecordMetadata metadata, @Nullable Exception failure) {
    if (failure == null && metadata != null) {
      long held = parcel.settle();
      if (held >= 0) {
        ledger.published(held);
        parcel.arrived(new Published(metadata.topic(), metadata.partition(), metadata.offset()));
      }
      return;
    }
    DropReason reason =
        failure instanceof RecordTooLargeException
                || failure instanceof RecordBatchTooLargeException
            ? DropReason.TOO_LARGE
            : stopping ? DropReason.CLOSED : DropReason.BROKER_ERROR;
    drop(parcel, reason, failure == null ? "no metadata" : text(failure), failure);
  }

  private void drop(Parcel parcel, DropReason reason, String detail, @Nullable Throwable cause) {
    drop(parcel, new EventDroppedException(reason, detail, cause));
  }

  private void drop(Parcel parcel, EventDroppedException why) {
    long held = parcel.settle();
    if (held >= 0) {
      ledger.dropped(held, why.reason());
      dropLog.dropped(why.reason(), why.detail());
      parcel.failed(why);
    }
  }

  private static String text(Throwable e) {
    return e.getClass().getSimpleName() + ": " + e.getMessage();
  }

  private void flushProducer(FlushMark mark) {
    try {
      producer.flush();
      mark.done.complete(null);
    } catch (RuntimeException | Error e) {
      mark.done.completeExceptionally(e);
    }
  }

  /**
   * Waits until every event offered before this call has been acknowledged or dropped.
   *
   * @return false when that did not happen in time
   */
  public boolean flush(Duration timeout) {
    if (stopping) {
      return ledger.snapshot().inFlight() == 0;
    }
    FlushMark mark = new FlushMark(new CompletableFuture<>());
    queue.add(mark);
    if (abandoned) {
      mark.done.cancel(false);
    }
    try {
      mark.done.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException | CancellationException notFlushed) {
      return false;
    }
  }

  /** A consistent snapshot of the books. */
  public PublisherMetrics metrics() {
    return ledger.snapshot();
  }

  /**
   * Takes no more events, waits up to the close time-out for those in flight, and drops the rest
   * with reason {@code closed}. Idempotent.
   */
  @Override
  public void close() {
    if (!ledger.close()) {
      return;
    }
    boolean flushed = flushAll(settings.closeTimeout());
    stopping = true;
    sender.interrupt();
    try {
      // Aborts what is still unacknowledged; its callbacks run before close returns.
      producer.close(flushed ? settings.closeTimeout() : Duration.ZERO);
    } finally {
      awaitSender();
      abandoned = true;
      settleLeftovers();
      dropLog.sayRest();
    }
  }

  /** Also what was admitted before the close but comes into the queue after it. */
  private boolean flushAll(Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    boolean flushed = flush(timeout);
    while (flushed && ledger.snapshot().inFlight() > 0) {
      flushed = flush(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
    return flushed;
  }

  private void awaitSender() {
    try {
      sender.join(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What never got to the producer, or is stuck in a send that does not return. */
  private void settleLeftovers() {
    for (Work work = queue.poll(); work != null; work = queue.poll()) {
      if (work instanceof Parcel parcel) {
        // Not when who put it there takes it back.
        if (parcel.take()) {
          drop(parcel, DropReason.CLOSED, "not sent before the publisher was closed", null);
        }
      } else if (work instanceof FlushMark mark) {
        mark.done.cancel(false);
      }
    }
    Parcel stuck = inHand;
    if (stuck != null) {
      drop(stuck, DropReason.CLOSED, "not sent before the publisher was closed", null);
    }
  }

  /** What the publisher's thread takes from the queue. */
  sealed interface Work permits Parcel, FlushMark {}

  record FlushMark(CompletableFuture<@Nullable Void> done) implements Work {}
}

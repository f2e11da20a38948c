package io.servedrift.ingest.publish;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A producer whose {@code send} never returns, not even when interrupted, until released. */
final class BlockedProducer extends MockProducer<byte[], byte[]> {

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  BlockedProducer() {
    super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // else close() would block as well
  public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
    entered.countDown();
    boolean interrupted = false;
    while (true) {
      try {
        released.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("released");
  }

  void awaitEntered() throws InterruptedException {
    entered.await();
  }

  void release() {
    released.countDown();
  }
}

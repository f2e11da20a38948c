package io.servedrift.ingest.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SendQueueTest {
  private static final long BUFFER = 64 * 1024;

  private final Ledger ledger = new Ledger(BUFFER);
  private final SendQueue queue = new SendQueue(BUFFER, ledger);
  private final Thread reader = new Thread(() -> queue.sleep(Duration.ofDays(1)));

  @AfterEach
  void end() throws InterruptedException {
    reader.interrupt();
    reader.join();
  }

  private void sleep() {
    reader.start();
    await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);
  }

  /** An event that the books know. */
  private Parcel parcel(long bytes) {
    assertThat(ledger.admit(bytes)).isNull();
    return new Parcel(() -> new ProducerRecord<>("t", new byte[0]), bytes, 0, null);
  }

  @Test
  void wakesTheReader_whenAQuarterOfTheBufferWaits() throws Exception {
    sleep();
    queue.add(parcel(BUFFER / 8));
    queue.add(parcel(BUFFER / 8 - 1));
    assertThat(queue.asleep()).isTrue();
    queue.add(parcel(1));

    assertThat(queue.asleep()).isFalse();
    reader.join();
    assertThat(queue.poll()).isNotNull();
  }

  @Test
  void countsOfTheRoomOnlyWhatIsNotSent() {
    for (int i = 0; i < 2; i++) {
      queue.add(parcel(BUFFER / 4));
      assertThat(queue.poll()).as("sent, but held until it is acknowledged").isNotNull();
    }
    sleep();
    queue.add(parcel(BUFFER / 8 - 1));
    assertThat(queue.asleep()).isTrue();
    queue.add(parcel(1));
    assertThat(queue.asleep()).as("a quarter of the half that is left").isFalse();
  }

  @Test
  void wakesTheReaderForWhatSomebodyWaitsFor() throws Exception {
    sleep();
    queue.add(new EventPublisher.FlushMark(new CompletableFuture<>()));
    reader.join();
    assertThat(queue.asleep()).isFalse();
  }

  @Test
  void doesNotSleepOnWhatCameBefore() {
    queue.add(parcel(1));
    queue.sleep(Duration.ofDays(1));
    assertThat(queue.asleep()).isFalse();
  }
}

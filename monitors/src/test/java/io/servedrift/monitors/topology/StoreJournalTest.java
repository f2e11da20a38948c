package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

class StoreJournalTest {
  private final KeyValueStore<String, byte[]> store =
      Stores.keyValueStoreBuilder(
              Stores.inMemoryKeyValueStore("journal"), Serdes.String(), Serdes.ByteArray())
          .withLoggingDisabled()
          .withCachingDisabled()
          .build();

  StoreJournalTest() {
    MockProcessorContext<Void, Void> context = new MockProcessorContext<>();
    store.init(context.getStateStoreContext(), (StateStore) store);
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void cutsWhatIsTooLargeForOneRecord_andDeletesAllOfIt() {
    StoreJournal journal = new StoreJournal(store);
    byte[] large = bytes(12 * StoreJournal.PIECE + 5);
    journal.put("large", () -> large);
    journal.put("small", () -> bytes(3));
    journal.put("none", () -> new byte[0]);
    assertThat(store.approximateNumEntries()).isEqualTo(13 + 2);

    StoreJournal again = new StoreJournal(store);
    assertThat(again.content()).containsOnlyKeys("large", "small", "none");
    assertThat(again.content().get("large")).isEqualTo(large);
    again.put("large", () -> bytes(StoreJournal.PIECE + 1));
    assertThat(new StoreJournal(store).content().get("large"))
        .isEqualTo(bytes(StoreJournal.PIECE + 1));
    again.delete("large");
    again.delete("small");
    assertThat(store.approximateNumEntries()).isEqualTo(1);
  }
}

package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.pane.StateJournal;
import java.util.TreeMap;
import java.util.function.Supplier;

/** A journal in memory that insists on its contract: what is deleted was there. */
final class MemoryJournal implements StateJournal {
  final TreeMap<String, byte[]> records = new TreeMap<>();

  @Override
  public void put(String key, Supplier<byte[]> value) {
    records.put(key, value.get());
  }

  @Override
  public void delete(String key) {
    assertThat(records.remove(key)).as(key).isNotNull();
  }
}

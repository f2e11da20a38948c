package io.servedrift.monitors.pane;

import java.util.function.Supplier;

/**
 * Where stage 2 writes what it must know after a restart: small keyed records, each written once
 * when it comes to be and deleted when it was used. Live this is a state store with a changelog; a
 * replay needs none.
 */
public interface StateJournal {
  /** Keeps nothing. */
  StateJournal NONE =
      new StateJournal() {
        @Override
        public void put(String key, Supplier<byte[]> value) {}

        @Override
        public void delete(String key) {}
      };

  /**
   * Adds a record. Keys are unique over the life of a record.
   *
   * @param value asked for its bytes only where they are kept
   */
  void put(String key, Supplier<byte[]> value);

  /** Removes a record. */
  void delete(String key);
}

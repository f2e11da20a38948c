package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.StateJournal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The journal of stage 2 as a state store with a changelog. A record that is too large for one
 * message of the changelog is cut: the first piece stands under the key itself, the others under
 * the key, {@code #} and their number. Not thread-safe.
 */
final class StoreJournal implements StateJournal {
  /** Well below what a broker takes by default as one message. */
  static final int PIECE = 900 * 1024;

  private static final char CUT = '#';

  private final KeyValueStore<String, byte[]> store;

  /** Number of pieces of the records that have more than one. */
  private final Map<String, Integer> cut = new HashMap<>();

  StoreJournal(KeyValueStore<String, byte[]> store) {
    this.store = store;
  }

  @Override
  public void put(String key, Supplier<byte[]> value) {
    byte[] bytes = value.get();
    int piece = 0;
    for (int from = 0; piece == 0 || from < bytes.length; from += PIECE) {
      int to = Math.min(bytes.length, from + PIECE);
      store.put(keyOf(key, piece++), Arrays.copyOfRange(bytes, from, to));
    }
    deleteMore(key, piece);
    if (piece > 1) {
      cut.put(key, piece);
    }
  }

  @Override
  public void delete(String key) {
    store.delete(key);
    deleteMore(key, 1);
  }

  /** Only pieces that exist: a deletion of nothing would be a record of the changelog too. */
  private void deleteMore(String key, int first) {
    Integer pieces = cut.remove(key);
    for (int piece = first; pieces != null && piece < pieces; piece++) {
      store.delete(keyOf(key, piece));
    }
  }

  /** All records by key, whole again. Called once, before anything is put. */
  SortedMap<String, byte[]> content() {
    SortedMap<String, byte[]> whole = new TreeMap<>();
    SortedMap<String, SortedMap<String, byte[]>> pieces = new TreeMap<>();
    try (KeyValueIterator<String, byte[]> all = store.all()) {
      while (all.hasNext()) {
        KeyValue<String, byte[]> entry = all.next();
        int end = entry.key.lastIndexOf(CUT);
        String key = end < 0 ? entry.key : entry.key.substring(0, end);
        pieces.computeIfAbsent(key, k -> new TreeMap<>()).put(entry.key, entry.value);
      }
    }
    pieces.forEach(
        (key, parts) -> {
          whole.put(key, joined(parts));
          if (parts.size() > 1) {
            cut.put(key, parts.size());
          }
        });
    return whole;
  }

  private static byte[] joined(SortedMap<String, byte[]> pieces) {
    int length = pieces.values().stream().mapToInt(piece -> piece.length).sum();
    byte[] bytes = new byte[length];
    int at = 0;
    for (byte[] piece : pieces.values()) {
      System.arraycopy(piece, 0, bytes, at, piece.length);
      at += piece.length;
    }
    return bytes;
  }

  private static String keyOf(String key, int piece) {
    return piece == 0 ? key : key + CUT + String.format(Locale.ROOT, "%06d", piece);
  }
}

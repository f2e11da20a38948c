package io.servedrift.serving.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The cache against a list that is searched from end to end. */
class ConditioningCacheModelTest {

  private static final int CAPACITY = 20;

  /** What to do: 0 look up, 1 store, 2 bypass, 3 give a lease back, 4 flush, 5 evict half. */
  record Action(int kind, int key, int size, int which) {}

  /** A value that knows its identity. */
  record Value(int id, int size) {}

  /** The same rules as a list, most recently used last. */
  private static final class Model {
    record Entry(int key, Value value) {}

    private final List<Entry> entries = new ArrayList<>();
    private int evictions;

    Optional<Value> acquire(int key) {
      Optional<Entry> found = entries.stream().filter(e -> e.key() == key).findFirst();
      found.ifPresent(
          entry -> {
            entries.remove(entry);
            entries.add(entry);
          });
      return found.map(Entry::value);
    }

    void store(int key, Value value) {
      if (value.size() > CAPACITY) {
        return;
      }
      entries.removeIf(entry -> entry.key() == key);
      while (bytes() + value.size() > CAPACITY) {
        entries.remove(0);
        evictions++;
      }
      entries.add(new Entry(key, value));
    }

    void evictHalf() {
      int count = (entries.size() + 1) / 2;
      entries.subList(0, count).clear();
      evictions += count;
    }

    int bytes() {
      return entries.stream().mapToInt(entry -> entry.value().size()).sum();
    }

    Set<Value> values() {
      Set<Value> values = new HashSet<>();
      entries.forEach(entry -> values.add(entry.value()));
      return values;
    }
  }

  @Property(tries = 500, seed = "7")
  void holdsWhatTheModelHoldsAndFreesTheRestOnce(@ForAll("actions") List<Action> actions) {
    List<Value> freed = new ArrayList<>();
    Set<Value> made = new HashSet<>();
    List<Lease<Value>> leases = new ArrayList<>();
    Model model = new Model();
    ConditioningCache<Integer, Value> cache =
        new ConditioningCache<>(CAPACITY, Value::size, freed::add, () -> 0);

    for (Action action : actions) {
      switch (action.kind()) {
        case 0 -> {
          Optional<Lease<Value>> found = cache.acquire(action.key());
          assertThat(found.map(Lease::value)).isEqualTo(model.acquire(action.key()));
          found.ifPresent(leases::add);
        }
        case 1 -> {
          Value value = new Value(made.size(), action.size());
          made.add(value);
          model.store(action.key(), value);
          leases.add(cache.store(action.key(), value));
        }
        case 2 -> {
          Value value = new Value(made.size(), action.size());
          made.add(value);
          leases.add(cache.bypass(value));
        }
        case 3 -> {
          if (!leases.isEmpty()) {
            leases.remove(action.which() % leases.size()).close();
          }
        }
        case 4 -> {
          assertThat(cache.flush()).isEqualTo(model.entries.size());
          model.entries.clear();
        }
        default -> {
          cache.evict(0.5);
          model.evictHalf();
        }
      }
      Set<Value> live = model.values();
      leases.forEach(lease -> live.add(lease.value()));
      Set<Value> expectedFreed = new HashSet<>(made);
      expectedFreed.removeAll(live);
      assertThat(freed).containsExactlyInAnyOrderElementsOf(expectedFreed);
      CacheStatistics statistics = cache.statistics();
      assertThat(statistics.bytes()).isEqualTo(model.bytes());
      assertThat(statistics.entries()).isEqualTo(model.entries.size());
      assertThat(statistics.evictions()).isEqualTo(model.evictions);
    }
  }

  @Provide
  Arbitrary<List<Action>> actions() {
    Arbitrary<Integer> kinds =
        Arbitraries.frequency(
            Tuple.of(6, 0),
            Tuple.of(6, 1),
            Tuple.of(1, 2),
            Tuple.of(5, 3),
            Tuple.of(1, 4),
            Tuple.of(1, 5));
    return Combinators.combine(
            kinds,
            Arbitraries.integers().between(0, 7),
            Arbitraries.integers().between(1, CAPACITY + 2),
            Arbitraries.integers().between(0, 99))
        .as(Action::new)
        .list()
        .ofMaxSize(60);
  }
}

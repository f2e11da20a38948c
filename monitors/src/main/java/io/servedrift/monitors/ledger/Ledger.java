package io.servedrift.monitors.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;

/**
 * The scores of a ledger, oldest first, each id once: a record that came again is the same one.
 *
 * @param entries by time, then id
 * @param dictionary what ids mean
 * @param problems items that are no record of a score, each with its place and what is wrong
 */
public record Ledger(List<LedgerEntry> entries, Dictionary dictionary, List<String> problems) {
  private static final Comparator<LedgerEntry> AGE =
      Comparator.comparing((LedgerEntry entry) -> entry.result().getAt())
          .thenComparing(LedgerEntry::id);

  /** Sorts, and keeps the first of each id. */
  public Ledger {
    Map<String, LedgerEntry> byId = new LinkedHashMap<>();
    entries.forEach(entry -> byId.putIfAbsent(entry.id(), entry));
    entries = byId.values().stream().sorted(AGE).toList();
    problems = List.copyOf(problems);
  }

  /** The score of an id. */
  public Optional<LedgerEntry> find(String id) {
    return entries.stream().filter(entry -> entry.id().equals(id)).findFirst();
  }

  /**
   * Ids of scores whose place another one took: one of the same evaluation, metric and data, that
   * is as it was made.
   */
  public Set<String> superseded() {
    return superseded((old, next) -> true);
  }

  private Set<String> superseded(BiPredicate<LedgerEntry, LedgerEntry> counts) {
    Set<String> gone = new TreeSet<>();
    for (LedgerEntry next : entries) {
      String id = next.result().getSupersedes();
      if (id != null && !next.isAltered()) {
        find(id)
            .filter(old -> old.isOfTheSame(next) && counts.test(old, next))
            .ifPresent(old -> gone.add(id));
      }
    }
    return gone;
  }

  /**
   * The scores that say something of a configuration: a score of it that was measured again on
   * another configuration, or with another model, is as true as before.
   */
  public List<LedgerEntry> standingUnder(String configId) {
    Set<String> gone =
        superseded(
            (old, next) ->
                !configId.equals(old.configId())
                    || (configId.equals(next.configId())
                        && Objects.equals(old.modelId(), next.modelId())));
    return entries.stream().filter(entry -> !gone.contains(entry.id())).toList();
  }

  /** The scores whose place no other one took. */
  public List<LedgerEntry> standing() {
    Set<String> gone = superseded();
    return entries.stream().filter(entry -> !gone.contains(entry.id())).toList();
  }

  /** Both together. */
  public static Ledger of(Collection<Ledger> parts, Dictionary dictionary) {
    List<LedgerEntry> entries = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Ledger part : parts) {
      part.entries().forEach(entry -> entries.add(dictionary.entry(entry.result())));
      problems.addAll(part.problems());
    }
    return new Ledger(entries, dictionary, problems);
  }
}

package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Models compared under one configuration, and the scores that say nothing about it.
 *
 * @param configId the configuration
 * @param rankings one for each evaluation, metric, data and settings
 * @param others all the other scores that were asked for, with the reason
 */
public record Comparison(String configId, List<Ranking> rankings, List<Other> others) {
  /** Copies the lists. */
  public Comparison {
    rankings = List.copyOf(rankings);
    others = List.copyOf(others);
  }

  /**
   * A score that is not comparable.
   *
   * @param axes what differs; empty when that is not known
   * @param why in a few words
   */
  public record Other(LedgerEntry entry, List<String> axes, String why) {
    /** Copies the axes. */
    public Other {
      axes = List.copyOf(axes);
    }
  }

  /** Whether models were compared at all. */
  public boolean isConclusive() {
    return rankings.stream().anyMatch(Ranking::isComparison);
  }

  /**
   * Compares.
   *
   * @param standing scores that no other one superseded
   * @param configId the configuration that counts
   * @param config what it means, null when nobody said it
   * @param wanted which evaluations
   */
  public static Comparison under(
      String configId,
      @Nullable Fingerprint config,
      List<LedgerEntry> standing,
      Predicate<LedgerEntry> wanted) {
    List<LedgerEntry> alike = new ArrayList<>();
    List<Other> others = new ArrayList<>();
    for (LedgerEntry entry : standing) {
      if (!wanted.test(entry)) {
        continue;
      }
      if (entry.isAltered()) {
        others.add(new Other(entry, List.of(), "altered: its digest does not fit"));
      } else if (entry.configId() == null) {
        others.add(new Other(entry, List.of(), "no configuration was recorded"));
      } else if (!configId.equals(entry.configId())) {
        List<String> axes = AxisChanges.between(config, entry.config());
        others.add(
            axes == null
                ? new Other(entry, List.of(), "what differs is not known")
                : new Other(entry, axes, "measured on another configuration"));
      } else if (entry.modelId() == null) {
        others.add(new Other(entry, List.of(), "no model was recorded"));
      } else {
        alike.add(entry);
      }
    }
    return new Comparison(configId, Ranking.of(alike), others);
  }
}

package io.servedrift.monitors.ledger;

import java.util.List;

/**
 * Whether a recorded score describes something that runs.
 *
 * @param entry the score
 * @param state what is known
 * @param nearest address or node of the live system that is nearest to it; empty when none is
 * @param changes axes in which that one differs; empty when nothing differs or nobody knows
 * @param notes what else must be said, a sentence each
 */
public record Standing(
    LedgerEntry entry, State state, String nearest, List<String> changes, List<String> notes) {
  /** Copies the lists. */
  public Standing {
    changes = List.copyOf(changes);
    notes = List.copyOf(notes);
  }

  /** What is known. */
  public enum State {
    /** A live system has the configuration and the model that were measured. */
    CURRENT,
    /** Every live system has another configuration or model. */
    STALE,
    /** There is nothing to compare: no configuration was recorded, or nothing is known to run. */
    UNKNOWN
  }
}

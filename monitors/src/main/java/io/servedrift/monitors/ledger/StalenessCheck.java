package io.servedrift.monitors.ledger;

import io.servedrift.monitors.ledger.Standing.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which scores describe a configuration that no longer runs. A score belongs to a configuration: on
 * another one it is a claim about a system that nobody measured. Immutable.
 */
public final class StalenessCheck {
  private static final Pattern PRECISION = Pattern.compile("([+-] )?precision\\.");

  private final List<LiveSystem> live;

  /**
   * @param live what runs, as far as anybody said so
   */
  public StalenessCheck(List<LiveSystem> live) {
    this.live = List.copyOf(live);
  }

  /** Where a score stands. */
  public Standing of(LedgerEntry entry) {
    List<String> notes = new ArrayList<>();
    if (entry.isAltered()) {
      notes.add("the record was changed after it was made: its digest does not fit");
      return new Standing(entry, State.UNKNOWN, "", List.of(), notes);
    }
    String configId = entry.configId();
    if (configId == null) {
      notes.add("no configuration was recorded with it");
      return new Standing(entry, State.UNKNOWN, "", List.of(), notes);
    }
    List<LiveSystem> candidates =
        live.stream()
            .filter(system -> concerns(system, entry) && system.configId() != null)
            .toList();
    if (candidates.isEmpty()) {
      notes.add("nothing is known to run" + ofDeployment(entry));
      return new Standing(entry, State.UNKNOWN, "", List.of(), notes);
    }
    List<LiveSystem> same = candidates.stream().filter(system -> isSame(system, entry)).toList();
    if (!same.isEmpty()) {
      if (same.size() < candidates.size()) {
        notes.add(
            same.size()
                + " of "
                + candidates.size()
                + " nodes run it, the others run something else");
      }
      return new Standing(entry, State.CURRENT, same.get(0).node(), List.of(), notes);
    }
    if (candidates.stream().anyMatch(system -> isSameButForTheModel(system, entry))) {
      notes.add(
          entry.modelId() == null
              ? "no model was recorded with it: only the configuration was compared"
              : "the node does not say its model: only the configuration was compared");
      return new Standing(entry, State.UNKNOWN, "", List.of(), notes);
    }
    return stale(entry, candidates, notes);
  }

  private static String ofDeployment(LedgerEntry entry) {
    String deployment = entry.result().getDeployment();
    return deployment == null ? "" : " of deployment " + deployment;
  }

  private static boolean concerns(LiveSystem system, LedgerEntry entry) {
    String deployment = entry.result().getDeployment();
    return deployment == null
        || system.deployment() == null
        || deployment.equals(system.deployment());
  }

  private static boolean isSame(LiveSystem system, LedgerEntry entry) {
    return Objects.equals(system.configId(), entry.configId()) && sameModel(entry, system);
  }

  /** The weights are the axis that matters most: not looked at is not the same. */
  private static boolean isSameButForTheModel(LiveSystem system, LedgerEntry entry) {
    return Objects.equals(system.configId(), entry.configId())
        && (entry.modelId() == null || system.modelId() == null);
  }

  private static boolean sameModel(LedgerEntry entry, LiveSystem system) {
    String model = entry.modelId();
    return model != null && model.equals(system.modelId());
  }

  private static Standing stale(
      LedgerEntry entry, List<LiveSystem> candidates, List<String> notes) {
    LiveSystem nearest =
        candidates.stream()
            .min(
                Comparator.comparingInt((LiveSystem system) -> size(changes(entry, system)))
                    .thenComparing(LiveSystem::node))
            .orElseThrow();
    List<String> changes = changes(entry, nearest);
    if (changes == null) {
      notes.add(
          "what differs is not known: nobody said what "
              + (entry.config() == null ? entry.configId() : nearest.configId())
              + " means");
    }
    if (entry.config() != null
        && nearest.config() != null
        && sameModel(entry, nearest)
        && !AxisChanges.contradict(entry.config(), nearest.config())) {
      notes.add("nothing that both state differs: it may have been recorded less fully");
    }
    upperBound(entry, nearest, changes).ifPresent(notes::add);
    return new Standing(
        entry, State.STALE, nearest.node(), changes == null ? List.of() : changes, notes);
  }

  private static int size(@Nullable List<String> changes) {
    return changes == null ? Integer.MAX_VALUE : changes.size();
  }

  private static @Nullable List<String> changes(LedgerEntry entry, LiveSystem system) {
    List<String> config =
        Objects.equals(entry.configId(), system.configId())
            ? List.of()
            : AxisChanges.between(entry.config(), system.config());
    String measured = entry.modelId();
    if (config == null || measured == null || measured.equals(system.modelId())) {
      return config;
    }
    List<String> model = AxisChanges.between(entry.model(), system.model());
    List<String> named =
        model == null
            ? List.of("model: " + measured + " -> " + system.modelId())
            : model.stream().map(change -> "model " + change).toList();
    return system.modelId() == null
        ? config
        : Stream.concat(config.stream(), named.stream()).toList();
  }

  /**
   * Quality is lost by quantising, never won, so the score bounds what production gives; only when
   * nothing but the precision differs.
   */
  private static Optional<String> upperBound(
      LedgerEntry entry, LiveSystem system, @Nullable List<String> changes) {
    if (entry.config() == null
        || system.config() == null
        || changes == null
        || !sameModel(entry, system)
        || !changes.stream().allMatch(change -> PRECISION.matcher(change).lookingAt())
        || LatencyScore.is(entry.result())) {
      return Optional.empty();
    }
    Optional<String> full = Precision.full(entry.config());
    Optional<String> quantised = Precision.quantised(system.config());
    if (full.isEmpty() || quantised.isEmpty()) {
      return Optional.empty();
    }
    Boolean higher = entry.result().getHigherIsBetter();
    String bound =
        higher == null
            ? "production is at most as good"
            : higher
                ? "an upper bound of what production gives"
                : "a lower bound of the error that production makes";
    return Optional.of(
        "measured in "
            + full.get()
            + ", production is quantised ("
            + quantised.get()
            + "): "
            + bound);
  }
}

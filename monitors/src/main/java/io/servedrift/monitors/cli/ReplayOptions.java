package io.servedrift.monitors.cli;

import io.servedrift.monitors.archive.ArchiveFolder;
import io.servedrift.monitors.archive.ArchivedTraffic;
import io.servedrift.monitors.policy.BaselinePolicy;
import io.servedrift.monitors.policy.PinnedRange;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which traffic is replayed, what of it is shown, and what it is compared with. */
final class ReplayOptions {

  private static final String LIVE = "live";
  private static final String COLD = "cold";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description =
          "Start of the range on Kafka or in an archive, ISO-8601 with zone; default: the first"
              + " record.")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description = "End of the range on Kafka or in an archive; default: the last record.")
  private @Nullable Instant to;

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      description = "Show only series of this deployment.")
  private @Nullable String deployment;

  @Option(
      names = "--config-id",
      paramLabel = "ID",
      description = "Show only series of this configuration; * is all of them together.")
  private @Nullable String configId;

  @Option(names = "--model-id", paramLabel = "ID", description = "Show only series of this model.")
  private @Nullable String modelId;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description =
          "Replay only what this node served, as if there were no other; starts without the state of"
              + " the monitor, which knows them all.")
  private @Nullable String node;

  @Option(
      names = "--baseline",
      paramLabel = "FROM..TO",
      description =
          "Compare with this range of time, as if the policy pinned it; needs --deployment. Traffic"
              + " from its start on is read.")
  private @Nullable String baseline;

  @Option(
      names = "--state",
      paramLabel = "live|cold|FILE",
      description =
          "What the judge knows at --from: live is the last hourly checkpoint of the monitor before"
              + " it, from Kafka or the archive that is replayed (default), FILE what"
              + " --save-state wrote or another archive, cold nothing.")
  private @Nullable String state;

  @Option(
      names = "--save-state",
      paramLabel = "FILE",
      description =
          "Write what the judge knows at the last full hour of what is replayed, for --state FILE"
              + " of the replay that goes on from there.")
  private @Nullable Path saveState;

  /** Start of the range, null for the first record. */
  @Nullable Instant from() {
    return from;
  }

  /** End of the range, null for the last record. */
  @Nullable Instant to() {
    return to;
  }

  /** Whether a range of time was given. */
  boolean hasRange() {
    return from != null || to != null;
  }

  /** The range in words. */
  String rangeText() {
    return (from == null ? "from the first record" : "from " + from)
        + (to == null ? " to the last" : " to " + to);
  }

  /** Whether only some of the series are shown. */
  boolean filtered() {
    return deployment != null || configId != null || modelId != null || node != null;
  }

  /** Refuses what contradicts itself. */
  void check() {
    if (from != null && to != null && !from.isBefore(to)) {
      throw CommandFailure.usage("--from " + from + ": must be before --to " + to);
    }
    if (saveState != null) {
      Path folder = saveState.toAbsolutePath().getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw CommandFailure.usage("--save-state " + saveState + ": its folder does not exist");
      }
    }
    if (state != null && !state.equals(COLD) && (node != null || baseline != null)) {
      throw CommandFailure.usage(
          "--state "
              + state
              + ": cannot be used with --node or --baseline, which start without it (cold)");
    }
  }

  /** Whether the judge starts with nothing. */
  boolean cold() {
    return state == null ? node != null || baseline != null : state.equals(COLD);
  }

  /** Whether a state was asked for by name. */
  boolean asksForState() {
    return state != null && !state.equals(COLD);
  }

  /**
   * Refuses to start cold when a state was asked for by name.
   *
   * @param from start of the range that is replayed, null for the first record
   * @param found checkpoints before it
   * @return the checkpoints
   */
  private Checkpoints checked(@Nullable Instant from, Checkpoints found) {
    if (asksForState() && found.times().isEmpty()) {
      throw CommandFailure.insufficient(
          "--state " + state + ": no checkpoint of the monitor before " + from);
    }
    return found;
  }

  /** Refuses a state by name for a range that has no start. */
  void requireStart(@Nullable Instant ofRange) {
    if (ofRange == null && asksForState()) {
      throw CommandFailure.usage("--state " + state + ": needs --from, the time the state is of");
    }
  }

  /** Where to write the state at the end, null for nowhere. */
  @Nullable Path saveState() {
    return saveState;
  }

  /** Whether the state is asked for of a file or archive by name. */
  boolean namesState() {
    return stateFile() != null;
  }

  private @Nullable Path stateFile() {
    return state == null || state.equals(COLD) || state.equals(LIVE) ? null : Path.of(state);
  }

  /**
   * The checkpoints of the file or archive that is named, those of the source itself when none is.
   *
   * @param before newest checkpoints at or before this
   */
  Checkpoints state(Instant before, OwnState own) throws IOException {
    Path file = stateFile();
    Checkpoints found =
        file == null
            ? own.before(before)
            : Files.isDirectory(file)
                ? ArchiveTraffic.checkpoints(
                    ArchivedTraffic.of(List.of(ArchiveFolder.open(file)), bytes -> {}), before)
                : Checkpoints.of(StateFile.read(file), before);
    return checked(before, found);
  }

  /** The checkpoints that a source holds itself. */
  interface OwnState {
    /** The newest before a time. */
    Checkpoints before(Instant time) throws IOException;
  }

  /** Which events are replayed. */
  Predicate<SpecificRecord> events() {
    return node == null ? event -> true : new NodeFilter(node);
  }

  boolean shows(WindowSummary window) {
    return shows(window.getDeployment(), window.getConfigId(), window.getModelId());
  }

  boolean shows(Finding finding) {
    return shows(finding.getDeployment(), finding.getConfigId(), finding.getModelId());
  }

  boolean shows(String ofDeployment) {
    return deployment == null || deployment.equals(ofDeployment);
  }

  private boolean shows(String ofDeployment, String ofConfig, @Nullable String ofModel) {
    return (deployment == null || deployment.equals(ofDeployment))
        && (configId == null || configId.equals(ofConfig))
        && (modelId == null || modelId.equals(ofModel));
  }

  /** The range given with {@code --baseline}, null without. */
  @Nullable PinnedRange pinned() {
    if (baseline == null) {
      return null;
    }
    if (deployment == null) {
      throw CommandFailure.usage("--baseline needs --deployment: a range is normal of something");
    }
    String[] ends = baseline.split("\\.\\.", -1);
    if (ends.length != 2) {
      throw CommandFailure.usage(
          "--baseline " + baseline + ": must be two times with .. between them");
    }
    Instant start = time(ends[0]);
    Instant end = time(ends[1]);
    if (!start.isBefore(end)) {
      throw CommandFailure.usage("--baseline " + baseline + ": must begin before it ends");
    }
    return new PinnedRange(
        deployment, Optional.ofNullable(configId), Optional.ofNullable(modelId), start, end);
  }

  private Instant time(String text) {
    try {
      return new FileInput.TimeConverter().convert(text);
    } catch (RuntimeException e) {
      throw new CommandFailure(ExitCode.USAGE, "--baseline " + baseline + ": " + e.getMessage(), e);
    }
  }

  /** The policy with the range of {@code --baseline} in it. */
  Policy with(Policy policy) {
    PinnedRange range = pinned();
    if (range == null) {
      return policy;
    }
    BaselinePolicy old = policy.baseline();
    if (old.pinned().stream().anyMatch(one -> one.deployment().equals(range.deployment()))) {
      throw CommandFailure.usage(
          "--baseline: the policy pins a range of "
              + range.deployment()
              + " already; take it out there first");
    }
    List<PinnedRange> all = new ArrayList<>(old.pinned());
    all.add(range);
    return new Policy(
        policy.falseAlarmsPerMonth(),
        policy.minute(),
        policy.warmUp(),
        new BaselinePolicy(old.leastDuration(), old.leastRequests(), old.fullDuration(), all),
        policy.metrics(),
        policy.deployments(),
        policy.maintenance());
  }
}

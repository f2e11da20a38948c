package io.servedrift.monitors.cli;

import io.servedrift.ingest.files.DeadLetterFile;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.ingest.files.ReadSummary;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.PinnedRange;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.schemas.avro.DeadLetter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Replays event files in any format that can be imported. */
final class FileTraffic {
  private final ReplayInput replay;

  FileTraffic(ReplayInput replay) {
    this.replay = replay;
    if (replay.options().hasRange()) {
      throw CommandFailure.usage(
          "--from and --to choose a range of Kafka or of an archive, not of other files");
    }
    if (replay.options().asksForState() && !replay.options().namesState()) {
      throw CommandFailure.usage("--state live: only Kafka and archives hold one");
    }
  }

  /**
   * Reads, sorts and replays the files.
   *
   * @param letters where to add what cannot be used, null for nowhere
   */
  ReplayedTraffic run(FileInput input, List<Path> files, @Nullable DeadLetterFile letters)
      throws IOException, MappingException, FileReadException {
    Tally tally = new Tally();
    Consumer<DeadLetter> rejected = letters == null ? letter -> {} : letters;
    try (Progress reading = replay.context().progress("reading");
        Progress replaying = replay.context().progress("replaying");
        SortedEvents events =
            input
                .reader(files, replay.context())
                .keepRaw(replay.settings().get(SettingsCatalogue.DEAD_LETTERS_RAW))
                .progress((file, rows, bytes) -> reading.update(rows, 0))
                .build()
                .read(rejected)) {
      ReadSummary summary = events.summary();
      requireBaseline(summary);
      ConfigNames names = ConfigNames.of(events);
      FileReplay core =
          new FileReplay(
                  PaneOptions.of(replay.settings()),
                  PaneOptions.layouts(replay.settings()),
                  replay.judges(names.axes()),
                  replay.listener(),
                  tally)
              .filter(replay.options().events())
              .startFrom(state(summary));
      try (StopSignal signal = StopSignal.installForWork()) {
        long fed =
            core.stopWhen(signal::isStopped)
                .run(events, done -> replaying.update(done, summary.accepted()));
        return new ReplayedTraffic(
            files.stream().map(Path::toString).collect(Collectors.joining(", ")),
            fed,
            core.judged(),
            summary,
            tally,
            names,
            core.partial());
      }
    }
  }

  /** What is named; events before it are not judged again. */
  private Checkpoints state(ReadSummary summary) throws IOException {
    Instant last = summary.last();
    if (last == null || !replay.options().namesState()) {
      return Checkpoints.NONE;
    }
    return replay.options().state(last, before -> Checkpoints.NONE);
  }

  private void requireBaseline(ReadSummary summary) {
    PinnedRange range = replay.options().pinned();
    Instant first = summary.first();
    Instant last = summary.last();
    if (range != null
        && first != null
        && last != null
        && (!range.from().isBefore(last) || !range.to().isAfter(first))) {
      throw CommandFailure.usage(
          "--baseline "
              + range.from()
              + ".."
              + range.to()
              + ": the files hold "
              + first
              + " to "
              + last);
    }
  }
}

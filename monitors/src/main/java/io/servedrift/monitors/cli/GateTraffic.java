package io.servedrift.monitors.cli;

import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileEvent;
import io.servedrift.ingest.files.FileFormat;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.archive.ArchiveFolder;
import io.servedrift.monitors.archive.ArchiveRole;
import io.servedrift.monitors.archive.ArchivedTraffic;
import io.servedrift.monitors.archive.PartitionRecords;
import io.servedrift.monitors.gate.run.RecordedTraffic;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.ReadLimits;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads live traffic for the gate: request events, one JSON object per line, plain or gzip, or the
 * folder that {@code archive} wrote of a range of Kafka.
 */
final class GateTraffic {
  private GateTraffic() {}

  /**
   * The requests of a file.
   *
   * @param deployment whose; null for all
   * @param each is handed every one of them
   * @throws CommandFailure when it holds none
   */
  static RecordedTraffic read(
      Path file, @Nullable String deployment, Consumer<RequestEvent> each, CommandContext context)
      throws IOException, FileReadException {
    RecordedTraffic.Collector collector = new RecordedTraffic.Collector(file.toString());
    AtomicLong requests = new AtomicLong();
    Consumer<SpecificRecord> take =
        event -> {
          if (event instanceof RequestEvent request
              && (deployment == null || deployment.equals(request.getDeployment()))) {
            collector.add(request);
            each.accept(request);
            if (!Boolean.TRUE.equals(request.getSynthetic())) {
              requests.incrementAndGet();
            }
          }
        };
    if (ArchiveFolder.isArchive(file)) {
      archived(file, take, context);
    } else {
      listed(file, take, context);
    }
    if (requests.get() == 0) {
      throw CommandFailure.insufficient(
          "--traffic " + file + ": holds no request to replay that is not a test's");
    }
    return collector.traffic();
  }

  private static void listed(Path file, Consumer<SpecificRecord> take, CommandContext context)
      throws IOException, FileReadException {
    AtomicLong refused = new AtomicLong();
    try (Progress progress = context.progress("reading traffic");
        SortedEvents events =
            EventFiles.builder(List.of(file), FileFormat.NDJSON, context.clock().instant())
                .stdin(context.terminal().in())
                .progress((name, rows, bytes) -> progress.update(rows, 0))
                .build()
                .read(letter -> refused.incrementAndGet())) {
      for (FileEvent event : events) {
        take.accept(event.event());
      }
    }
    if (refused.get() > 0) {
      context
          .terminal()
          .err()
          .println("servedrift: --traffic " + file + ": left out unreadable lines: " + refused);
    }
  }

  private static void archived(Path folder, Consumer<SpecificRecord> take, CommandContext context)
      throws IOException {
    EventReader reader = new EventReader(ReadLimits.DEFAULT);
    ArchiveFolder archive = ArchiveFolder.open(folder);
    long bytes = archive.manifest().bytes();
    try (Progress progress = context.progress("reading traffic")) {
      ArchivedTraffic traffic =
          ArchivedTraffic.of(List.of(archive), done -> progress.update(done, bytes));
      for (int i = 0; i < traffic.count(ArchiveRole.REQUESTS); i++) {
        try (PartitionRecords records = traffic.read(ArchiveRole.REQUESTS, i)) {
          for (var record = records.take(); record != null; record = records.take()) {
            if (record.value() != null
                && reader.read(record.value()) instanceof Reading.Accepted accepted) {
              take.accept(accepted.event());
            }
          }
        }
      }
    }
  }
}

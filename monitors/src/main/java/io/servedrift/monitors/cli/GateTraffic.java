package io.servedrift.monitors.cli;

import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileEvent;
import io.servedrift.ingest.files.FileFormat;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.gate.run.RecordedTraffic;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads live traffic for the gate: request events, one JSON object per line, plain or gzip. */
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
    long requests = 0;
    try (Progress progress = context.progress("reading traffic");
        SortedEvents events =
            EventFiles.builder(List.of(file), FileFormat.NDJSON, context.clock().instant())
                .stdin(context.terminal().in())
                .progress((name, rows, bytes) -> progress.update(rows, 0))
                .build()
                .read(letter -> {})) {
      for (FileEvent event : events) {
        if (event.event() instanceof RequestEvent request
            && (deployment == null || deployment.equals(request.getDeployment()))) {
          collector.add(request);
          each.accept(request);
          requests++;
        }
      }
    }
    if (requests == 0) {
      throw CommandFailure.insufficient("--traffic " + file + ": holds no request to replay");
    }
    return collector.traffic();
  }
}

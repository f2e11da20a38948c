package io.servedrift.monitors.cli;

import io.servedrift.monitors.demo.NodeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stand-alone scorer of the demonstration's test. */
final class DemoScorer implements AutoCloseable {
  private final NodeProcess process;
  private final String address;

  private DemoScorer(NodeProcess process, String address) {
    this.process = process;
    this.address = address;
  }

  /**
   * Starts it and waits until it answers.
   *
   * @return null when a signal came first; then nothing is left of it
   * @throws CommandFailure when it does not start, with what it printed
   */
  static @Nullable DemoScorer start(ServingFiles files, Path log, StopSignal signal)
      throws IOException, InterruptedException {
    List<String> command = DemoNode.java(files, "scorer");
    command.add("--stop-with-stdin");
    command.addAll(List.of("--scorer", files.scorer().toString()));
    NodeProcess process = NodeProcess.start(command, DemoNode.ENVIRONMENT, log);
    DemoScorer scorer = null;
    try {
      String address = DemoNode.address(process, signal, "scorer");
      scorer = address == null ? null : new DemoScorer(process, address);
      return scorer;
    } finally {
      if (scorer == null) {
        process.close();
      }
    }
  }

  /** Where it listens. */
  String address() {
    return address;
  }

  @Override
  public void close() {
    process.close();
  }
}

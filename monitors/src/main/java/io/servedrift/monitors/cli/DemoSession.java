package io.servedrift.monitors.cli;

import io.servedrift.monitors.demo.ClosedLoop;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.Load;
import io.servedrift.monitors.demo.LoadNumbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What every story of the demonstration is played with: the monitor, nodes, clients, and the end
 * that a signal or the time brings. Used by one story; not thread-safe.
 */
final class DemoSession {
  /** The service in every event. */
  static final String DEPLOYMENT = "image-gen";

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LOOK = Duration.ofMillis(250);

  private final MonitorProcess monitor;
  private final BrokerConnection broker;
  private final ServingFiles files;
  private final Path folder;
  private final DemoOptions options;
  private final Clock clock;
  private final StopSignal signal;
  private final DemoPrinter printer;
  private final @Nullable Instant end;

  /**
   * Prepares; the parts stay the caller's.
   *
   * @param folder for logs and the key of the prompts' hashes
   */
  DemoSession(
      MonitorProcess monitor,
      BrokerConnection broker,
      ServingFiles files,
      Path folder,
      DemoOptions options,
      Clock clock,
      StopSignal signal,
      DemoPrinter printer) {
    this.monitor = monitor;
    this.broker = broker;
    this.files = files;
    this.folder = folder;
    this.options = options;
    this.clock = clock;
    this.signal = signal;
    this.printer = printer;
    end = options.duration() == null ? null : clock.instant().plus(options.duration());
  }

  MonitorProcess monitor() {
    return monitor;
  }

  ServingFiles files() {
    return files;
  }

  Path folder() {
    return folder;
  }

  DemoOptions options() {
    return options;
  }

  Clock clock() {
    return clock;
  }

  StopSignal signal() {
    return signal;
  }

  DemoPrinter printer() {
    return printer;
  }

  /** Waits for the monitor and shows the policy; what to exit with when it was stopped. */
  @Nullable ExitCode begin() throws IOException, InterruptedException {
    Instant latest = clock.instant().plus(PATIENCE);
    while (!monitor.ready()) {
      requireMonitor();
      ExitCode stopped = stopped(LOOK);
      if (stopped != null) {
        return stopped;
      }
      if (clock.instant().isAfter(latest)) {
        throw new CommandFailure(
            ExitCode.UNREACHABLE, "the monitor was not ready within " + PATIENCE, null);
      }
    }
    printer.tell("The policy of this demonstration", Files.readAllLines(options.policy()));
    Files.writeString(key(), HexFormat.of().formatHex(SecureRandom.getSeed(32)));
    return null;
  }

  private void requireMonitor() {
    Throwable failure = monitor.failure();
    if (failure != null) {
      throw new CommandFailure(
          ExitCode.INTERNAL_ERROR, "the topology stopped: " + failure, failure);
    }
  }

  /** Waits; what to exit with when a signal came or the time is over, else null. */
  @Nullable ExitCode stopped(Duration wait) throws InterruptedException {
    ExitCode code = signal.await(wait);
    if (code == null && end != null && !clock.instant().isBefore(end)) {
      boolean wanted = options.exitAfterVerdict() || options.fault() == DemoFault.NONE;
      return wanted ? ExitCode.INSUFFICIENT : ExitCode.DONE;
    }
    return code;
  }

  /** Whether a signal came or the time is over. */
  boolean over() {
    return signal.isStopped() || (end != null && !clock.instant().isBefore(end));
  }

  /**
   * What to exit with at the end of a story.
   *
   * @param stopped what ended its last act, null when that was over
   * @param judged what it came to, unless a signal ended it
   */
  ExitCode ended(@Nullable ExitCode stopped, Supplier<ExitCode> judged) {
    return stopped != null && signal.isStopped() ? stopped : judged.get();
  }

  /** After a signal: what it says to exit with. */
  ExitCode interrupted() throws InterruptedException {
    ExitCode code = signal.await(Duration.ZERO);
    return code == null ? ExitCode.INTERRUPTED : code;
  }

  /**
   * Starts a node.
   *
   * @param act names its log
   * @param name of the node in every event
   * @param ofAct options beside those of every node
   * @return null when a signal came first
   */
  @Nullable DemoNode start(String act, String name, List<String> ofAct)
      throws IOException, InterruptedException {
    printer.say("starting the serving node");
    List<String> common =
        new ArrayList<>(
            List.of("--bootstrap-servers", broker.bootstrapServers(), "--deployment", DEPLOYMENT));
    common.addAll(List.of("--precision", options.precision()));
    common.addAll(List.of("--node", name, "--prompt-hash-key-file", key().toString()));
    return DemoNode.start(files, common, ofAct, folder.resolve(act + ".log"), signal);
  }

  private Path key() {
    return folder.resolve("prompt-hash.key");
  }

  /** Whether an act is over; asked several times a second. */
  @FunctionalInterface
  interface Over {
    boolean isOver();
  }

  /** Clients under a load, and how long they have been asking. */
  final class Act {
    private final Load load;
    private final long seed;
    private @Nullable ClosedLoop clients;

    /** Prepares; the same seed gives the clients the same prompts. */
    Act(Load load, long seed) {
      this.load = load;
      this.seed = seed;
    }

    /** Lets clients ask nodes until it is over: null; else what to exit with. */
    @Nullable ExitCode play(List<DemoNode> nodes, ClosedLoop.Call call, Over over)
        throws IOException, InterruptedException {
      try (ClosedLoop loop = ClosedLoop.start(load, seed, call)) {
        clients = loop;
        while (true) {
          ExitCode stopped = stopped(LOOK);
          if (stopped != null) {
            return stopped;
          }
          requireMonitor();
          for (DemoNode node : nodes) {
            node.requireAlive();
          }
          if (printer.due(loop.elapsed())) {
            printer.progress(loop.elapsed(), loop.numbers());
          }
          if (over.isOver()) {
            return null;
          }
        }
      }
    }

    Duration elapsed() {
      return clients == null ? Duration.ZERO : clients.elapsed();
    }

    LoadNumbers whenBusy() {
      return clients == null ? new LoadNumbers(List.of(), 0, null) : clients.whenBusy();
    }

    LoadNumbers numbers() {
      return clients == null ? new LoadNumbers(List.of(), 0, null) : clients.numbers();
    }
  }
}

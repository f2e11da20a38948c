package io.servedrift.monitors.cli;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An embedded broker in a process of its own, for measurements that must not count its work. */
final class BrokerProcess implements AutoCloseable {

  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final String bootstrapServers;

  private BrokerProcess(Process process, String bootstrapServers) {
    this.process = process;
    this.bootstrapServers = bootstrapServers;
  }

  /** The other side: runs a broker on the folder given until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    try (EmbeddedBroker broker = EmbeddedBroker.start(Path.of(arguments[0]))) {
      Terminal.system(System.getenv()).out().println(broker.bootstrapServers());
      while (System.in.read() >= 0) {
        // Nothing is said to us; the end of the stream is the signal, also when our parent dies.
      }
    }
    System.exit(0);
  }

  /**
   * Starts a broker; returns when it serves clients.
   *
   * @throws CommandFailure when it does not start; its own messages are on stderr
   */
  static BrokerProcess start(Path folder) throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home", ""), "bin", "java").toString(),
                    "-Xmx1g",
                    "-cp",
                    System.getProperty("java.class.path", ""),
                    BrokerProcess.class.getName(),
                    folder.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader answer =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String servers = answer.readLine();
    if (servers == null) {
      throw new CommandFailure(ExitCode.UNREACHABLE, "the broker did not start", null);
    }
    return new BrokerProcess(process, servers);
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

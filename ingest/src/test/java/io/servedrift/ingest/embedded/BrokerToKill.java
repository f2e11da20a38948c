package io.servedrift.ingest.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** An embedded broker in a process of its own, which is killed when it is closed. */
final class BrokerToKill implements AutoCloseable {
  private static final String MARK = "broker at ";

  private final Process process;
  private final String bootstrapServers;

  private BrokerToKill(Process process, String bootstrapServers) {
    this.process = process;
    this.bootstrapServers = bootstrapServers;
  }

  static BrokerToKill start(Path folder) throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    BrokerToKill.class.getName(),
                    folder.toString()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(MARK)) {
        return new BrokerToKill(process, line.substring(MARK.length()));
      }
    }
    throw new IOException("the broker's process ended before it served clients");
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  /** SIGKILL, and the end. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The other process; ends by itself when this one does. */
  public static void main(String[] arguments) throws IOException {
    EmbeddedBroker broker = EmbeddedBroker.start(Path.of(arguments[0]));
    System.out.println(MARK + broker.bootstrapServers());
    while (System.in.read() >= 0) {
      // Whoever started this one is there.
    }
    Runtime.getRuntime().halt(1);
  }
}

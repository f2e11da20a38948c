package io.servedrift.ingest.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An embedded broker in a process of its own, which is killed when it is closed. */
final class BrokerToKill implements AutoCloseable {
  private static final String MARK = "broker at ";
  private static final String ENDED = ", ended a former session: ";

  private static final int LONGEST_START_S = 120;

  private final Process process;
  private final String bootstrapServers;
  private final boolean endedFormerSession;

  private BrokerToKill(Process process, String bootstrapServers, boolean endedFormerSession) {
    this.process = process;
    this.bootstrapServers = bootstrapServers;
    this.endedFormerSession = endedFormerSession;
  }

  /**
   * Starts it and waits until it serves clients.
   *
   * @param folder of its data
   * @param log takes what it says on stderr
   */
  static BrokerToKill start(Path folder, Path log) throws IOException, InterruptedException {
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
            .redirectError(log.toFile())
            .start();
    boolean served = false;
    try {
      String told =
          // A read from a process cannot be interrupted.
          CompletableFuture.supplyAsync(() -> told(process)).get(LONGEST_START_S, TimeUnit.SECONDS);
      String[] parts = told.substring(MARK.length()).split(ENDED, 2);
      served = true;
      return new BrokerToKill(process, parts[0], Boolean.parseBoolean(parts[1]));
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("no broker that serves clients: " + Files.readString(log), e);
    } finally {
      if (!served) {
        process.destroyForcibly();
      }
    }
  }

  private static String told(Process process) {
    try {
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      String line = out.readLine();
      while (line != null && !line.startsWith(MARK)) {
        line = out.readLine();
      }
      if (line == null) {
        throw new IllegalStateException("the process ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  boolean endedFormerSession() {
    return endedFormerSession;
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
    System.out.println(MARK + broker.bootstrapServers() + ENDED + broker.endedFormerSession());
    while (System.in.read() >= 0) {
      // Whoever started this one is there.
    }
    Runtime.getRuntime().halt(1);
  }
}

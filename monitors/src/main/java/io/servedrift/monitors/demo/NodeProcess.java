package io.servedrift.monitors.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A serving node in a process of its own. What it prints goes to a file, never to the terminal. It
 * ends with {@link #close}, or when this process exits; where that ends at once, as with a second
 * signal or a kill, a command that stops with its standard input ends too. Not thread-safe.
 */
public final class NodeProcess implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("(?m)^listening on (http\\S+)$");
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Duration DRAIN = Duration.ofSeconds(15);
  private static final int LAST_LINES = 15;

  private final Process process;
  private final Path log;
  private final Thread onExit;

  private NodeProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.onExit = new Thread(process::destroy, "servedrift-demo-node-exit");
  }

  /**
   * Starts a command.
   *
   * @param environment beside that of this process, without settings of the product in it
   * @param log takes all that it prints
   * @throws IOException when it cannot be started
   */
  public static NodeProcess start(List<String> command, Map<String, String> environment, Path log)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SERVEDRIFT_"));
    builder.environment().putAll(environment);
    NodeProcess node = new NodeProcess(builder.start(), log);
    Runtime.getRuntime().addShutdownHook(node.onExit);
    return node;
  }

  /** The address that it says it listens on, as soon as it has said so. */
  public Optional<String> address() throws IOException {
    Matcher said = LISTENING.matcher(output());
    return said.find() ? Optional.of(said.group(1)) : Optional.empty();
  }

  /** Whether it runs. */
  public boolean alive() {
    return process.isAlive();
  }

  /** The last lines of what it printed. */
  public String lastLines() throws IOException {
    List<String> lines = output().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  private String output() throws IOException {
    return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
  }

  /** How long to wait between two looks at {@link #address}. */
  public static Duration look() {
    return LOOK;
  }

  /** Lets it finish what it has, and ends it. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(DRAIN.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException ignored) {
      // The JVM ends already: the hook has run or runs.
    }
  }
}

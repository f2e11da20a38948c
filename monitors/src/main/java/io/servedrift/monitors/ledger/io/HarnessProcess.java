package io.servedrift.monitors.ledger.io;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the command that measures, without a shell: what it prints goes to our stderr, so that
 * results stay alone on stdout.
 */
public final class HarnessProcess {
  private static final long STOP_SECONDS = 10;
  private static final long OUTPUT_SECONDS = 2;

  private HarnessProcess() {}

  /**
   * Runs a command to its end.
   *
   * @param err takes what it prints
   * @return its exit code
   * @throws LedgerException when it cannot be started
   */
  public static int run(List<String> command, PrintWriter err)
      throws IOException, InterruptedException {
    Process started;
    try {
      started = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new LedgerException(command.get(0) + ": cannot be started: " + e.getMessage(), e);
    }
    Process process = started;
    Thread onExit = new Thread(() -> destroy(process), "servedrift-harness-exit");
    Runtime.getRuntime().addShutdownHook(onExit);
    Thread output = new Thread(() -> copy(process, err), "servedrift-harness-output");
    output.setDaemon(true);
    output.start();
    try {
      process.getOutputStream().close();
      int code = process.waitFor();
      // A process that the command left behind may hold its output open for ever.
      output.join(TimeUnit.SECONDS.toMillis(OUTPUT_SECONDS));
      return code;
    } finally {
      end(process);
      forget(onExit);
    }
  }

  private static void forget(Thread onExit) {
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException ignored) {
      // The JVM ends already: the hook has run or runs.
    }
  }

  private static void copy(Process process, PrintWriter err) {
    char[] buffer = new char[8192];
    try (Reader text = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
      for (int n = text.read(buffer); n >= 0; n = text.read(buffer)) {
        err.write(buffer, 0, n);
        err.flush();
      }
    } catch (IOException ignored) {
      // The stream was closed as the command ended: there is no more to show.
    }
  }

  private static void end(Process process) throws InterruptedException {
    if (process.isAlive()) {
      destroy(process);
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
  }

  /** What a shell started loads the endpoint as well. */
  private static void destroy(Process process) {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
  }
}

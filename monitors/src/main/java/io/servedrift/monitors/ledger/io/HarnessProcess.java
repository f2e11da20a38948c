package io.servedrift.monitors.ledger.io;

import java.io.IOException;
import java.io.InputStream;
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
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new LedgerException(command.get(0) + ": cannot be started: " + e.getMessage(), e);
    }
    Thread onExit = new Thread(process::destroy, "servedrift-harness-exit");
    Runtime.getRuntime().addShutdownHook(onExit);
    try {
      process.getOutputStream().close();
      copy(process.getInputStream(), err);
      return process.waitFor();
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

  private static void copy(InputStream from, PrintWriter err) throws IOException {
    Reader text = new InputStreamReader(from, StandardCharsets.UTF_8);
    char[] buffer = new char[8192];
    for (int n = text.read(buffer); n >= 0; n = text.read(buffer)) {
      err.write(buffer, 0, n);
      err.flush();
    }
  }

  private static void end(Process process) throws InterruptedException {
    if (process.isAlive()) {
      process.destroy();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }
}

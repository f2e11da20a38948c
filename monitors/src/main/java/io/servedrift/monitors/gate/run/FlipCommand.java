package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Side;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The operator's command that switches traffic, run by the shell. Thread-safe. */
final class FlipCommand {
  private static final String TO = "SERVEDRIFT_FLIP_TO";

  private final String command;
  private final Duration limit;
  private final Path log;

  /**
   * A command.
   *
   * @param limit longest time that it may take
   * @param log takes what it prints
   */
  FlipCommand(String command, Duration limit, Path log) {
    this.command = command;
    this.limit = limit;
    this.log = log;
  }

  /**
   * Runs it and waits.
   *
   * @return what went wrong, null when it ended well
   */
  @Nullable String run(Side to) throws InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", command)
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put(TO, to.label());
    try {
      Process process = builder.start();
      boolean ended = false;
      try {
        ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        if (!ended) {
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly();
        }
      }
      if (!ended) {
        return "the flip to " + to.label() + " took longer than " + limit.toSeconds() + " s";
      }
      int code = process.exitValue();
      return code == 0 ? null : "the flip to " + to.label() + " ended with exit code " + code;
    } catch (IOException e) {
      return "the flip command cannot be run: " + e.getMessage();
    }
  }
}

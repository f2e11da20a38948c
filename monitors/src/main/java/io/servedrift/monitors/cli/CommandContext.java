package io.servedrift.monitors.cli;

import java.time.Clock;
import java.util.Map;

/**
 * What every command gets from outside, so that tests can give something else.
 *
 * @param terminal the streams of the process
 * @param environment the environment variables of the process
 * @param clock the clock of the process
 * @param output the options for progress and logs, filled while the command line is parsed
 */
record CommandContext(
    Terminal terminal, Map<String, String> environment, Clock clock, OutputOptions output) {

  /** A progress line on stderr, silent when nobody watches it. */
  Progress progress(String what) {
    boolean shown = terminal.errInteractive() && !output.quiet();
    return new Progress(what, terminal.err(), clock, shown);
  }
}

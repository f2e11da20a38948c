package io.servedrift.monitors.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The three streams of the process. Results go to {@code out} and nothing else does; progress and
 * messages go to {@code err}. Always UTF-8, whatever the locale.
 *
 * @param out results
 * @param err progress and messages
 * @param in standard input
 * @param outInteractive whether a person watches {@code out}
 * @param errInteractive whether a person watches {@code err}; without one there is no progress
 * @param color whether escape sequences for colour may be written ({@code NO_COLOR} is honoured)
 */
record Terminal(
    PrintWriter out,
    PrintWriter err,
    InputStream in,
    boolean outInteractive,
    boolean errInteractive,
    boolean color) {

  /** The launcher says here which of {@code out,err} are terminals; Java cannot ask for each. */
  private static final String INTERACTIVE_PROPERTY = "servedrift.interactive";

  static Terminal system(Map<String, String> environment) {
    List<String> interactive = List.of(System.getProperty(INTERACTIVE_PROPERTY, "").split(","));
    boolean out = interactive.contains("out");
    boolean err = interactive.contains("err");
    boolean color = out && environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Terminal(
        writer(FileDescriptor.out), writer(FileDescriptor.err), System.in, out, err, color);
  }

  /** Whether a path on the command line means standard input. */
  static boolean isStdin(Path file) {
    return file.toString().equals("-");
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), true);
  }
}

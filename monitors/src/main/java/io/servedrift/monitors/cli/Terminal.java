package io.servedrift.monitors.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The three streams of the process. Results go to {@code out} and nothing else does; progress and
 * messages go to {@code err}. Always UTF-8, whatever the locale.
 *
 * @param stdout results, as a stream
 * @param out results, as text
 * @param err progress and messages
 * @param in standard input
 * @param outInteractive whether a person watches {@code out}
 * @param errInteractive whether a person watches {@code err}; without one there is no progress
 * @param color whether escape sequences for colour may be written ({@code NO_COLOR} is honoured)
 */
record Terminal(
    PrintStream stdout,
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
    return of(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        System.in,
        out,
        err,
        color);
  }

  static Terminal of(
      OutputStream stdout,
      OutputStream stderr,
      InputStream stdin,
      boolean outInteractive,
      boolean errInteractive,
      boolean color) {
    PrintStream stream = new PrintStream(stdout, false, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(new OutputStreamWriter(stderr, StandardCharsets.UTF_8), true);
    return new Terminal(
        stream,
        new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true),
        err,
        stdin,
        outInteractive,
        errInteractive,
        color);
  }

  /** Whether a path on the command line means standard input. */
  static boolean isStdin(Path file) {
    return file.toString().equals("-");
  }
}

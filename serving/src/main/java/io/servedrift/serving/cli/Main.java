package io.servedrift.serving.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Entry point of the serving module. */
public final class Main {

  private Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] arguments) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = CommandTree.of(System.getenv(), out, err).execute(arguments);
    out.flush();
    err.flush();
    System.exit(code);
  }
}

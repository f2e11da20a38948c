package io.servedrift.monitors.cli;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;

/** Runs commands in this process and keeps what they print. */
final class CommandLineHarness {

  static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Map<String, String> environment = new HashMap<>();
  private InputStream in = InputStream.nullInputStream();

  CommandLineHarness environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  CommandLineHarness stdin(String text) {
    in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  int run(String... arguments) {
    return Main.run(context(), arguments);
  }

  CommandContext context() {
    Terminal terminal =
        new Terminal(new PrintWriter(out), new PrintWriter(err), in, false, false, false);
    Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
    return new CommandContext(terminal, environment, clock, new OutputOptions());
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }
}

package io.servedrift.monitors.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;

/** Runs commands in this process and keeps what they print. */
final class CommandLineHarness {

  static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Map<String, String> environment = new HashMap<>();
  private InputStream in = InputStream.nullInputStream();
  private Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);

  CommandLineHarness environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** For commands that ask a broker by time: records cannot lie ahead of its clock. */
  CommandLineHarness clock(Clock given) {
    clock = given;
    return this;
  }

  CommandLineHarness stdin(String text) {
    return stdin(text.getBytes(StandardCharsets.UTF_8));
  }

  CommandLineHarness stdin(byte[] bytes) {
    in = new ByteArrayInputStream(bytes);
    return this;
  }

  int run(String... arguments) {
    return Main.run(context(), arguments);
  }

  CommandContext context() {
    Terminal terminal = Terminal.of(out, err, in, false, false, false);
    return new CommandContext(terminal, environment, clock, new OutputOptions());
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}

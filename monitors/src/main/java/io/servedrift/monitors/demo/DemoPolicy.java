package io.servedrift.monitors.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The policy that the demonstration ships and prints: {@code policy.yaml} beside this class. */
public final class DemoPolicy {
  private DemoPolicy() {}

  /** What judges a stage that the shipped rules leave out. */
  private static final String OF_A_STAGE =
      """

        # A part of the latency after all: it is where this fault shows.
        %s:
          baseline: learned
      """;

  /** Its text, with comments, for a story: the metric in which its fault shows is judged. */
  public static String yaml(DemoFault fault) {
    return fault.metric().startsWith("stage:")
        ? yaml() + OF_A_STAGE.formatted(fault.metric())
        : yaml();
  }

  /** Its text, with comments. */
  public static String yaml() {
    try (InputStream in = DemoPolicy.class.getResourceAsStream("policy.yaml")) {
      if (in == null) {
        throw new IllegalStateException("demo/policy.yaml: is not in this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("reading from the class path", e);
    }
  }
}

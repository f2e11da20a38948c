package io.servedrift.monitors.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The policy that the demonstration ships and prints: {@code policy.yaml} beside this class. One
 * for all stories: who judges does not know what will go wrong.
 */
public final class DemoPolicy {
  private DemoPolicy() {}

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

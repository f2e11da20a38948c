package io.servedrift.monitors.cli.settings;

import java.util.List;

/** The settings cannot be used; carries every problem that was found, not only the first. */
public final class SettingsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  SettingsException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  /** One sentence per problem: what, value, allowed, where. */
  public List<String> problems() {
    return problems;
  }
}

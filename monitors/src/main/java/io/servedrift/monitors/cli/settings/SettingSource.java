package io.servedrift.monitors.cli.settings;

import java.util.Locale;

/** Where a value came from; an earlier constant wins over a later one. */
public enum SettingSource {
  COMMAND_LINE,
  ENVIRONMENT,
  FILE,
  DEFAULT;

  /** The name as shown to users, for example {@code command line}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

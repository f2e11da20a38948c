package io.servedrift.monitors.cli.settings;

import java.util.List;

/** The table of settings in the documentation, written from the catalogue so that it stays true. */
public final class SettingsTable {

  private SettingsTable() {}

  /** The settings of {@link SettingsCatalogue} as Markdown. */
  public static String markdown() {
    return markdown(SettingsCatalogue.all());
  }

  /** A table as Markdown, one row per setting, ends with a line break. */
  public static String markdown(List<Setting<?>> settings) {
    StringBuilder table =
        new StringBuilder("| setting | environment | default | allowed | meaning |\n");
    table.append("|---|---|---|---|---|\n");
    for (Setting<?> setting : settings) {
      String value =
          setting.defaultText() == null
              ? setting.shownDefault()
              : "`" + setting.shownDefault() + "`";
      table
          .append("| `")
          .append(setting.key())
          .append("` | `")
          .append(setting.environmentName())
          .append("` | ")
          .append(value)
          .append(" | ")
          .append(setting.type().allowed())
          .append(" | ")
          .append(setting.description())
          .append(" |\n");
    }
    return table.toString();
  }
}

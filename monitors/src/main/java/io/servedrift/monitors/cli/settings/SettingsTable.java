package io.servedrift.monitors.cli.settings;

import java.util.List;
import java.util.Map;

/** The table of settings in the documentation, written from the catalogue so that it stays true. */
public final class SettingsTable {

  private SettingsTable() {}

  /** The settings of {@link SettingsCatalogue} as Markdown. */
  public static String markdown() {
    return markdown(SettingsCatalogue.all(), Map.of());
  }

  /**
   * A table as Markdown, one row per setting, ends with a line break.
   *
   * @param defaults text by setting key where a command has other defaults than the catalogue
   */
  public static String markdown(List<Setting<?>> settings, Map<String, String> defaults) {
    StringBuilder table =
        new StringBuilder("| setting | environment | default | allowed | meaning |\n");
    table.append("|---|---|---|---|---|\n");
    for (Setting<?> setting : settings) {
      String text = defaults.getOrDefault(setting.key(), setting.defaultText());
      String value = text == null ? setting.shownDefault() : "`" + text + "`";
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

package io.servedrift.monitors.cli.settings;

/** The table of settings in the documentation, written from the catalogue so that it stays true. */
public final class SettingsTable {

  private SettingsTable() {}

  /** The table as Markdown, one row per setting, ends with a line break. */
  public static String markdown() {
    StringBuilder table =
        new StringBuilder("| setting | environment | default | allowed | meaning |\n");
    table.append("|---|---|---|---|---|\n");
    for (Setting<?> setting : SettingsCatalogue.all()) {
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

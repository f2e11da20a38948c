package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.HttpSchemaRegistry;
import io.servedrift.schemas.ReadLimits;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The settings that decide which record counts where, as every command that builds panes has. */
final class PaneOptions {

  private static final List<Setting<?>> SETTINGS =
      List.of(
          SettingsCatalogue.PANE,
          SettingsCatalogue.WINDOWS,
          SettingsCatalogue.GRACE,
          SettingsCatalogue.SCORE_GRACE,
          SettingsCatalogue.HORIZON,
          SettingsCatalogue.FUTURE_LIMIT,
          SettingsCatalogue.HELD_LIMIT,
          SettingsCatalogue.SERIES_LIMIT,
          SettingsCatalogue.CELL_LIMIT,
          SettingsCatalogue.CLASS_LIMIT,
          SettingsCatalogue.METRIC_LAYOUTS);

  private static final Duration REGISTRY_TIMEOUT = Duration.ofSeconds(5);

  private PaneOptions() {}

  static List<Setting<?>> settings() {
    return SETTINGS;
  }

  static PaneSettings of(Settings settings) {
    return new PaneSettings(
        settings.get(SettingsCatalogue.PANE),
        settings.get(SettingsCatalogue.WINDOWS),
        settings.get(SettingsCatalogue.GRACE),
        settings.get(SettingsCatalogue.SCORE_GRACE),
        settings.get(SettingsCatalogue.HORIZON),
        settings.get(SettingsCatalogue.FUTURE_LIMIT),
        settings.get(SettingsCatalogue.HELD_LIMIT),
        settings.get(SettingsCatalogue.SERIES_LIMIT),
        settings.get(SettingsCatalogue.CELL_LIMIT),
        settings.get(SettingsCatalogue.CLASS_LIMIT));
  }

  static MetricLayouts layouts(Settings settings) {
    Map<String, String> overrides = new TreeMap<>();
    for (String pair : settings.find(SettingsCatalogue.METRIC_LAYOUTS).orElse(List.of())) {
      int equals = pair.indexOf('=');
      overrides.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    try {
      return new MetricLayouts(overrides);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, "metric-layouts: " + e.getMessage(), e);
    }
  }

  /** Reads every wire format; records with a registry header only when a registry is set. */
  static EventReader reader(Settings settings, Clock clock) {
    return settings
        .find(SettingsCatalogue.SCHEMA_REGISTRY_URL)
        .map(
            url ->
                new EventReader(
                    ReadLimits.DEFAULT, new HttpSchemaRegistry(url, REGISTRY_TIMEOUT, clock)))
        .orElseGet(() -> new EventReader(ReadLimits.DEFAULT));
  }
}

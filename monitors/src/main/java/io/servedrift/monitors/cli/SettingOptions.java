package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Turns settings of the catalogue into options of a command, so that none is written twice. */
final class SettingOptions {

  private SettingOptions() {}

  /**
   * Adds one option per setting to {@code spec}.
   *
   * @param defaults text by setting key where the command has other defaults than the catalogue
   */
  static void addTo(CommandSpec spec, List<Setting<?>> settings, Map<String, String> defaults) {
    ArgGroupSpec.Builder group =
        ArgGroupSpec.builder()
            .heading("%nSettings (command line > environment > --config FILE > default):%n")
            .exclusive(false)
            .validate(false)
            .order(1000);
    for (Setting<?> setting : settings) {
      group.addArg(
          OptionSpec.builder(setting.option())
              .paramLabel(setting.type().name())
              .type(String.class)
              .description(description(setting, defaults))
              .build());
    }
    spec.addArgGroup(group.build());
  }

  private static String description(Setting<?> setting, Map<String, String> defaults) {
    String text =
        "%s Default: %s. Environment: %s."
            .formatted(
                setting.description(),
                defaults.getOrDefault(setting.key(), setting.shownDefault()).replace("`", ""),
                setting.environmentName());
    return text.replace("%", "%%").replace("`", "");
  }

  /** The text of the settings that were given as options, by key. */
  static Map<String, String> given(ParseResult parsed, List<Setting<?>> settings) {
    Map<String, String> given = new HashMap<>();
    for (Setting<?> setting : settings) {
      if (parsed.hasMatchedOption(setting.option())) {
        given.put(setting.key(), parsed.matchedOption(setting.option()).stringValues().get(0));
      }
    }
    return given;
  }
}

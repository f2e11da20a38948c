package io.servedrift.monitors.cli.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name in every source, its default, its type and range.
 *
 * @param key the name on the command line ({@code --key}) and in YAML ({@code key:})
 * @param type how its text is read and which values are allowed
 * @param defaultText the default in the form a user would write it, null when there is none
 * @param defaultNote what holds when {@code defaultText} is null, for the documentation
 * @param description one sentence for help and documentation
 */
public record Setting<T>(
    String key,
    SettingType<T> type,
    @Nullable String defaultText,
    String defaultNote,
    String description) {

  /** The prefix of every environment variable of the product. */
  public static final String ENVIRONMENT_PREFIX = "SERVEDRIFT_";

  static <T> Setting<T> of(
      String key, SettingType<T> type, String defaultText, String description) {
    return new Setting<>(key, type, defaultText, "", description);
  }

  static <T> Setting<T> optional(
      String key, SettingType<T> type, String defaultNote, String description) {
    return new Setting<>(key, type, null, defaultNote, description);
  }

  /** The same setting, described for a command in which not all of its sentence holds. */
  public Setting<T> describedAs(String sentence) {
    return new Setting<>(key, type, defaultText, defaultNote, sentence);
  }

  /** The environment variable, for example {@code SERVEDRIFT_HTTP_PORT}. */
  public String environmentName() {
    return ENVIRONMENT_PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** The command line option, for example {@code --http-port}. */
  public String option() {
    return "--" + key;
  }

  /** The default as shown to users: the text itself, or what holds without one. */
  public String shownDefault() {
    return defaultText == null ? defaultNote : defaultText;
  }
}

package io.servedrift.serving.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name in every source and its default.
 *
 * @param key the name on the command line ({@code --key}) and in YAML ({@code key:})
 * @param value the kind of value as help shows it, for example {@code DURATION}
 * @param defaultText the default as a user would write it, {@code null} when there is none
 * @param description one sentence for help and documentation
 */
record Setting(String key, String value, @Nullable String defaultText, String description) {

  /** The prefix of every environment variable of the product. */
  static final String ENVIRONMENT_PREFIX = "SERVEDRIFT_";

  /** The environment variable, for example {@code SERVEDRIFT_MAX_RUNNING}. */
  String environmentName() {
    return ENVIRONMENT_PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** The command line option, for example {@code --max-running}. */
  String option() {
    return "--" + key;
  }

  /** The default as shown to users. */
  String shownDefault() {
    return defaultText == null ? "none" : defaultText;
  }
}

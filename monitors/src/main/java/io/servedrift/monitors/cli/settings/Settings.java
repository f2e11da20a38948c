package io.servedrift.monitors.cli.settings;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings in force, each with its source. Immutable. Made by {@link SettingsResolver}, which
 * has checked every value.
 */
public final class Settings {

  private static final Pattern URL_CREDENTIALS = Pattern.compile("://[^/@]*@");
  private static final String MASK = "********";

  private final Map<String, Resolved> values;
  private final Map<KafkaSettings, Map<String, Resolved>> kafka;

  Settings(Map<String, Resolved> values, Map<KafkaSettings, Map<String, Resolved>> kafka) {
    this.values = Map.copyOf(values);
    this.kafka = new EnumMap<>(kafka);
  }

  /**
   * One value with its origin.
   *
   * @param value the typed value
   * @param text the value as it was written
   * @param source the kind of place it came from
   */
  record Resolved(Object value, String text, SettingSource source) {}

  /**
   * One line of {@code --print-config}.
   *
   * @param key the setting's key, for pass-through settings with {@code kafka.} in front
   * @param value the value as written, secrets masked, null when there is none
   * @param source where it came from
   */
  public record Line(String key, @Nullable String value, String source) {}

  /** The value of a setting that has a default; for the others see {@link #find}. */
  public <T> T get(Setting<T> setting) {
    return find(setting)
        .orElseThrow(() -> new IllegalStateException("setting without value: " + setting.key()));
  }

  /** The value of a setting, empty when it was not given and has no default. */
  @SuppressWarnings("unchecked") // the resolver stored what this setting's own type read
  public <T> Optional<T> find(Setting<T> setting) {
    Resolved resolved = values.get(setting.key());
    return resolved == null ? Optional.empty() : Optional.of((T) resolved.value());
  }

  /** Where the value in force came from. */
  public SettingSource sourceOf(Setting<?> setting) {
    Resolved resolved = values.get(setting.key());
    return resolved == null ? SettingSource.DEFAULT : resolved.source();
  }

  /** What passes through to the Kafka clients, by property name; may hold secrets. */
  public Map<String, String> kafka() {
    return properties(KafkaSettings.OWN);
  }

  /** The same for the cluster of a topic that is imported; may hold secrets. */
  public Map<String, String> sourceKafka() {
    return properties(KafkaSettings.SOURCE);
  }

  private Map<String, String> properties(KafkaSettings scope) {
    Map<String, String> properties = new TreeMap<>();
    kafka
        .getOrDefault(scope, Map.of())
        .forEach((key, resolved) -> properties.put(key, (String) resolved.value()));
    return properties;
  }

  /** The application id in force: the one given, else derived from the topic prefix. */
  public String applicationId() {
    return find(SettingsCatalogue.APPLICATION_ID)
        .orElseGet(() -> get(SettingsCatalogue.TOPIC_PREFIX) + "-monitor");
  }

  /**
   * Every setting of {@link SettingsCatalogue} with value and source, secrets masked, in the order
   * of the documentation.
   */
  public List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    for (Setting<?> setting : SettingsCatalogue.all()) {
      Resolved resolved = values.get(setting.key());
      String text = resolved == null ? null : withoutCredentials(resolved.text());
      lines.add(new Line(setting.key(), text, sourceOf(setting).text()));
    }
    kafka.forEach((scope, properties) -> lines(scope, properties, lines));
    return lines;
  }

  private static void lines(
      KafkaSettings scope, Map<String, Resolved> properties, List<Line> lines) {
    new TreeMap<>(properties)
        .forEach(
            (key, resolved) ->
                lines.add(
                    new Line(
                        scope.key() + "." + key,
                        KafkaSettings.isSecret(key) ? MASK : withoutCredentials(resolved.text()),
                        resolved.source().text())));
  }

  /** A text without the user and password of URLs in it. */
  public static String withoutCredentials(String text) {
    return URL_CREDENTIALS.matcher(text).replaceAll("://" + MASK + "@");
  }
}

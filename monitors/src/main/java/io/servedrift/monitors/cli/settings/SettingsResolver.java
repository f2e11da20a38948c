package io.servedrift.monitors.cli.settings;

import io.servedrift.monitors.text.NearestKey;
import io.servedrift.monitors.text.Quantities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link Settings} of the four sources. Precedence: command line, environment, file, default.
 * Unknown names are problems, and all problems are reported together. Used once; not thread-safe.
 */
public final class SettingsResolver {

  /** Any may be in a file or an environment that several commands share. */
  private static final List<Setting<?>> KNOWN =
      Stream.of(SettingsCatalogue.all(), GatewayCatalogue.all(), ImportCatalogue.all())
          .<Setting<?>>flatMap(List::stream)
          .toList();

  private final List<String> problems = new ArrayList<>();
  private final Map<String, Settings.Resolved> values = new HashMap<>();
  private final Map<KafkaSettings, Map<String, Settings.Resolved>> kafka =
      new EnumMap<>(KafkaSettings.class);

  private SettingsResolver() {}

  /**
   * Resolves every setting.
   *
   * @param commandLine text by setting key, as given on the command line
   * @param kafkaCommandLine Kafka client properties given on the command line
   * @param environment the environment of the process; names without our prefix are ignored
   * @param file the YAML file of {@code --config}, null when none was given
   * @param defaults text by setting key where a command has other defaults than the catalogue
   * @throws SettingsException with every problem found
   */
  public static Settings resolve(
      Map<String, String> commandLine,
      Map<String, String> kafkaCommandLine,
      Map<String, String> environment,
      @Nullable Path file,
      Map<String, String> defaults) {
    return resolve(commandLine, kafkaCommandLine, Map.of(), environment, file, defaults);
  }

  /**
   * The same where a topic of another cluster is read.
   *
   * @param sourceKafkaCommandLine properties of that cluster's client given on the command line
   * @throws SettingsException with every problem found
   */
  public static Settings resolve(
      Map<String, String> commandLine,
      Map<String, String> kafkaCommandLine,
      Map<String, String> sourceKafkaCommandLine,
      Map<String, String> environment,
      @Nullable Path file,
      Map<String, String> defaults) {
    SettingsResolver resolver = new SettingsResolver();
    SettingsFile read =
        file == null ? SettingsFile.none() : SettingsFile.read(file, resolver.problems);
    resolver.rejectUnknownEnvironment(environment);
    resolver.rejectUnknownKeys(read);
    for (Setting<?> setting : KNOWN) {
      resolver.resolveOne(setting, commandLine, environment, read, defaults);
    }
    resolver.resolveKafka(KafkaSettings.OWN, kafkaCommandLine, environment, read);
    resolver.resolveKafka(KafkaSettings.SOURCE, sourceKafkaCommandLine, environment, read);
    resolver.checkTogether();
    if (!resolver.problems.isEmpty()) {
      throw new SettingsException(resolver.problems);
    }
    return new Settings(resolver.values, resolver.kafka);
  }

  private void rejectUnknownEnvironment(Map<String, String> environment) {
    List<String> known = KNOWN.stream().map(Setting::environmentName).toList();
    for (String name : new TreeMap<>(environment).keySet()) {
      boolean ours = name.startsWith(Setting.ENVIRONMENT_PREFIX);
      if (ours
          && !known.contains(name)
          && Stream.of(KafkaSettings.values()).noneMatch(scope -> scope.isOne(name))
          && !SettingsCatalogue.FOREIGN_ENVIRONMENT.contains(name)) {
        problems.add(name + ": unknown setting in the environment" + nearest(name, known));
      }
    }
  }

  private void rejectUnknownKeys(SettingsFile file) {
    List<String> known = KNOWN.stream().map(Setting::key).toList();
    for (String key : file.values().keySet()) {
      if (Stream.of(KafkaSettings.values()).anyMatch(scope -> scope.key().equals(key))) {
        problems.add(file.name() + ": " + key + ": must be a map of Kafka client properties");
      } else if (!known.contains(key)) {
        problems.add(file.name() + ": " + key + ": unknown setting" + nearest(key, known));
      }
    }
  }

  private static String nearest(String name, Collection<String> known) {
    return NearestKey.of(name, known).map(best -> "; did you mean " + best + "?").orElse("");
  }

  private <T> void resolveOne(
      Setting<T> setting,
      Map<String, String> commandLine,
      Map<String, String> environment,
      SettingsFile file,
      Map<String, String> defaults) {
    String fromDefaults = defaults.getOrDefault(setting.key(), setting.defaultText());
    String fromCommandLine = commandLine.get(setting.key());
    String fromEnvironment = environment.get(setting.environmentName());
    String fromFile = file.values().get(setting.key());
    if (fromCommandLine != null) {
      read(setting, fromCommandLine, SettingSource.COMMAND_LINE, setting.option());
    } else if (fromEnvironment != null) {
      read(setting, fromEnvironment, SettingSource.ENVIRONMENT, setting.environmentName());
    } else if (fromFile != null) {
      read(setting, fromFile, SettingSource.FILE, file.name() + ": " + setting.key());
    } else if (fromDefaults != null) {
      read(setting, fromDefaults, SettingSource.DEFAULT, setting.key());
    }
  }

  private <T> void read(Setting<T> setting, String text, SettingSource source, String where) {
    try {
      T value = setting.type().read(text);
      values.put(setting.key(), new Settings.Resolved(value, text.strip(), source));
    } catch (IllegalArgumentException | ArithmeticException e) {
      String shown = Settings.withoutCredentials(text);
      problems.add(where + "=" + shown + ": must be " + setting.type().allowed());
    }
  }

  private void resolveKafka(
      KafkaSettings scope,
      Map<String, String> commandLine,
      Map<String, String> environment,
      SettingsFile file) {
    file.kafka()
        .getOrDefault(scope, Map.of())
        .forEach((key, text) -> putKafka(scope, key, text, SettingSource.FILE, file.name()));
    environment.forEach(
        (name, text) -> {
          if (scope.isOne(name)) {
            putKafka(scope, scope.propertyOf(name), text, SettingSource.ENVIRONMENT, name);
          }
        });
    commandLine.forEach(
        (key, text) -> {
          String where = "--" + scope.key() + " " + key;
          if (KafkaSettings.isSecret(key) && !KafkaSettings.isSecretFile(key)) {
            problems.add(
                where
                    + ": a secret must not be given on the command line, where other users can"
                    + " read it; use the environment, the settings file or "
                    + key
                    + ".file");
          } else {
            putKafka(scope, key, text, SettingSource.COMMAND_LINE, where);
          }
        });
  }

  private void putKafka(
      KafkaSettings scope, String key, String text, SettingSource source, String where) {
    Map<String, Settings.Resolved> properties = kafka.computeIfAbsent(scope, s -> new HashMap<>());
    String own = scope.settingFor(key);
    if (own != null) {
      problems.add(where + ": " + key + " must be given as the setting " + own);
    } else if (KafkaSettings.isSecretFile(key)) {
      String property = key.substring(0, key.length() - ".file".length());
      try {
        String secret = Files.readString(Path.of(text)).strip();
        properties.put(property, new Settings.Resolved(secret, secret, source));
      } catch (IOException | IllegalArgumentException e) {
        problems.add(where + "=" + text + ": must be a readable file with the secret");
      }
    } else {
      properties.put(key, new Settings.Resolved(text, text, source));
    }
  }

  private void checkTogether() {
    checkWindows();
    checkHorizon();
    checkBroker();
    checkTls();
    checkAlertmanager();
  }

  private void checkAlertmanager() {
    boolean basic =
        checkPair(
            SettingsCatalogue.ALERTMANAGER_USERNAME, SettingsCatalogue.ALERTMANAGER_PASSWORD_FILE);
    if (basic && values.containsKey(SettingsCatalogue.ALERTMANAGER_TOKEN_FILE.key())) {
      problems.add(
          "alertmanager-username and alertmanager-token-file: only one of them may be given");
    }
    checkPair(
        SettingsCatalogue.ALERTMANAGER_CERTIFICATE_FILE, SettingsCatalogue.ALERTMANAGER_KEY_FILE);
  }

  private void checkTls() {
    boolean store =
        checkPair(
            SettingsCatalogue.HTTP_KEYSTORE_FILE, SettingsCatalogue.HTTP_KEYSTORE_PASSWORD_FILE);
    boolean pem =
        checkPair(SettingsCatalogue.HTTP_CERTIFICATE_FILE, SettingsCatalogue.HTTP_KEY_FILE);
    if (store && pem) {
      problems.add(
          "http-keystore-file and http-certificate-file: only one of them may be given, both hold"
              + " the certificate");
    }
  }

  /** Whether either is given; with one the other is needed. */
  private boolean checkPair(Setting<?> one, Setting<?> other) {
    boolean first = values.containsKey(one.key());
    boolean second = values.containsKey(other.key());
    if (first != second) {
      problems.add(
          (first ? one : other).key() + ": needs " + (first ? other : one).key() + " as well");
    }
    return first || second;
  }

  private void checkHorizon() {
    Duration pane = value(SettingsCatalogue.PANE);
    Duration grace = value(SettingsCatalogue.GRACE);
    Duration scoreGrace = value(SettingsCatalogue.SCORE_GRACE);
    Duration horizon = value(SettingsCatalogue.HORIZON);
    if (pane == null || grace == null || scoreGrace == null || horizon == null) {
      return;
    }
    Duration least = pane.plus(grace).plus(scoreGrace);
    if (horizon.compareTo(least) < 0) {
      problems.add(
          "horizon="
              + Quantities.text(horizon)
              + ": must be at least pane + grace + score-grace = "
              + Quantities.text(least));
    }
  }

  private void checkWindows() {
    List<Duration> windows = value(SettingsCatalogue.WINDOWS);
    Duration pane = value(SettingsCatalogue.PANE);
    if (windows == null || pane == null) {
      return;
    }
    Duration previous = pane;
    String name = "the pane";
    for (Duration window : windows) {
      boolean first = previous.equals(pane) && name.equals("the pane");
      boolean longer = first ? window.compareTo(previous) >= 0 : window.compareTo(previous) > 0;
      if (!longer || window.toMillis() % previous.toMillis() != 0) {
        problems.add(
            "windows: "
                + Quantities.text(window)
                + " must be a multiple of "
                + name
                + " "
                + Quantities.text(previous)
                + (first ? "" : " and longer"));
      }
      previous = window;
      name = "the window before it";
    }
  }

  /** Two brokers are a contradiction only when the same source named both. */
  private void checkBroker() {
    Settings.Resolved cluster = values.get(SettingsCatalogue.BOOTSTRAP_SERVERS.key());
    Settings.Resolved embedded = values.get(SettingsCatalogue.EMBEDDED.key());
    if (cluster == null || embedded == null) {
      return;
    }
    int order = cluster.source().compareTo(embedded.source());
    if (order == 0) {
      problems.add(
          "bootstrap-servers and embedded: only one of them may be given, both come from the "
              + cluster.source().text());
    } else if (order < 0) {
      values.remove(SettingsCatalogue.EMBEDDED.key());
    } else {
      values.remove(SettingsCatalogue.BOOTSTRAP_SERVERS.key());
    }
  }

  @SuppressWarnings("unchecked") // stored by this setting's own type
  private <T> @Nullable T value(Setting<T> setting) {
    Settings.Resolved resolved = values.get(setting.key());
    return resolved == null ? null : (T) resolved.value();
  }
}

package io.servedrift.monitors.cli;

import io.servedrift.ingest.consume.SourceTopic;
import io.servedrift.monitors.cli.settings.ImportCatalogue;
import io.servedrift.monitors.cli.settings.SettingSource;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The topic that {@code import} reads in place of files. */
final class TopicOptions {
  private static final String NAME = "[a-zA-Z0-9._-]{1,249}";

  private static final String SERVERS = "bootstrap.servers";

  /**
   * How the topic is read.
   *
   * @param fromEnd pass over what a partition without a place holds at the start
   * @param cloudEvents whether records are CloudEvents
   * @param mostBytes of a record
   */
  record Reading(boolean fromEnd, boolean cloudEvents, int mostBytes) {}

  @Option(
      names = "--from-topic",
      paramLabel = "TOPIC",
      description =
          "In place of files: read this topic as it grows, one record as one line, and write to the"
              + " live topics.")
  private @Nullable String topic;

  @Option(
      names = "--source-kafka",
      paramLabel = "NAME=VALUE",
      description =
          "Property for the client that reads --from-topic, may be repeated;"
              + " SERVEDRIFT_SOURCE_KAFKA_X_Y sets x.y.")
  private final Map<String, String> kafka = new LinkedHashMap<>();

  /** The topic; null when files are read. */
  @Nullable String topic() {
    if (topic != null && !topic.matches(NAME)) {
      throw CommandFailure.usage(
          "--from-topic " + topic + ": must be 1 to 249 of a-z, A-Z, 0-9, . _ and -");
    }
    return topic;
  }

  /** Refuses what has no effect without a topic. */
  void requireTopic(Settings settings) {
    boolean named =
        Stream.of(ImportCatalogue.SOURCE_BOOTSTRAP_SERVERS, ImportCatalogue.SOURCE_GROUP)
            .anyMatch(setting -> settings.sourceOf(setting) == SettingSource.COMMAND_LINE);
    if (topic == null && (named || !kafka.isEmpty())) {
      throw CommandFailure.usage(
          "--source-bootstrap-servers, --source-group and --source-kafka belong to --from-topic");
    }
  }

  /** Properties for the client that reads it, from the command line. */
  Map<String, String> kafka() {
    return kafka;
  }

  /**
   * The topic with everything that is needed to read it.
   *
   * @param own settings for clients of the cluster that the events go to; they are used for the
   *     source only when it is that cluster
   * @throws CommandFailure when it is one of the monitor's own topics
   */
  static SourceTopic source(
      String topic, Settings settings, Map<String, String> own, Reading reading) {
    String prefix = settings.get(SettingsCatalogue.TOPIC_PREFIX);
    Optional<String> servers =
        settings
            .find(ImportCatalogue.SOURCE_BOOTSTRAP_SERVERS)
            .filter(there -> !each(there).equals(each(own.getOrDefault(SERVERS, ""))));
    boolean ours = new Topics(prefix).all().stream().anyMatch(spec -> spec.name().equals(topic));
    if (ours && servers.isEmpty()) {
      throw CommandFailure.usage(
          "--from-topic " + topic + ": is a topic of the monitor itself, must be one of others");
    }
    Map<String, String> kafka = new HashMap<>(servers.isEmpty() ? own : Map.of());
    servers.ifPresent(there -> kafka.put(SERVERS, there));
    kafka.putAll(settings.sourceKafka());
    return new SourceTopic(
        topic,
        settings.find(ImportCatalogue.SOURCE_GROUP).orElse(prefix + "-import"),
        reading.fromEnd(),
        reading.cloudEvents(),
        reading.mostBytes(),
        kafka);
  }

  private static Set<String> each(String servers) {
    return Arrays.stream(servers.split(",", -1)).map(String::strip).collect(Collectors.toSet());
  }
}

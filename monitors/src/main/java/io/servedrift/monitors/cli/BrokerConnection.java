package io.servedrift.monitors.cli;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicDifference;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The broker a command works with: a cluster somewhere, or one of our own in this process. */
final class BrokerConnection implements AutoCloseable {

  private final @Nullable EmbeddedBroker broker;
  private final Map<String, String> kafka;

  private BrokerConnection(@Nullable EmbeddedBroker broker, Map<String, String> kafka) {
    this.broker = broker;
    this.kafka = Map.copyOf(kafka);
  }

  /** Starts the embedded broker when one is asked for; otherwise opens nothing yet. */
  static BrokerConnection open(Settings settings) {
    Optional<Path> folder = settings.find(SettingsCatalogue.EMBEDDED);
    if (folder.isPresent()) {
      return of(EmbeddedBroker.start(folder.get()), settings);
    }
    return cluster(settings, "needs --bootstrap-servers HOST:PORT or --embedded DIR");
  }

  /** For a command that never starts a broker, whatever settings it shares with others. */
  static BrokerConnection openCluster(Settings settings) {
    String broker =
        settings.find(SettingsCatalogue.EMBEDDED).isPresent()
            ? "; the embedded one belongs to the monitor, this command starts none"
            : "";
    return cluster(settings, "needs --bootstrap-servers HOST:PORT" + broker);
  }

  private static BrokerConnection cluster(Settings settings, String needed) {
    String servers =
        settings
            .find(SettingsCatalogue.BOOTSTRAP_SERVERS)
            .orElseThrow(() -> CommandFailure.usage("no broker given: " + needed));
    return new BrokerConnection(null, withServers(settings, servers));
  }

  /** Starts an embedded broker on a folder of its own that is deleted at the end. */
  static BrokerConnection openTemporary(Settings settings) {
    return of(EmbeddedBroker.startTemporary(), settings);
  }

  private static BrokerConnection of(EmbeddedBroker broker, Settings settings) {
    return new BrokerConnection(broker, withServers(settings, broker.bootstrapServers()));
  }

  private static Map<String, String> withServers(Settings settings, String servers) {
    Map<String, String> kafka = new HashMap<>(settings.kafka());
    kafka.put("bootstrap.servers", servers);
    return kafka;
  }

  /** Whether the broker lives in this process. */
  boolean embedded() {
    return broker != null;
  }

  /** Settings for Kafka clients, {@code bootstrap.servers} among them. */
  Map<String, String> kafka() {
    return kafka;
  }

  String bootstrapServers() {
    return kafka.getOrDefault("bootstrap.servers", "");
  }

  /**
   * Makes topics, and repairs the settings of those that are there.
   *
   * @throws CommandFailure naming what could not be repaired
   */
  void makeTopics(Topics topics) {
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      List<TopicDifference> left =
          provisioner.apply(topics).stream().filter(found -> !found.repaired()).toList();
      if (!left.isEmpty()) {
        throw new CommandFailure(
            ExitCode.CHECK_FAILED,
            String.join("\n", left.stream().map(TopicDifference::text).toList()),
            null);
      }
    }
  }

  @Override
  public void close() {
    if (broker != null) {
      broker.close();
    }
  }
}

package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.KafkaSource;
import io.servedrift.monitors.replay.RangeReplay;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Replays a range of Kafka. */
final class KafkaTraffic {
  private final ReplayInput replay;

  KafkaTraffic(ReplayInput replay) {
    this.replay = replay;
  }

  ReplayedTraffic run() throws IOException {
    Topics topics = new Topics(replay.settings().get(SettingsCatalogue.TOPIC_PREFIX));
    Tally tally = new Tally();
    try (BrokerConnection broker = BrokerConnection.open(replay.settings());
        KafkaConsumer<byte[], byte[]> consumer = consumer(broker, "servedrift-replay")) {
      requireTopics(consumer, topics, broker);
      EventReader reader = PaneOptions.reader(replay.settings(), replay.context().clock());
      ConfigNames names = ConfigNames.of(consumer, topics.configs(), reader);
      KafkaSource source = new KafkaSource(consumer, topics, PaneOptions.of(replay.settings()));
      RangeReplay.Result result =
          replay.run(
              replay.of(source, topics, names, reader, tally),
              replay.options().from(),
              replay.options().to(),
              state(consumer, topics));
      return new ReplayedTraffic(
          topics.requests() + " at " + broker.bootstrapServers(),
          result.records(),
          result.inRange(),
          null,
          tally,
          names,
          result.partial());
    }
  }

  private Checkpoints state(KafkaConsumer<byte[], byte[]> consumer, Topics topics)
      throws IOException {
    Instant from = replay.options().from();
    replay.options().requireStart(from);
    if (from == null || replay.options().cold()) {
      return Checkpoints.NONE;
    }
    return replay.options().state(from, before -> Checkpoints.newest(consumer, topics, before));
  }

  /** Refuses a prefix without topics. */
  static void requireTopics(
      KafkaConsumer<byte[], byte[]> consumer, Topics topics, BrokerConnection broker) {
    if (consumer.partitionsFor(topics.requests()).isEmpty()) {
      throw CommandFailure.usage(
          "no topic "
              + topics.requests()
              + " at "
              + broker.bootstrapServers()
              + "; --topic-prefix chooses others (import writes to "
              + ImportCommand.HISTORY_PREFIX
              + ")");
    }
  }

  /** A consumer that leaves no trace and never jumps over records that are gone. */
  static KafkaConsumer<byte[], byte[]> consumer(BrokerConnection broker, String clientId) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("client.id", clientId);
    settings.put("default.api.timeout.ms", 15_000);
    settings.put("fetch.min.bytes", 262_144);
    settings.put("fetch.max.wait.ms", 50);
    settings.put("max.partition.fetch.bytes", 4_194_304);
    settings.put("max.poll.records", 5_000);
    settings.putAll(broker.kafka());
    // These decide what is seen and whether it leaves traces: not for the user to change.
    settings.put("isolation.level", "read_committed");
    settings.put("enable.auto.commit", false);
    settings.put("allow.auto.create.topics", false);
    settings.put("auto.offset.reset", "none");
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}

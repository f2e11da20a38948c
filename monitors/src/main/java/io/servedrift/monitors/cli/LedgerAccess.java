package io.servedrift.monitors.cli;

import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.ledger.Dictionary;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.LiveSystem;
import io.servedrift.monitors.ledger.io.LedgerFile;
import io.servedrift.monitors.ledger.io.LedgerTopic;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/** The places of the ledger that the command line names. Not thread-safe. */
final class LedgerAccess implements AutoCloseable {
  private static final int SECONDS = 30;

  private final @Nullable LedgerFile file;
  private final @Nullable BrokerConnection broker;
  private final Topics topics;
  private final CommandContext context;

  private LedgerAccess(
      @Nullable LedgerFile file,
      @Nullable BrokerConnection broker,
      Topics topics,
      CommandContext context) {
    this.file = file;
    this.broker = broker;
    this.topics = topics;
    this.context = context;
  }

  /**
   * Opens what is named.
   *
   * @throws CommandFailure when nothing is
   */
  static LedgerAccess open(@Nullable Path ledger, Settings settings, CommandContext context) {
    boolean kafka =
        settings.find(SettingsCatalogue.EMBEDDED).isPresent()
            || settings.find(SettingsCatalogue.BOOTSTRAP_SERVERS).isPresent();
    if (ledger == null && !kafka) {
      throw CommandFailure.usage(
          "no ledger given: needs --ledger FILE, --bootstrap-servers HOST:PORT or --embedded DIR");
    }
    Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    BrokerConnection broker = kafka ? BrokerConnection.open(settings) : null;
    if (broker != null && broker.embedded()) {
      try (TopicProvisioner provisioner = TopicProvisioner.connect(broker.kafka())) {
        provisioner.apply(topics);
      } catch (RuntimeException e) {
        broker.close();
        throw e;
      }
    }
    return new LedgerAccess(
        ledger == null ? null : new LedgerFile(ledger), broker, topics, context);
  }

  /** Whether a broker is among the places. */
  boolean hasBroker() {
    return broker != null;
  }

  /** All scores of all places, and what ids mean. */
  Ledger read() throws IOException {
    List<Ledger> parts = new ArrayList<>();
    Dictionary dictionary = new Dictionary();
    if (file != null) {
      parts.add(file.read());
    }
    if (broker != null) {
      parts.add(onTopic(LedgerTopic::read));
    }
    for (Ledger part : parts) {
      dictionary.addAll(part.dictionary());
    }
    return Ledger.of(parts, dictionary);
  }

  /**
   * What nodes said lately that they run; empty without a broker.
   *
   * @param known what ids mean; entries found on the way are added
   */
  List<LiveSystem> live(Duration within, Dictionary known) {
    return broker == null
        ? List.of()
        : onTopic(topic -> topic.live(context.clock().instant().minus(within), known));
  }

  private <T> T onTopic(Function<LedgerTopic, T> use) {
    BrokerConnection connection = broker;
    if (connection == null) {
      throw new IllegalStateException("no broker among the places of the ledger");
    }
    try (KafkaConsumer<byte[], byte[]> consumer =
        KafkaTraffic.consumer(connection, "servedrift-ledger")) {
      return use.apply(new LedgerTopic(consumer, topics, new EventReader()));
    }
  }

  /** Finds out whether records could be added now, before hours are spent on measuring. */
  void requireWritable() throws IOException {
    if (file != null) {
      file.requireWritable();
    }
    if (broker != null) {
      onTopic(LedgerTopic::read);
    }
  }

  /**
   * Adds records to every place that does not have them.
   *
   * @return ids of those that one of the places did not have
   */
  Set<String> add(List<LedgerEntry> entries) throws IOException, InterruptedException {
    Set<String> added = new HashSet<>();
    if (file != null) {
      for (LedgerEntry entry : entries) {
        if (file.add(entry)) {
          added.add(entry.id());
        }
      }
    }
    if (broker != null) {
      Ledger there = onTopic(LedgerTopic::read);
      List<LedgerEntry> fresh =
          entries.stream().filter(entry -> there.find(entry.id()).isEmpty()).toList();
      publish(fresh, broker);
      fresh.forEach(entry -> added.add(entry.id()));
    }
    return added;
  }

  /** The meaning of the ids before the score: who reads in order knows them. */
  private void publish(List<LedgerEntry> entries, BrokerConnection connection)
      throws InterruptedException {
    try (EventPublisher publisher =
        new EventPublisher(
            PublisherSettings.defaults(connection.bootstrapServers()).withKafka(connection.kafka()),
            topics)) {
      for (LedgerEntry entry : entries) {
        ConfigRecord meaning = entry.registration();
        if (meaning.getConfigId() != null || meaning.getModelId() != null) {
          var unused = publisher.publish(meaning).get(SECONDS, TimeUnit.SECONDS);
        }
        var unused = publisher.publish(entry.result()).get(SECONDS, TimeUnit.SECONDS);
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new CommandFailure(
          ExitCode.UNREACHABLE, "the score was not written to " + topics.evals(), e);
    }
  }

  @Override
  public void close() {
    if (broker != null) {
      broker.close();
    }
  }
}

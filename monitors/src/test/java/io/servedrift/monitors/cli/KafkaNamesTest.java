package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class KafkaNamesTest {

  private static List<String> remarks(Map<String, String> own, Map<String, String> source) {
    Settings settings = SettingsResolver.resolve(Map.of(), own, source, Map.of(), null, Map.of());
    return KafkaNames.remarks(settings);
  }

  @Test
  void namesWhatNoClientKnows_withoutItsValue() {
    assertThat(
            remarks(
                Map.of("security.protokol", "SSL"),
                Map.of("fetch.max.byts", "1", "acks", "all", "my.own.plugin.x", "private")))
        .containsExactly(
            "kafka security.protokol: no Kafka client has such a property, so it has no effect"
                + " unless a plug-in reads it; did you mean security.protocol?",
            "source-kafka acks: no Kafka client has such a property, so it has no effect unless a"
                + " plug-in reads it",
            "source-kafka fetch.max.byts: no Kafka client has such a property, so it has no effect"
                + " unless a plug-in reads it; did you mean fetch.max.bytes?",
            "source-kafka my.own.plugin.x: no Kafka client has such a property, so it has no effect"
                + " unless a plug-in reads it");
  }

  @Test
  void knowsTheNamesOfEveryClient() {
    assertThat(
            remarks(
                Map.of(
                    "acks", "all",
                    "max.poll.records", "5",
                    "num.standby.replicas", "1",
                    "main.consumer.fetch.max.wait.ms", "5",
                    "producer.linger.ms", "5",
                    "topic.retention.ms", "5",
                    "config.providers.file.class", "org.example.Files"),
                Map.of(
                    "sasl.mechanism", "PLAIN",
                    "isolation.level", "read_committed",
                    "config.providers", "file",
                    "config.providers.file.param.x", "1")))
        .isEmpty();
    assertThat(remarks(Map.of("consumer.acks.all", "1"), Map.of())).hasSize(1);
  }

  @Test
  void isToldByEveryCommandThatReadsSettings() {
    Logger logger = (Logger) LoggerFactory.getLogger(SettingsCommand.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      CommandLineHarness harness = new CommandLineHarness();
      harness.environment("SERVEDRIFT_SOURCE_KAFKA_FETCH_MAX_BYTS", "1");
      assertThat(harness.run("import", "--from-topic", "t", "--kafka", "securty.protocol=SSL"))
          .isEqualTo(2);
    } finally {
      logger.detachAppender(log);
    }

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line -> line.startsWith("kafka securty.protocol: no Kafka client"))
        .anyMatch(line -> line.startsWith("source-kafka fetch.max.byts: no Kafka client"));
  }
}

package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.consume.SourceTopic;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import io.servedrift.schemas.Topics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicOptionsTest {
  private static final Map<String, String> OWN =
      Map.of("bootstrap.servers", "a:1,b:1", "sasl.jaas.config", "own secret");
  private static final String DEAD_LETTERS = new Topics("servedrift").deadLetters();
  private static final TopicOptions.Reading READING = new TopicOptions.Reading(true, true, 1_000);

  private static Settings settings(Map<String, String> given, Map<String, String> sourceKafka) {
    return SettingsResolver.resolve(given, Map.of(), sourceKafka, Map.of(), null, Map.of());
  }

  private static SourceTopic source(Map<String, String> given, Map<String, String> sourceKafka) {
    return TopicOptions.source("payloads", settings(given, sourceKafka), OWN, READING);
  }

  @Test
  void usesTheOwnCluster_whenNoOtherIsNamed() {
    SourceTopic source = source(Map.of(), Map.of("x.y", "1"));

    assertThat(source.kafka()).containsAllEntriesOf(OWN).containsEntry("x.y", "1").hasSize(3);
    assertThat(source.group()).isEqualTo("servedrift-import");
    assertThat(source.fromEnd()).isTrue();
    assertThat(source.cloudEvents()).isTrue();
    assertThat(source.maxRecordBytes()).isEqualTo(1_000);
    assertThat(source(Map.of("source-bootstrap-servers", "b:1,a:1"), Map.of()).kafka())
        .as("the same by another word")
        .isEqualTo(OWN);
  }

  @Test
  void givesNothingOfTheOwnClusterToAnother() {
    SourceTopic source =
        source(
            Map.of("source-bootstrap-servers", "c:1", "source-group", "g"),
            Map.of("sasl.mechanism", "PLAIN"));

    assertThat(source.kafka())
        .isEqualTo(Map.of("bootstrap.servers", "c:1", "sasl.mechanism", "PLAIN"));
    assertThat(source.group()).isEqualTo("g");
  }

  @Test
  void refusesTheMonitorsOwnTopics_howeverTheirClusterIsNamed() {
    for (Map<String, String> given :
        List.of(Map.<String, String>of(), Map.of("source-bootstrap-servers", "b:1, a:1"))) {
      Settings settings = settings(given, Map.of());
      assertThatThrownBy(() -> TopicOptions.source(DEAD_LETTERS, settings, OWN, READING))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("is a topic of the monitor itself");
    }
    Settings other = settings(Map.of("source-bootstrap-servers", "c:1"), Map.of());
    assertThat(TopicOptions.source(DEAD_LETTERS, other, OWN, READING).topic())
        .isEqualTo(DEAD_LETTERS);
  }
}

package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicsTest {
  private static final long DAY = 86_400_000;

  @Test
  void listsTheTableOfTopics() {
    String table =
        new Topics(Topics.DEFAULT_PREFIX)
            .all().stream()
                .map(
                    t ->
                        t.name()
                            + " "
                            + t.partitions()
                            + " "
                            + t.config().get("cleanup.policy")
                            + " "
                            + (t.config().containsKey("retention.ms")
                                ? Long.parseLong(t.config().get("retention.ms")) / DAY
                                : "-"))
                .collect(Collectors.joining("\n"));
    assertThat(table)
        .isEqualTo(
            """
            servedrift-requests-v1 12 delete 7
            servedrift-scores-v1 12 delete 7
            servedrift-serving-events-v1 6 delete 30
            servedrift-panes-v1 6 delete 7
            servedrift-configs-v1 1 compact -
            servedrift-windows-v1 6 delete 90
            servedrift-findings-v1 6 delete 90
            servedrift-judge-state-v1 6 delete 7
            servedrift-reviews-v1 1 delete 365
            servedrift-evals-v1 1 delete 365
            servedrift-alerts-v1 1 compact -
            servedrift-dead-letters-v1 1 delete 14""");
  }

  @Test
  void acceptsEventTimes() {
    for (TopicSpec t : new Topics("x").all()) {
      assertThat(t.config())
          .containsEntry("message.timestamp.type", "CreateTime")
          .containsEntry("message.timestamp.before.max.ms", "9223372036854775807")
          .containsEntry("message.timestamp.after.max.ms", "86400000");
    }
  }

  @Test
  void neverDeletes_whenMadeForHistory() {
    Topics history = Topics.forHistory("trace-2024");
    assertThat(history.requests()).isEqualTo("trace-2024-requests-v1");
    assertThat(history.isHistory()).isTrue();
    for (TopicSpec t : history.all()) {
      assertThat(t.config().getOrDefault("retention.ms", "-1")).isEqualTo("-1");
      assertThat(t.config().getOrDefault("retention.bytes", "-1")).isEqualTo("-1");
      assertThat(t.config()).containsEntry("message.timestamp.after.max.ms", "9223372036854775807");
    }
  }

  @Test
  void makesRoomForPanes() {
    Topics topics = new Topics("x");
    Map<String, TopicSpec> all =
        topics.all(3, 2).stream().collect(Collectors.toMap(TopicSpec::name, Function.identity()));
    assertThat(all.get(topics.panes()).config()).containsEntry("max.message.bytes", "4194304");
    assertThat(all.get(topics.requests()).partitions()).isEqualTo(3);
    assertThat(all.get(topics.scores()).partitions()).isEqualTo(3);
    assertThat(all.get(topics.panes()).partitions()).isEqualTo(2);
    assertThat(all).containsKeys(topics.deadLetters(), topics.judgeState(), topics.alerts());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "Prod", "a.b", "a_b", "a b", "0123456789012345678901234567890123456789012345"})
  void refusesPrefix(String prefix) {
    assertThatThrownBy(() -> new Topics(prefix))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topic prefix=" + prefix + ": must be 1 to 45 of a-z, 0-9 and -");
  }

  @Test
  void namesFitTheLimit_whenPrefixIsLongest() {
    for (TopicSpec t : new Topics("012345678901234567890123456789012345678901234").all()) {
      assertThat(t.name()).matches("[a-z0-9-]{1,63}");
    }
  }
}

package io.servedrift.ingest.files;

import io.servedrift.ingest.topics.TopicDifference;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/** Makes the topics of an import and refuses those that would lose or mix up its events. */
final class HistoryTopics {
  private static final String RETENTION = "retention.ms";

  private final ImportSettings settings;
  private final Topics topics;
  private final Clock clock;
  private final Map<String, Duration> finiteRetention = new TreeMap<>();

  HistoryTopics(ImportSettings settings, Topics topics, Clock clock) {
    this.settings = settings;
    this.topics = topics;
    this.clock = clock;
  }

  /** Creates what is missing; existing topics are looked at, never altered. */
  void prepare() throws ImportException {
    if (settings.prefix().equals(Topics.DEFAULT_PREFIX) && !settings.force()) {
      throw new ImportException(
          "prefix="
              + settings.prefix()
              + ": is the prefix of live topics, must be one for history alone (such as history)"
              + " unless forced",
          null);
    }
    List<TopicSpec> specs = topics.all();
    List<Set<String>> joined = TopicProvisioner.coPartitioned(topics);
    try (TopicProvisioner provisioner = TopicProvisioner.connect(settings.kafka())) {
      Set<String> missing = new HashSet<>();
      for (TopicDifference difference : provisioner.check(specs, joined)) {
        if (difference.kind() == TopicDifference.Kind.MISSING) {
          missing.add(difference.topic());
        } else if (RETENTION.equals(difference.setting())
            && written().contains(difference.topic())) {
          remember(difference);
        }
      }
      if (!settings.force()) {
        requireEmpty(written().stream().filter(t -> !missing.contains(t)).toList());
      }
      provisioner.apply(specs.stream().filter(s -> missing.contains(s.name())).toList(), joined);
    }
  }

  /** Topics that get events with their event time as timestamp. */
  private List<String> written() {
    return List.of(
        topics.requests(),
        topics.scores(),
        topics.servingEvents(),
        topics.reviews(),
        topics.evals());
  }

  private void remember(TopicDifference difference) {
    try {
      long millis = Long.parseLong(difference.actual());
      if (millis >= 0) {
        finiteRetention.put(difference.topic(), Duration.ofMillis(millis));
      }
    } catch (NumberFormatException e) {
      throw new KafkaException(
          difference.topic() + ": " + RETENTION + "=" + difference.actual() + ": must be a number",
          e);
    }
  }

  /**
   * Brokers delete by record timestamp, and that of history is old.
   *
   * @throws ImportException when a topic would delete the oldest event as soon as it is written
   */
  void requireRetention(Instant oldest) throws ImportException {
    Duration age = Duration.between(oldest, clock.instant());
    for (Map.Entry<String, Duration> topic : finiteRetention.entrySet()) {
      if (topic.getValue().compareTo(age) < 0) {
        throw new ImportException(
            topic.getKey()
                + ": keeps records for "
                + shown(topic.getValue())
                + " but the oldest event is of "
                + oldest
                + ": it would be deleted at once. Import with a prefix whose topics do not exist yet,"
                + " or set "
                + RETENTION
                + "=-1 on the topics of prefix "
                + settings.prefix(),
            null);
      }
    }
  }

  private static String shown(Duration retention) {
    return retention.toDays() > 0 ? retention.toDays() + " days" : retention.toString();
  }

  /** Events before those of an earlier import would all be late. */
  private void requireEmpty(List<String> existing) throws ImportException {
    if (existing.isEmpty()) {
      return;
    }
    try (Admin admin = Admin.create(new HashMap<>(settings.kafka()))) {
      List<TopicPartition> partitions = new ArrayList<>();
      admin
          .describeTopics(existing)
          .allTopicNames()
          .get()
          .forEach(
              (name, topic) ->
                  topic
                      .partitions()
                      .forEach(p -> partitions.add(new TopicPartition(name, p.partition()))));
      Map<TopicPartition, Long> first = offsets(admin, partitions, OffsetSpec.earliest());
      Map<TopicPartition, Long> end = offsets(admin, partitions, OffsetSpec.latest());
      for (TopicPartition partition : partitions) {
        if (!Objects.equals(first.get(partition), end.get(partition))) {
          throw new ImportException(
              partition.topic()
                  + ": holds records already, and events imported behind later ones count as late."
                  + " Import with another prefix, delete the topics of prefix "
                  + settings.prefix()
                  + " first, or force it",
              null);
        }
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw new KafkaException("topics of prefix " + settings.prefix() + " cannot be read", e);
    }
  }

  private static Map<TopicPartition, Long> offsets(
      Admin admin, List<TopicPartition> partitions, OffsetSpec spec)
      throws InterruptedException, ExecutionException {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    partitions.forEach(p -> asked.put(p, spec));
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (Map.Entry<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> e :
        admin.listOffsets(asked).all().get().entrySet()) {
      offsets.put(e.getKey(), e.getValue().offset());
    }
    return offsets;
  }
}

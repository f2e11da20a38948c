package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.files.FileEvent;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.page.ConfigText;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.ConfigRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What the ids of configurations and models mean, in a few words for a table. Not thread-safe. */
final class ConfigNames {

  private static final Duration POLL = Duration.ofMillis(500);
  private static final int LONGEST = 60;

  private final Map<String, String> names = new HashMap<>();
  private final Map<String, ConfigRecord> configs = new HashMap<>();

  /** Takes the dictionary entries among the events of files. */
  static ConfigNames of(SortedEvents events) {
    ConfigNames names = new ConfigNames();
    for (FileEvent item : events) {
      if (item.isRegistration() && item.event() instanceof ConfigRecord meaning) {
        names.add(meaning);
      }
    }
    return names;
  }

  /** Reads the dictionary topic from its beginning to its end. */
  static ConfigNames of(Consumer<byte[], byte[]> consumer, String topic, EventReader reader) {
    ConfigNames names = new ConfigNames();
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(partition -> new TopicPartition(topic, partition.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        if (reader.read(record.value()) instanceof Reading.Accepted accepted
            && accepted.event() instanceof ConfigRecord meaning) {
          names.add(meaning);
        }
      }
    }
    return names;
  }

  private void add(ConfigRecord meaning) {
    if (meaning.getConfigId() != null) {
      configs.put(meaning.getConfigId(), meaning);
      names.put(meaning.getConfigId(), configName(meaning));
    }
    if (meaning.getModelId() != null) {
      names.put(meaning.getModelId(), ConfigText.modelName(meaning));
    }
  }

  /** What the configurations consist of, for findings. */
  ConfigAxes axes() {
    return ConfigAxes.of(configs::get);
  }

  /** What {@code extra} holds is often the only difference between two configurations. */
  private static String configName(ConfigRecord meaning) {
    StringBuilder name = new StringBuilder(ConfigText.name(meaning));
    JsonNode extra =
        meaning.getCounted() == null
            ? null
            : ConfigDocument.tree(meaning.getCounted()).get("extra");
    if (extra != null) {
      for (Map.Entry<String, JsonNode> entry : extra.properties()) {
        if (entry.getValue().isValueNode()) {
          name.append(name.isEmpty() ? "" : " ");
          name.append(entry.getKey()).append('=').append(entry.getValue().asText());
        }
      }
    }
    return name.length() <= LONGEST ? name.toString() : name.substring(0, LONGEST - 3) + "...";
  }

  /** The name with the first digits of the id, or the id alone when it has no name. */
  String shown(String id) {
    String name = names.getOrDefault(id, "");
    return name.isEmpty()
        ? id
        : printable(name) + " (" + id.substring(0, Math.min(8, id.length())) + ")";
  }

  /** Names come from outside: a control character must not reach the terminal. */
  private static String printable(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }
}

package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.files.FileEvent;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.archive.ArchiveRole;
import io.servedrift.monitors.archive.ArchivedTraffic;
import io.servedrift.monitors.archive.BrokerWatch;
import io.servedrift.monitors.archive.PartitionRecords;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.page.ConfigText;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.ConfigRecord;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What the ids of configurations and models mean, in a few words for a table. Not thread-safe. */
final class ConfigNames {

  private static final int LONGEST = 60;

  private final Map<String, String> names = new HashMap<>();
  private final Map<String, ConfigRecord> configs = new HashMap<>();

  /** Takes the dictionary entries of files: rows of their own, and what events gave inline. */
  static ConfigNames of(SortedEvents events) {
    ConfigNames names = new ConfigNames();
    for (FileEvent item : events) {
      if (item.event() instanceof ConfigRecord meaning) {
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
    BrokerWatch watch = new BrokerWatch(consumer);
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
      for (ConsumerRecord<byte[], byte[]> record : watch.poll()) {
        names.add(record, reader);
      }
    }
    return names;
  }

  /** Reads the dictionary that an archive keeps. */
  static ConfigNames of(ArchivedTraffic archive, EventReader reader) throws IOException {
    ConfigNames names = new ConfigNames();
    for (int i = 0; i < archive.count(ArchiveRole.CONFIGS); i++) {
      try (PartitionRecords records = archive.read(ArchiveRole.CONFIGS, i)) {
        for (var record = records.take(); record != null; record = records.take()) {
          names.add(record, reader);
        }
      }
    }
    return names;
  }

  private void add(ConsumerRecord<byte[], byte[]> record, EventReader reader) {
    if (reader.read(record.value()) instanceof Reading.Accepted accepted
        && accepted.event() instanceof ConfigRecord meaning) {
      add(meaning);
    }
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

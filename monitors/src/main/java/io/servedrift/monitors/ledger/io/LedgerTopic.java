package io.servedrift.monitors.ledger.io;

import io.servedrift.monitors.ledger.Dictionary;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LiveSystem;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The ledger on Kafka: the topic of evaluations with the dictionary of configurations, and what
 * nodes said lately that they run. Not thread-safe.
 */
public final class LedgerTopic {
  private static final int MOST_PROBLEMS = 100;
  private static final String NO_NODE = "(node not named)";

  private final TopicReader topicReader;
  private final Topics topics;
  private final EventReader reader;

  /**
   * @param consumer stays the caller's to close
   */
  public LedgerTopic(Consumer<byte[], byte[]> consumer, Topics topics, EventReader reader) {
    this.topicReader = new TopicReader(consumer);
    this.topics = topics;
    this.reader = reader;
  }

  /**
   * Reads every score and what ids mean.
   *
   * @throws LedgerException when the topic does not exist
   */
  public Ledger read() {
    Dictionary dictionary = dictionary();
    List<EvalResult> results = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    boolean exists =
        topicReader.read(
            topics.evals(),
            null,
            item -> {
              Reading reading = reader.read(item.value());
              if (reading instanceof Reading.Accepted accepted) {
                accepted.registrations().forEach(dictionary::add);
                if (accepted.event() instanceof EvalResult result) {
                  results.add(result);
                }
              } else if (reading instanceof Reading.Rejected rejected
                  && problems.size() < MOST_PROBLEMS) {
                problems.add(place(item) + ": " + rejected.detail());
              }
            });
    if (!exists) {
      throw new LedgerException(
          "no topic "
              + topics.evals()
              + "; --topic-prefix chooses another, topics --apply creates it");
    }
    return new Ledger(results.stream().map(dictionary::entry).toList(), dictionary, problems);
  }

  private static String place(ConsumerRecord<byte[], byte[]> item) {
    return item.topic() + "-" + item.partition() + "@" + item.offset();
  }

  private Dictionary dictionary() {
    Dictionary dictionary = new Dictionary();
    topicReader.read(
        topics.configs(),
        null,
        item -> {
          if (reader.read(item.value()) instanceof Reading.Accepted accepted
              && accepted.event() instanceof ConfigRecord meaning) {
            dictionary.add(meaning);
          }
        });
    return dictionary;
  }

  /**
   * What each node ran last, from heartbeats and requests since a time. Requests without a node
   * stand for one node for each configuration and model.
   *
   * @param known what ids mean; entries that came inline are added
   */
  public List<LiveSystem> live(Instant since, Dictionary known) {
    TreeMap<String, Seen> byNode = new TreeMap<>();
    topicReader.read(
        topics.requests(),
        since,
        item -> {
          if (reader.read(item.value()) instanceof Reading.Accepted accepted) {
            accepted.registrations().forEach(known::add);
            Seen seen = Seen.of(accepted.event());
            if (seen != null) {
              byNode.merge(seen.key(), seen, (a, b) -> b.at().isBefore(a.at()) ? a : b);
            }
          }
        });
    return byNode.values().stream().map(seen -> seen.with(known)).toList();
  }

  private record Seen(
      Instant at,
      @Nullable String deployment,
      String node,
      @Nullable String configId,
      @Nullable String modelId) {

    /** Null when the event says nothing of what runs. */
    static @Nullable Seen of(SpecificRecord event) {
      if (event instanceof Heartbeat beat) {
        return new Seen(
            beat.getAt(),
            beat.getDeployment(),
            beat.getNode(),
            beat.getConfigId(),
            beat.getModelId());
      }
      if (event instanceof RequestEvent request
          && !Boolean.TRUE.equals(request.getSynthetic())
          && request.getFinishedAt() != null) {
        return new Seen(
            request.getFinishedAt(),
            request.getDeployment(),
            request.getNode() == null ? NO_NODE : request.getNode(),
            request.getConfigId(),
            request.getModelId());
      }
      return null;
    }

    /** Without a node's name, what it runs tells it from others. */
    String key() {
      return deployment + "/" + (node.equals(NO_NODE) ? configId + "/" + modelId : node);
    }

    LiveSystem with(Dictionary known) {
      return new LiveSystem(
          deployment, node, configId, modelId, known.config(configId), known.model(modelId), at);
    }
  }
}

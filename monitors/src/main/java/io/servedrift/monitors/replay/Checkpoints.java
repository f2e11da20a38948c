package io.servedrift.monitors.replay;

import io.servedrift.monitors.archive.BrokerWatch;
import io.servedrift.monitors.judge.CheckpointPart;
import io.servedrift.schemas.Topics;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The newest checkpoints of the live judge before a time, one per deployment: where a replay of a
 * range starts from. Immutable.
 */
public final class Checkpoints {
  /** For a replay whose judge knows nothing at its start. */
  public static final Checkpoints NONE = new Checkpoints(Map.of());

  /**
   * How far is looked back. The monitor checkpoints a deployment every hour in which anything comes
   * to its task, so one without traffic for hours has an older checkpoint than the others: the
   * whole first stretch is read for it. Further back only when there is none at all, as each is
   * large.
   */
  private static final List<Duration> BACK = List.of(Duration.ofHours(24), Duration.ofDays(3650));

  private final Map<String, Checkpoint> byDeployment;

  /** The state of one deployment. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record Checkpoint(long micros, byte[] state) {}

  private Checkpoints(Map<String, Checkpoint> byDeployment) {
    this.byDeployment = Map.copyOf(byDeployment);
  }

  /**
   * Reads the judge-state topic.
   *
   * @param consumer not subscribed, {@code read_committed}; its assignment changes
   * @param before newest checkpoints at or before this
   */
  public static Checkpoints newest(
      Consumer<byte[], byte[]> consumer, Topics topics, Instant before) {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topics.judgeState()).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    consumer.assign(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    for (Duration back : BACK) {
      Pieces pieces = new Pieces(before);
      seek(consumer, partitions, ends, before.minus(back));
      read(consumer, ends, before, pieces);
      if (!pieces.newest.isEmpty()) {
        return new Checkpoints(pieces.newest);
      }
    }
    return NONE;
  }

  /**
   * The newest checkpoints among these pieces.
   *
   * @param pieces values of the judge-state topic, in its order
   * @param before newest checkpoints at or before this
   */
  public static Checkpoints of(Iterable<byte[]> pieces, Instant before) {
    Pieces found = new Pieces(before);
    pieces.forEach(piece -> found.add(CheckpointPart.decode(piece)));
    return found.newest.isEmpty() ? NONE : new Checkpoints(found.newest);
  }

  private static void seek(
      Consumer<byte[], byte[]> consumer,
      List<TopicPartition> partitions,
      Map<TopicPartition, Long> ends,
      Instant start) {
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(partition -> times.put(partition, Math.max(0, start.toEpochMilli())));
    Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
    for (TopicPartition partition : partitions) {
      OffsetAndTimestamp offset = found.get(partition);
      consumer.seek(partition, offset == null ? ends.getOrDefault(partition, 0L) : offset.offset());
    }
  }

  private static void read(
      Consumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> ends,
      Instant before,
      Pieces pieces) {
    consumer.resume(ends.keySet());
    BrokerWatch watch = new BrokerWatch(consumer);
    Set<TopicPartition> open = new HashSet<>(ends.keySet());
    while (true) {
      open.removeIf(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
      Set<TopicPartition> done = new HashSet<>(ends.keySet());
      done.removeAll(open);
      consumer.pause(done);
      if (open.isEmpty()) {
        return;
      }
      for (ConsumerRecord<byte[], byte[]> record : watch.poll()) {
        if (record.timestamp() > before.toEpochMilli()) {
          open.remove(new TopicPartition(record.topic(), record.partition()));
        } else if (record.value() != null) {
          pieces.add(CheckpointPart.decode(record.value()));
        }
      }
    }
  }

  /** Puts pieces together; keeps the newest whole checkpoint of each deployment. */
  private static final class Pieces {
    private final long before;
    private final Map<String, TreeMap<Long, TreeMap<Integer, CheckpointPart>>> partial =
        new HashMap<>();
    final Map<String, Checkpoint> newest = new TreeMap<>();

    Pieces(Instant before) {
      this.before = ChronoUnit.MICROS.between(Instant.EPOCH, before);
    }

    void add(CheckpointPart part) {
      Checkpoint known = newest.get(part.deployment());
      if (part.micros() > before || (known != null && known.micros() >= part.micros())) {
        return;
      }
      TreeMap<Long, TreeMap<Integer, CheckpointPart>> times =
          partial.computeIfAbsent(part.deployment(), deployment -> new TreeMap<>());
      TreeMap<Integer, CheckpointPart> parts =
          times.computeIfAbsent(part.micros(), micros -> new TreeMap<>());
      parts.put(part.part(), part);
      if (parts.size() == part.parts()) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        parts.values().forEach(piece -> whole.writeBytes(piece.bytes()));
        newest.put(part.deployment(), new Checkpoint(part.micros(), whole.toByteArray()));
        times.headMap(part.micros(), true).clear();
      }
    }
  }

  /** When the checkpoints were taken, by deployment. */
  public Map<String, Instant> times() {
    Map<String, Instant> times = new TreeMap<>();
    byDeployment.forEach(
        (deployment, checkpoint) ->
            times.put(deployment, Instant.EPOCH.plus(checkpoint.micros(), ChronoUnit.MICROS)));
    return times;
  }

  /** The earliest of {@link #times()}, null when there is none. */
  public @Nullable Instant earliest() {
    return times().values().stream().min(Instant::compareTo).orElse(null);
  }

  /** The earliest, or a time when there is none. */
  Instant earliestOr(Instant other) {
    Instant earliest = earliest();
    return earliest == null ? other : earliest;
  }

  /**
   * Starts a judge from these.
   *
   * @return how many were of another version and left out
   */
  public int start(ReplayCore core) {
    int dropped = 0;
    for (Map.Entry<String, Checkpoint> entry : byDeployment.entrySet()) {
      try {
        core.startWith(entry.getKey(), entry.getValue().micros(), entry.getValue().state());
      } catch (IllegalArgumentException e) {
        dropped++;
      }
    }
    return dropped;
  }
}

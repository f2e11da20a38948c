package io.servedrift.ingest.topics;

import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Compares the topics of a cluster with the catalogue, and on demand makes them alike: missing
 * topics are created and settings altered; partition counts are only reported.
 *
 * <p>Every call ends within a few times the timeout (default 10 s): {@link
 * BrokerUnreachableException} when no broker answers, {@link KafkaException} when the broker
 * refuses. Thread-safe.
 */
public final class TopicProvisioner implements AutoCloseable {

  /** How long one request to the cluster may take. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  private final Admin admin;
  private final String bootstrapServers;
  private final Duration timeout;

  private TopicProvisioner(Admin admin, String bootstrapServers, Duration timeout) {
    this.admin = admin;
    this.bootstrapServers = bootstrapServers;
    this.timeout = timeout;
  }

  /**
   * Connects with {@link #DEFAULT_TIMEOUT}.
   *
   * @param kafka client settings, {@code bootstrap.servers} among them
   */
  public static TopicProvisioner connect(Map<String, ?> kafka) {
    return connect(kafka, DEFAULT_TIMEOUT);
  }

  /**
   * Connects lazily: an unreachable broker shows at the first call.
   *
   * @param kafka client settings, {@code bootstrap.servers} among them
   * @param timeout how long one request to the cluster may take
   * @throws BrokerUnreachableException when no address can be resolved
   */
  public static TopicProvisioner connect(Map<String, ?> kafka, Duration timeout) {
    Map<String, Object> settings = new HashMap<>(kafka);
    String bootstrap = String.valueOf(kafka.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG));
    int millis = Math.toIntExact(timeout.toMillis());
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
    settings.putIfAbsent(AdminClientConfig.CLIENT_ID_CONFIG, "servedrift-topics");
    try {
      return new TopicProvisioner(Admin.create(settings), bootstrap, timeout);
    } catch (KafkaException e) {
      String why = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
      throw new BrokerUnreachableException(
          "cannot connect to Kafka at bootstrap.servers=" + bootstrap + ": " + why, e);
    }
  }

  /** The sets of topics that are joined partition by partition and so need equal counts. */
  public static List<Set<String>> coPartitioned(Topics topics) {
    return List.of(
        Set.of(topics.requests(), topics.scores()),
        Set.of(topics.panes(), topics.servingEvents(), topics.windows()));
  }

  /** Compares the whole catalogue, equal partition counts included; changes nothing. */
  public List<TopicDifference> check(Topics topics) {
    return check(topics.all(), coPartitioned(topics));
  }

  /** Compares the given topics; changes nothing. */
  public List<TopicDifference> check(Collection<TopicSpec> specs) {
    return check(specs, List.of());
  }

  /**
   * Compares the given topics; changes nothing.
   *
   * @param coPartitioned sets of topic names that must have equal partition counts
   */
  public List<TopicDifference> check(
      Collection<TopicSpec> specs, Collection<Set<String>> coPartitioned) {
    return differences(specs, coPartitioned, partitionCounts(specs));
  }

  /** As {@link #apply(Collection, Collection)} for the whole catalogue. */
  public List<TopicDifference> apply(Topics topics) {
    return apply(topics.all(), coPartitioned(topics));
  }

  /** As {@link #apply(Collection, Collection)} without co-partitioned topics. */
  public List<TopicDifference> apply(Collection<TopicSpec> specs) {
    return apply(specs, List.of());
  }

  /**
   * Creates missing topics and alters differing settings. A missing topic gets the partition count
   * of the existing topics it is joined with, where there are any. Idempotent; returns when every
   * partition of the topics has a leader that takes records.
   *
   * @return every difference found, those that are gone now marked as repaired
   */
  public List<TopicDifference> apply(
      Collection<TopicSpec> specs, Collection<Set<String>> coPartitioned) {
    Map<String, Integer> existing = partitionCounts(specs);
    List<TopicDifference> found = differences(specs, coPartitioned, existing);
    create(specs, coPartitioned, existing);
    alter(found);
    awaitLeaders(specs);
    return found.stream()
        .map(
            difference ->
                switch (difference.kind()) {
                  case MISSING, SETTING -> difference.asRepaired();
                  case PARTITIONS, UNEQUAL_PARTITIONS -> difference;
                })
        .toList();
  }

  private List<TopicDifference> differences(
      Collection<TopicSpec> specs,
      Collection<Set<String>> coPartitioned,
      Map<String, Integer> existing) {
    Map<String, Config> settings = settings(existing.keySet());
    List<TopicDifference> differences = new ArrayList<>();
    for (TopicSpec spec : specs) {
      Integer partitions = existing.get(spec.name());
      if (partitions == null) {
        int wanted = partitionsToCreate(spec, coPartitioned, existing);
        differences.add(
            new TopicDifference(
                spec.name(),
                TopicDifference.Kind.MISSING,
                null,
                "",
                wanted + " partitions, " + new TreeMap<>(spec.config()),
                false));
        continue;
      }
      if (partitions != spec.partitions()) {
        differences.add(
            new TopicDifference(
                spec.name(),
                TopicDifference.Kind.PARTITIONS,
                null,
                Integer.toString(partitions),
                Integer.toString(spec.partitions()),
                false));
      }
      Config actual = settings.get(spec.name());
      new TreeMap<>(spec.config())
          .forEach(
              (name, wanted) -> {
                ConfigEntry entry = actual == null ? null : actual.get(name);
                String value = entry == null ? "" : String.valueOf(entry.value());
                if (!value.equals(wanted)) {
                  differences.add(
                      new TopicDifference(
                          spec.name(), TopicDifference.Kind.SETTING, name, value, wanted, false));
                }
              });
    }
    for (Set<String> group : coPartitioned) {
      Map<String, Integer> counts = new TreeMap<>(existing);
      counts.keySet().retainAll(group);
      if (counts.values().stream().distinct().count() > 1) {
        differences.add(
            new TopicDifference(
                String.join(", ", counts.keySet()),
                TopicDifference.Kind.UNEQUAL_PARTITIONS,
                null,
                String.join(", ", counts.values().stream().map(String::valueOf).toList()),
                "equal numbers of",
                false));
      }
    }
    return List.copyOf(differences);
  }

  private static int partitionsToCreate(
      TopicSpec spec, Collection<Set<String>> coPartitioned, Map<String, Integer> existing) {
    return coPartitioned.stream()
        .filter(group -> group.contains(spec.name()))
        .flatMap(group -> group.stream().sorted())
        .map(existing::get)
        .filter(count -> count != null)
        .findFirst()
        .orElse(spec.partitions());
  }

  private Map<String, Integer> partitionCounts(Collection<TopicSpec> specs) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    Map<String, KafkaFuture<TopicDescription>> asked =
        admin.describeTopics(specs.stream().map(TopicSpec::name).toList()).topicNameValues();
    asked.forEach(
        (name, future) ->
            await(future, UnknownTopicOrPartitionException.class)
                .ifPresent(topic -> counts.put(name, topic.partitions().size())));
    return counts;
  }

  private Map<String, Config> settings(Set<String> topics) {
    Map<String, Config> settings = new HashMap<>();
    List<ConfigResource> resources =
        topics.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
    await(admin.describeConfigs(resources).all(), null)
        .ifPresent(all -> all.forEach((resource, config) -> settings.put(resource.name(), config)));
    return settings;
  }

  private void create(
      Collection<TopicSpec> specs,
      Collection<Set<String>> coPartitioned,
      Map<String, Integer> existing) {
    List<TopicSpec> missing =
        specs.stream().filter(spec -> !existing.containsKey(spec.name())).toList();
    List<NewTopic> topics =
        missing.stream()
            .map(
                spec ->
                    new NewTopic(
                            spec.name(),
                            Optional.of(partitionsToCreate(spec, coPartitioned, existing)),
                            Optional.empty())
                        .configs(spec.config()))
            .toList();
    // Another instance may have been faster: that the topic exists is what was wanted.
    admin
        .createTopics(topics)
        .values()
        .values()
        .forEach(created -> await(created, TopicExistsException.class));
  }

  /**
   * The controller answers before the brokers lead the new partitions, and a broker that has just
   * started leads the old ones a moment later. A producer that comes in between is refused, and
   * with several requests in flight the one it repeats is out of order for good.
   */
  private void awaitLeaders(Collection<TopicSpec> specs) {
    long deadline = System.nanoTime() + timeout.toNanos();
    Map<String, Integer> visible = partitionCounts(specs);
    while (visible.size() < specs.size()) {
      if (System.nanoTime() - deadline > 0) {
        throw new KafkaException(
            "topics were created at "
                + bootstrapServers
                + " but are not visible after "
                + timeout.toMillis()
                + " ms: "
                + specs.stream().map(TopicSpec::name).toList());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      visible = partitionCounts(specs);
    }
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    visible.forEach(
        (topic, partitions) -> {
          for (int p = 0; p < partitions; p++) {
            ends.put(new TopicPartition(topic, p), OffsetSpec.latest());
          }
        });
    // Only a leader can tell the end of its log; the client asks until each does.
    await(admin.listOffsets(ends).all(), null);
  }

  private void alter(List<TopicDifference> found) {
    Map<ConfigResource, Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
    for (TopicDifference difference : found) {
      String setting = difference.setting();
      if (difference.kind() == TopicDifference.Kind.SETTING && setting != null) {
        changes
            .computeIfAbsent(
                new ConfigResource(ConfigResource.Type.TOPIC, difference.topic()),
                topic -> new ArrayList<>())
            .add(
                new AlterConfigOp(
                    new ConfigEntry(setting, difference.wanted()), AlterConfigOp.OpType.SET));
      }
    }
    if (!changes.isEmpty()) {
      await(admin.incrementalAlterConfigs(changes).all(), null);
    }
  }

  /** The answer; empty when there is none or when the broker answers with the expected error. */
  private <T> Optional<T> await(
      KafkaFuture<T> future, @Nullable Class<? extends ApiException> expected) {
    try {
      return Optional.ofNullable(future.get(timeout.toMillis() + 1_000, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (TimeoutException e) {
      throw unreachable(e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (expected != null && expected.isInstance(cause)) {
        return Optional.empty();
      }
      if (cause instanceof org.apache.kafka.common.errors.TimeoutException
          || cause instanceof DisconnectException
          || cause instanceof AuthenticationException) {
        throw unreachable(cause);
      }
      throw new KafkaException(
          "Kafka at " + bootstrapServers + " refused: " + (cause == null ? e : cause).getMessage(),
          e);
    }
  }

  private BrokerUnreachableException unreachable(Throwable cause) {
    return new BrokerUnreachableException(
        "no usable answer from Kafka at bootstrap.servers="
            + bootstrapServers
            + " within "
            + timeout.toMillis()
            + " ms: "
            + cause.getMessage(),
        cause);
  }

  @Override
  public void close() {
    admin.close(timeout);
  }
}

package io.servedrift.schemas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The single list of topics: names, partitions, settings. Immutable. */
public final class Topics {
  /** Prefix of a live installation. */
  public static final String DEFAULT_PREFIX = "servedrift";

  /** Partitions of the topics keyed by request. */
  public static final int DEFAULT_REQUEST_PARTITIONS = 12;

  /** Partitions of the topics keyed by deployment. */
  public static final int DEFAULT_DEPLOYMENT_PARTITIONS = 6;

  /**
   * How far ahead of the broker's clock a record of a live topic may lie; the broker refuses the
   * rest, because a record of the far future would keep the retention from deleting anything behind
   * it.
   */
  public static final Duration MAX_AHEAD = Duration.ofDays(1);

  /** Largest record of the topics that carry panes and checkpoints, bytes. */
  public static final int MAX_PANE_BYTES = 4 * 1024 * 1024;

  private static final Pattern PREFIX = Pattern.compile("[a-z0-9-]{1,63}");
  private static final int MAX_NAME = 63;

  private final String prefix;
  private final boolean history;

  /**
   * Topics of a live installation.
   *
   * @throws IllegalArgumentException when a topic's name would not match {@code [a-z0-9-]{1,63}}:
   *     dots and underscores collide in metric names (KAFKA-2337)
   */
  public Topics(String prefix) {
    this(prefix, false);
  }

  private Topics(String prefix, boolean history) {
    this.prefix = prefix;
    this.history = history;
    int room = MAX_NAME - suffixLength();
    if (!PREFIX.matcher(prefix).matches() || prefix.length() > room) {
      throw new IllegalArgumentException(
          "topic prefix=" + prefix + ": must be 1 to " + room + " of a-z, 0-9 and -");
    }
  }

  /**
   * Topics for imported history: nothing is ever deleted by age or size, and any event time is
   * accepted.
   */
  public static Topics forHistory(String prefix) {
    return new Topics(prefix, true);
  }

  private static int suffixLength() {
    return "-serving-events-v1".length();
  }

  private String name(String what) {
    return prefix + "-" + what + "-v1";
  }

  /** The prefix of all names. */
  public String prefix() {
    return prefix;
  }

  /** Whether these are made for imported history. */
  public boolean isHistory() {
    return history;
  }

  /** Requests, heartbeats (key node) and ticks; key request_id. */
  public String requests() {
    return name("requests");
  }

  /** Late scores; key request_id, partitioned as {@link #requests()}. */
  public String scores() {
    return name("scores");
  }

  /** Serving events and decisions; key deployment. */
  public String servingEvents() {
    return name("serving-events");
  }

  /** Pane summaries, watermarks and corrections; key deployment. */
  public String panes() {
    return name("panes");
  }

  /** What ids mean; key config_id/model_id, compacted. */
  public String configs() {
    return name("configs");
  }

  /**
   * Windows for charts, corrections and a heartbeat a minute, key deployment; a tick (no key) tells
   * through when the windows of its partition are closed.
   */
  public String windows() {
    return name("windows");
  }

  /** Findings; key deployment. */
  public String findings() {
    return name("findings");
  }

  /** Checkpoints of the judge; key deployment and time. */
  public String judgeState() {
    return name("judge-state");
  }

  /** Reviews; key deployment. */
  public String reviews() {
    return name("reviews");
  }

  /** Evaluation results; key deployment. */
  public String evals() {
    return name("evals");
  }

  /** State of alerts; compacted. */
  public String alerts() {
    return name("alerts");
  }

  /** What could not be used. */
  public String deadLetters() {
    return name("dead-letters");
  }

  /** All topics with the default numbers of partitions. */
  public List<TopicSpec> all() {
    return all(DEFAULT_REQUEST_PARTITIONS, DEFAULT_DEPLOYMENT_PARTITIONS);
  }

  /** All topics. Requests and scores always have the same number: they are joined. */
  public List<TopicSpec> all(int requestPartitions, int deploymentPartitions) {
    List<TopicSpec> all = new ArrayList<>();
    add(all, requests(), requestPartitions, deleted(7));
    add(all, scores(), requestPartitions, deleted(7));
    add(all, servingEvents(), deploymentPartitions, deleted(30));
    add(all, panes(), deploymentPartitions, large(deleted(7)));
    add(all, configs(), 1, compacted());
    add(all, windows(), deploymentPartitions, large(deleted(90)));
    add(all, findings(), deploymentPartitions, deleted(90));
    add(all, judgeState(), deploymentPartitions, large(deleted(7)));
    add(all, reviews(), 1, deleted(365));
    add(all, evals(), 1, deleted(365));
    Map<String, String> alerts = compacted();
    alerts.put("delete.retention.ms", Long.toString(Duration.ofDays(7).toMillis()));
    add(all, alerts(), 1, alerts);
    add(all, deadLetters(), 1, deleted(14));
    return List.copyOf(all);
  }

  private void add(List<TopicSpec> all, String name, int partitions, Map<String, String> config) {
    config.put("message.timestamp.type", "CreateTime");
    config.put("message.timestamp.before.max.ms", Long.toString(Long.MAX_VALUE));
    config.put(
        "message.timestamp.after.max.ms",
        Long.toString(history ? Long.MAX_VALUE : MAX_AHEAD.toMillis()));
    all.add(new TopicSpec(name, partitions, config));
  }

  private Map<String, String> deleted(int days) {
    Map<String, String> config = new LinkedHashMap<>();
    config.put("cleanup.policy", "delete");
    config.put("retention.ms", history ? "-1" : Long.toString(Duration.ofDays(days).toMillis()));
    config.put("retention.bytes", "-1");
    return config;
  }

  private static Map<String, String> compacted() {
    Map<String, String> config = new LinkedHashMap<>();
    config.put("cleanup.policy", "compact");
    return config;
  }

  private static Map<String, String> large(Map<String, String> config) {
    config.put("max.message.bytes", Integer.toString(MAX_PANE_BYTES));
    return config;
  }
}

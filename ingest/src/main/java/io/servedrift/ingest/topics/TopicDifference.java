package io.servedrift.ingest.topics;

import org.jspecify.annotations.Nullable;

/**
 * One way in which the cluster differs from the topic catalogue.
 *
 * @param topic name of the topic
 * @param kind what differs
 * @param setting name of the topic setting; {@code null} unless the kind is {@link Kind#SETTING}
 * @param actual what the cluster has; empty for a missing topic
 * @param wanted what the catalogue says
 * @param repaired whether {@link TopicProvisioner#apply} has just removed this difference
 */
public record TopicDifference(
    String topic,
    Kind kind,
    @Nullable String setting,
    String actual,
    String wanted,
    boolean repaired) {

  /** What differs. */
  public enum Kind {
    /** The topic does not exist. */
    MISSING,
    /** A topic setting has another value. */
    SETTING,
    /**
     * Another number of partitions than the catalogue's. Never repaired: more partitions send the
     * keys of a running system elsewhere.
     */
    PARTITIONS,
    /** Topics that are joined partition by partition have unequal numbers. Never repaired. */
    UNEQUAL_PARTITIONS
  }

  /** One line for people: what, found, wanted, what to do. */
  public String text() {
    String line =
        switch (kind) {
          case MISSING -> topic + ": missing, wanted with " + wanted;
          case SETTING -> topic + ": " + setting + "=" + actual + ", wanted " + wanted;
          case PARTITIONS ->
              topic
                  + ": "
                  + actual
                  + " partitions, wanted "
                  + wanted
                  + "; not changed, because keys would move to other partitions";
          case UNEQUAL_PARTITIONS ->
              topic
                  + ": "
                  + actual
                  + " partitions, wanted "
                  + wanted
                  + "; they are joined partition by partition, make them anew with equal numbers";
        };
    return repaired ? line + " (repaired)" : line;
  }

  TopicDifference asRepaired() {
    return new TopicDifference(topic, kind, setting, actual, wanted, true);
  }
}

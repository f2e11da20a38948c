package io.servedrift.monitors.cli.settings;

import java.util.List;

/** The settings that only {@code import --from-topic} has, in the order of the documentation. */
public final class ImportCatalogue {

  public static final Setting<String> SOURCE_BOOTSTRAP_SERVERS =
      Setting.optional(
          "source-bootstrap-servers",
          SettingType.hostPorts(),
          "the cluster the events go to",
          "The Kafka cluster of the topic that is read. Unless it is that of the events, nothing of"
              + " `kafka` applies to it: what its client needs is given as `source-kafka`.");
  public static final Setting<String> SOURCE_GROUP =
      Setting.optional(
          "source-group",
          SettingType.text(
              "GROUP", "[A-Za-z0-9._-]{1,200}", "1 to 200 of A-Z, a-z, 0-9, . _ and -"),
          "topic-prefix + `-import`",
          "Consumer group that keeps how far the topic was read; no other consumer may be in it.");

  private static final List<Setting<?>> ALL = List.of(SOURCE_BOOTSTRAP_SERVERS, SOURCE_GROUP);

  private ImportCatalogue() {}

  /** Every setting, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }
}

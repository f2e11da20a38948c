package io.servedrift.monitors.cli.settings;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings that only the gateway has, in the order of the documentation. */
public final class GatewayCatalogue {

  private static final String NAME = "(?=.*\\S)[^\\p{Cntrl}]{1,128}";
  private static final String NAME_ALLOWED = "1 to 128 characters without control characters";
  private static final String PORT =
      "\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]";

  public static final Setting<URI> UPSTREAM =
      Setting.optional(
          "upstream",
          SettingType.base(),
          "none: it is needed",
          "The runtime, with the path that is put before every path.");
  public static final Setting<String> DEPLOYMENT =
      Setting.optional(
          "deployment",
          SettingType.text("NAME", NAME, NAME_ALLOWED),
          "none: it is needed",
          "The deployment that the events name.");
  public static final Setting<String> NODE =
      Setting.optional(
          "node",
          SettingType.text("NAME", NAME, NAME_ALLOWED),
          "host and port of the upstream",
          "The node that the events name; put one gateway before each node, so that what it says of"
              + " one is true of one.");
  public static final Setting<String> LISTEN =
      Setting.of(
          "listen",
          SettingType.text(
              "[HOST:]PORT",
              "((\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):)?(" + PORT + ")",
              "[HOST:]PORT, for example 127.0.0.1:8090"),
          "127.0.0.1:8090",
          "Where clients reach the gateway, plain HTTP/1.1 and HTTP/2 without login, by default"
              + " from this machine only; port 0 takes a free one.");
  public static final Setting<Duration> UPSTREAM_TIMEOUT =
      Setting.of(
          "upstream-timeout",
          SettingType.duration("1s", "24h"),
          "10m",
          "Longest silence of the upstream.");
  public static final Setting<Path> PROMPT_HASH_KEY_FILE =
      Setting.optional(
          "prompt-hash-key-file",
          SettingType.path("FILE"),
          "none: no hash is published",
          "File with the key of the prompts' hashes, at least 32 bytes.");
  public static final Setting<Optional<Duration>> CONFIG_EVERY =
      Setting.of(
          "config-every",
          SettingType.durationOrOff("1s", "24h"),
          "30s",
          "Pause between two looks at the upstream's configuration; off where the upstream is"
              + " several nodes behind one address.");
  public static final Setting<URI> SCORER_URL =
      Setting.optional(
          "scorer-url",
          SettingType.base(),
          "none",
          "Scorer to which a sample of the images goes; `/v1/scores` is added.");
  public static final Setting<Double> SCORER_SHARE =
      Setting.of(
          "scorer-share",
          SettingType.share(),
          "0.1",
          "Share of the requests whose image is scored, chosen by a hash of the request's id.");
  public static final Setting<Path> CANARIES =
      Setting.optional(
          "canaries",
          SettingType.path("FILE"),
          "none",
          "Canary prompts, YAML or NDJSON, to ask again and again.");
  public static final Setting<Duration> CANARY_EVERY =
      Setting.of(
          "canary-every",
          SettingType.duration("1s", "24h"),
          "60s",
          "Pause between two canary prompts.");

  private static final List<Setting<?>> ALL =
      List.of(
          UPSTREAM,
          DEPLOYMENT,
          NODE,
          LISTEN,
          UPSTREAM_TIMEOUT,
          PROMPT_HASH_KEY_FILE,
          CONFIG_EVERY,
          SCORER_URL,
          SCORER_SHARE,
          CANARIES,
          CANARY_EVERY);

  private GatewayCatalogue() {}

  /** Every setting of the gateway alone, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }
}

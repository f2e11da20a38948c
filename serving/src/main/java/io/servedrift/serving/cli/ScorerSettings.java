package io.servedrift.serving.cli;

import java.util.List;

/** Every setting of {@code scorer}, in the order of the documentation. */
final class ScorerSettings {

  static final Setting SCORER =
      new Setting("scorer", "DIR", null, "Scorer directory with its scorer.json. Needed.");
  static final Setting BOOTSTRAP_SERVERS =
      new Setting(
          "bootstrap-servers",
          "HOST:PORT,...",
          null,
          "The Kafka cluster that gets the scores of calls that name a deployment and a request;"
              + " without it such calls are refused.");
  static final Setting PORT =
      new Setting("port", "PORT", "8082", "Port to listen on; 0 takes a free one.");

  private static final List<Setting> ALL =
      List.of(
          SCORER,
          ServeSettings.DEVICE,
          ServeSettings.THREADS,
          BOOTSTRAP_SERVERS,
          ServeSettings.TOPIC_PREFIX,
          ServeSettings.EVENT_BUFFER,
          ServeSettings.HOST,
          PORT,
          ServeSettings.ALLOWED_HOSTS,
          ServeSettings.TOKEN_FILE,
          ServeSettings.CERTIFICATE_FILE,
          ServeSettings.KEY_FILE,
          ServeSettings.LOG_LEVEL);

  private ScorerSettings() {}

  /** Every setting, in the order of the documentation. */
  static List<Setting> all() {
    return ALL;
  }
}

package io.servedrift.ingest.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.errors.BrokerIdNotRegisteredException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session that a killed broker left behind. The controller lets the broker back in only when
 * that session has expired, and it cannot know that the process is gone; whoever holds the folder's
 * lock does. So the controller is started alone, told that the broker is no more, and stopped
 * again, before the broker registers anew. Records are not touched.
 */
final class FormerSession {
  private static final Logger LOG = LoggerFactory.getLogger(FormerSession.class);

  /** As long as the session itself may last: to wait any longer wins nothing. */
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private FormerSession() {}

  /** Whether the broker that used this folder last did not come to the end of its shutdown. */
  static boolean isLeftIn(Path data) {
    return !new CleanShutdownFileHandler(data.toString()).exists();
  }

  /**
   * Ends it. When the controller refuses or does not answer, the broker's start waits for the
   * session to expire; a controller that does not come up would not do so in the broker either, and
   * its exception is thrown.
   *
   * @param settings of a controller without a broker
   * @return whether there was one, and it has ended
   */
  static boolean end(Properties settings, int node, String controller) throws InterruptedException {
    LOG.info("the broker was killed; its session is ended first");
    KafkaRaftServer server =
        new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
    try {
      server.startup();
      return unregister(node, controller);
    } finally {
      server.shutdown();
      server.awaitShutdown();
    }
  }

  private static boolean unregister(int node, String controller) throws InterruptedException {
    Map<String, Object> client =
        Map.of(
            AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG,
            controller,
            AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG,
            false,
            // Closing the client waits for what it was asked.
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
            Math.toIntExact(ANSWER.toMillis()),
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
            Math.toIntExact(ANSWER.toMillis()));
    try (Admin admin = Admin.create(client)) {
      admin.unregisterBroker(node).all().get();
      return true;
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof BrokerIdNotRegisteredException)) {
        LOG.warn("the session of the broker that was killed is left to expire: {}", e.toString());
      }
    }
    return false;
  }
}

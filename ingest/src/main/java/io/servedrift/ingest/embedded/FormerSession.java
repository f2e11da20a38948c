package io.servedrift.ingest.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  private static final Duration ANSWER = Duration.ofSeconds(20);

  private FormerSession() {}

  /** Whether the broker that used this folder last did not come to the end of its shutdown. */
  static boolean isLeftIn(Path data) {
    return !new CleanShutdownFileHandler(data.toString()).exists();
  }

  /**
   * Ends it. When that fails, the broker's start waits for the session to expire.
   *
   * @param settings of a controller without a broker
   * @return whether there was one, and it has ended
   */
  static boolean end(Properties settings, int node, String controller) {
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

  private static boolean unregister(int node, String controller) {
    Map<String, Object> client =
        Map.of(
            AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG,
            controller,
            AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG,
            false);
    try (Admin admin = Admin.create(client)) {
      admin.unregisterBroker(node).all().get(ANSWER.toSeconds(), TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof BrokerIdNotRegisteredException)) {
        LOG.warn("the session of the broker that was killed is left to expire: {}", e.toString());
      }
    } catch (TimeoutException e) {
      LOG.warn("the session of the broker that was killed is left to expire: no answer");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }
}

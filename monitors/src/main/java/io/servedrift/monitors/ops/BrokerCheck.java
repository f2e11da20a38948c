package io.servedrift.monitors.ops;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.KafkaException;

/**
 * Whether the broker answers: asked every second on a thread of its own, so that {@code /-/ready}
 * never waits for a broker that does not. Kafka clients retry for minutes before they say anything;
 * without this check a monitor whose broker is gone would call itself ready.
 */
public final class BrokerCheck implements HealthCheck, AutoCloseable {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** An answer that is older says nothing any more: the thread that asks hangs. */
  private static final Duration STALE = Duration.ofSeconds(10);

  private final Admin admin;
  private final ScheduledExecutorService asking =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "servedrift-broker-check");
            thread.setDaemon(true);
            return thread;
          });
  private volatile Answer last =
      new Answer(CheckResult.notReady("not asked yet"), System.nanoTime());

  private record Answer(CheckResult result, long atNanos) {}

  private BrokerCheck(Admin admin) {
    this.admin = admin;
  }

  /**
   * Starts asking.
   *
   * @param kafka client settings, {@code bootstrap.servers} among them
   * @throws KafkaException when no address can be resolved
   */
  public static BrokerCheck start(Map<String, ?> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(AdminClientConfig.CLIENT_ID_CONFIG, "servedrift-broker-check");
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
    BrokerCheck check = new BrokerCheck(Admin.create(settings));
    Future<?> unused =
        check.asking.scheduleWithFixedDelay(check::ask, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    return check;
  }

  @Override
  public String name() {
    return "broker";
  }

  @Override
  public CheckResult check() {
    Answer answer = last;
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - answer.atNanos());
    return seconds > STALE.toSeconds()
        ? CheckResult.notReady("not asked for " + seconds + " s")
        : answer.result();
  }

  private void ask() {
    last = new Answer(answer(), System.nanoTime());
  }

  private CheckResult answer() {
    int timeout = (int) TIMEOUT.toMillis();
    try {
      int nodes =
          admin
              .describeCluster(new DescribeClusterOptions().timeoutMs(timeout))
              .nodes()
              .get(2L * timeout, TimeUnit.MILLISECONDS)
              .size();
      return CheckResult.ready(String.format(Locale.ROOT, "%d node(s)", nodes));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CheckResult.notReady("stopping");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return CheckResult.notReady("no answer: " + cause.getClass().getSimpleName());
    } catch (TimeoutException | KafkaException e) {
      return CheckResult.notReady("no answer: " + e.getClass().getSimpleName());
    }
  }

  @Override
  public void close() {
    asking.shutdownNow();
    admin.close(Duration.ZERO);
  }
}

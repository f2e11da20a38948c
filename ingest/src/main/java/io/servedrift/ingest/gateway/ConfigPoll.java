package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.capture.Captured;
import io.servedrift.ingest.capture.ConfigCapture;
import io.servedrift.ingest.capture.ConfigTracker;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the upstream from time to time how it is configured, publishes what is new, and tells the
 * requests what they were served by. What the upstream does not say stays unknown; what it said
 * last holds while it does not answer. Thread-safe.
 */
final class ConfigPoll implements ServingIdentity, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigPoll.class);
  private static final int MAX_BYTES = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final String base;
  private final UntilTaken untold;
  private final GatewayCounts counts;
  private final Clock clock;
  private final ConfigTracker tracker;
  private final EventReader reader = new EventReader();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();
  private final ScheduledExecutorService schedule =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "gateway-config");
            thread.setDaemon(true);
            return thread;
          });
  private volatile @Nullable Known known;

  ConfigPoll(GatewaySettings settings, EventSink sink, GatewayCounts counts, Clock clock) {
    String text = settings.upstream().toString();
    this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    this.untold = new UntilTaken(sink);
    this.counts = counts;
    this.clock = clock;
    this.tracker = new ConfigTracker(settings.deployment(), settings.node());
  }

  /** Begins, with the first look at once. */
  void start(Duration every) {
    var unused =
        schedule.scheduleWithFixedDelay(this::look, 0, every.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public @Nullable Known now() {
    return known;
  }

  private void look() {
    try {
      Captured captured = capture();
      if (captured == null) {
        counts.add(Count.CONFIG_UNREAD);
        tell();
        return;
      }
      tracker.observe(captured, null, clock.instant()).forEach(this::publish);
      Known found = new Known(captured.config(), captured.model());
      // One object as long as nothing changes: what waits for a video's end keeps it.
      known = found.equals(known) ? known : found;
      // Counted when requests know it.
      counts.add(Count.CONFIG_READ);
      tell();
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // A look that fails must not end the looks that follow.
      counts.add(Count.CONFIG_UNREAD);
      LOG.warn("the upstream's configuration cannot be read: {}", e.getClass().getSimpleName());
    }
  }

  private @Nullable Captured capture() throws InterruptedException {
    ObjectNode info = get("/server_info");
    if (info == null) {
      info = get("/get_server_info");
    }
    if (info == null) {
      return null;
    }
    Captured captured = ConfigCapture.ofServerInfo(info);
    ObjectNode adapters = get("/v1/list_loras");
    Captured whole = adapters == null ? captured : ConfigCapture.withAdapters(captured, adapters);
    return whole.isEmpty() ? null : whole;
  }

  private @Nullable ObjectNode get(String path) throws InterruptedException {
    try {
      HttpResponse<InputStream> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        byte[] bytes = body.readNBytes(MAX_BYTES + 1);
        JsonNode node =
            answer.statusCode() == 200 && bytes.length <= MAX_BYTES ? JSON.readTree(bytes) : null;
        return node instanceof ObjectNode object ? object : null;
      }
    } catch (IOException away) {
      return null;
    }
  }

  private void publish(ObjectNode event) {
    if (reader.readJson(event) instanceof Reading.Accepted accepted) {
      unpublishable(untold.add(accepted.event()));
    } else {
      unpublishable(1);
    }
  }

  /** At each look again what the broker did not take. */
  private void tell() throws InterruptedException {
    unpublishable(untold.offer());
  }

  private void unpublishable(int events) {
    for (int i = 0; i < events; i++) {
      counts.add(Count.UNPUBLISHABLE_CONFIG);
    }
  }

  @Override
  public void close() {
    schedule.shutdownNow();
  }
}

package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.Readiness.Item;
import io.servedrift.monitors.gate.Readiness.State;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether what watches after the switch is in place: asks the monitor ({@code run}) for
 * scores and baselines of the new configuration, and sends Alertmanager a test alert that ends by
 * itself. Thread-safe.
 */
public final class Afterwards implements Function<EndpointFacts, Readiness> {
  private static final String SCORES = "scores arrive for the new configuration";
  private static final String BASELINE = "a baseline exists";
  private static final String ALERT = "a test alert reaches Alertmanager";
  private static final String ALERT_NAME = "ServedriftGateTest";
  private static final Duration ALERT_LASTS = Duration.ofMinutes(1);

  /** Metrics of every deployment; what else there is are scores, or stages. */
  private static final Set<String> NO_SCORES =
      Set.of("latency", "queue", "inference", "time_to_first_token", "error_ratio");

  private static final String STAGE = "stage:";

  private final @Nullable Caller monitor;
  private final @Nullable Caller alertmanager;
  private final Timeline timeline;

  private Afterwards(@Nullable Caller monitor, @Nullable Caller alertmanager, Timeline timeline) {
    this.monitor = monitor;
    this.alertmanager = alertmanager;
    this.timeline = timeline;
  }

  /**
   * Of what is there.
   *
   * @param monitor address of {@code run}; null when it is not to be asked
   * @param alertmanager address of a replica; null likewise
   */
  public static Afterwards of(
      @Nullable EndpointAccess monitor, @Nullable EndpointAccess alertmanager, Timeline timeline) {
    return new Afterwards(
        monitor == null ? null : new HttpCaller(monitor, timeline),
        alertmanager == null ? null : new HttpCaller(alertmanager, timeline),
        timeline);
  }

  @Override
  public Readiness apply(EndpointFacts facts) {
    String configId = facts.configId();
    List<Item> items = new ArrayList<>();
    if (monitor == null || configId == null) {
      String why = monitor == null ? "no monitor was named" : "the configuration is not known";
      items.add(new Item(SCORES, State.NOT_LOOKED_AT, why));
      items.add(new Item(BASELINE, State.NOT_LOOKED_AT, why));
    } else {
      items.add(scores(monitor, configId));
      items.add(baseline(monitor, configId));
    }
    items.add(
        alertmanager == null
            ? new Item(ALERT, State.NOT_LOOKED_AT, "no Alertmanager was named")
            : alert(alertmanager));
    return new Readiness(items);
  }

  private static Item scores(Caller monitor, String configId) {
    String query = URLEncoder.encode(configId, StandardCharsets.UTF_8);
    Reply reply = monitor.send(Call.get("/api/v1/series?limit=1&config_id=" + query)).join();
    JsonNode answer = reply.ok() ? StrictBody.object(reply.body()) : null;
    if (answer == null) {
      return unanswered(SCORES, reply);
    }
    Set<String> found = new TreeSet<>();
    for (JsonNode series : answer.path("series")) {
      String metric = series.path("metric").asText();
      boolean score = !NO_SCORES.contains(metric) && !metric.startsWith(STAGE);
      if (score && series.path("windows").path(0).path("n").asLong() > 0) {
        found.add(metric);
      }
    }
    return found.isEmpty()
        ? new Item(SCORES, State.MISSING, "the monitor has none of " + configId)
        : new Item(SCORES, State.READY, String.join(", ", found));
  }

  /** Of the configuration itself, or of all of a deployment together. */
  private static Item baseline(Caller monitor, String configId) {
    Reply reply = monitor.send(Call.get("/metrics")).join();
    if (!reply.ok()) {
      return unanswered(BASELINE, reply);
    }
    Pattern line =
        Pattern.compile(
            "servedrift_(?:latency_p99_baseline_seconds|score_mean_baseline|error_ratio_baseline)"
                + "\\{[^}]*config_id=\"(?:"
                + Pattern.quote(configId)
                + "|\\*)\".*");
    Set<String> found =
        new String(reply.body(), StandardCharsets.UTF_8)
            .lines()
            .filter(text -> line.matcher(text).matches())
            .map(text -> text.substring(0, text.indexOf('{')))
            .collect(Collectors.toCollection(TreeSet::new));
    return found.isEmpty()
        ? new Item(BASELINE, State.MISSING, "the monitor has none of " + configId + " or of all")
        : new Item(BASELINE, State.READY, String.join(", ", found));
  }

  private Item alert(Caller alertmanager) {
    long micros = timeline.epochMicros(timeline.nanos());
    Instant ends = Instant.ofEpochMilli(micros / 1000).plus(ALERT_LASTS);
    String body =
        "[{\"labels\":{\"alertname\":\""
            + ALERT_NAME
            + "\",\"severity\":\"none\"},\"annotations\":{\"summary\":\"test by the release"
            + " gate\"},\"endsAt\":\""
            + ends
            + "\"}]";
    Reply sent =
        alertmanager
            .send(new Call("/api/v2/alerts", body.getBytes(StandardCharsets.UTF_8), null))
            .join();
    if (!sent.ok()) {
      return unanswered(ALERT, sent);
    }
    String filter = URLEncoder.encode("alertname=\"" + ALERT_NAME + "\"", StandardCharsets.UTF_8);
    Reply held = alertmanager.send(Call.get("/api/v2/alerts?filter=" + filter)).join();
    boolean there =
        held.ok() && new String(held.body(), StandardCharsets.UTF_8).contains(ALERT_NAME);
    return there
        ? new Item(ALERT, State.READY, "taken, and listed")
        : new Item(ALERT, State.MISSING, "taken, but not listed");
  }

  private static Item unanswered(String name, Reply reply) {
    String why = reply.error() == null ? "no JSON object" : reply.error();
    return new Item(name, State.MISSING, "not answered: " + why);
  }
}

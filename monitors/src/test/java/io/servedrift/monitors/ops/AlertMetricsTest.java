package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.servedrift.monitors.alert.AlertSeverity;
import io.servedrift.monitors.alert.ForwarderStatus;
import io.servedrift.monitors.alert.ReplicaStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AlertMetricsTest {
  private static final ForwarderStatus STATUS =
      new ForwarderStatus(
          true,
          "6 partitions",
          Map.of(AlertSeverity.PAGE, 2, AlertSeverity.TICKET, 0),
          12,
          3,
          List.of(
              new ReplicaStatus(
                  "am-1:9093", true, 7, 4, 1, 0, Optional.of(Instant.ofEpochMilli(1_500)), ""),
              new ReplicaStatus("am-2:9093", true, 0, 9, 0, 2, Optional.empty(), "HTTP 503")));

  private static String scrape() throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(new AlertMetrics(() -> STATUS));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ExpositionFormats.init().getPrometheusTextFormatWriter().write(out, registry.scrape());
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void exportsWhatTheForwarderSays() throws IOException {
    assertThat(scrape().lines().filter(line -> !line.startsWith("#")))
        .containsExactlyInAnyOrder(
            "servedrift_alerts_open{severity=\"page\"} 2.0",
            "servedrift_alerts_open{severity=\"ticket\"} 0.0",
            "servedrift_alert_sends_total{outcome=\"sent\",replica=\"am-1:9093\"} 7.0",
            "servedrift_alert_sends_total{outcome=\"failed\",replica=\"am-1:9093\"} 4.0",
            "servedrift_alert_sends_total{outcome=\"rejected\",replica=\"am-1:9093\"} 1.0",
            "servedrift_alert_sends_total{outcome=\"sent\",replica=\"am-2:9093\"} 0.0",
            "servedrift_alert_sends_total{outcome=\"failed\",replica=\"am-2:9093\"} 9.0",
            "servedrift_alert_sends_total{outcome=\"rejected\",replica=\"am-2:9093\"} 0.0",
            "servedrift_alert_last_success_timestamp_seconds{replica=\"am-1:9093\"} 1.5",
            "servedrift_alerts_waiting{replica=\"am-1:9093\"} 0.0",
            "servedrift_alerts_waiting{replica=\"am-2:9093\"} 2.0",
            "servedrift_alert_findings_total{outcome=\"used\"} 9.0",
            "servedrift_alert_findings_total{outcome=\"unreadable\"} 3.0");
  }

  @Test
  void exportsEveryDocumentedFamily() throws IOException {
    String text = scrape();
    for (MonitorMetrics.Family family : AlertMetrics.families()) {
      String type = family.kind() == MonitorMetrics.Kind.COUNTER ? "counter" : "gauge";
      assertThat(text).contains("# TYPE " + family.name() + " " + type + "\n");
      assertThat(text).contains("# HELP " + family.name() + " " + family.help());
    }
  }
}

package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.servedrift.monitors.ops.StreamsMetrics.Partition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamsMetricsTest {
  @Test
  void showsOneStateAndTheLagOfEachPartition() throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(
        new StreamsMetrics(
            List.of("CREATED", "REBALANCING", "RUNNING"),
            () -> "REBALANCING",
            () -> Map.of(new Partition("t-v1", 11), 4000L, new Partition("t-v1", 2), 0L)));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    assertThat(out.toString(StandardCharsets.UTF_8).lines().filter(l -> !l.startsWith("#")))
        .containsExactlyInAnyOrder(
            "servedrift_consumer_lag_records{partition=\"2\",topic=\"t-v1\"} 0.0",
            "servedrift_consumer_lag_records{partition=\"11\",topic=\"t-v1\"} 4000.0",
            "servedrift_streams_state{state=\"created\"} 0.0",
            "servedrift_streams_state{state=\"rebalancing\"} 1.0",
            "servedrift_streams_state{state=\"running\"} 0.0");
  }
}

package io.servedrift.monitors.page;

import io.servedrift.monitors.alert.DataWatch;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.TailSketch;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.CorrectionKind;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Severity;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SplittableRandom;

/** Records of the output topics for tests. */
public final class Fixtures {
  public static final Instant T0 = Instant.parse("2026-11-30T10:00:00Z");
  public static final Duration FIVE = Duration.ofMinutes(5);

  private Fixtures() {}

  public static WindowSummary window(
      SeriesKey key, Instant start, Duration length, double[] values) {
    HistogramLayout layout =
        key.metric().equals("error_ratio")
            ? HistogramLayout.binary()
            : key.metric().equals("clip")
                ? HistogramLayout.linear(-1, 1, 2000)
                : HistogramLayout.DURATIONS;
    ValueDistribution distribution = ValueDistribution.of(layout, values);
    return WindowStatistics.summary(distribution, TailSketch.of(distribution), 0.95)
        .setDeployment(key.deployment())
        .setModelId(key.modelId())
        .setConfigId(key.configId())
        .setMetric(key.metric())
        .setStart(start)
        .setEnd(start.plus(length))
        .build();
  }

  public static WindowSummary window(SeriesKey key, Instant start, int n) {
    return window(key, start, FIVE, latencies(n, start.getEpochSecond()));
  }

  public static double[] latencies(int n, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = Math.round(1e6 * (0.4 - StrictMath.log(1 - random.nextDouble()))) / 1e6;
    }
    return values;
  }

  public static SeriesKey key(String configId, String metric) {
    return new SeriesKey("image-gen", "m1", configId, metric);
  }

  public static ConfigRecord config(String configId, String json) {
    return ConfigRecord.newBuilder()
        .setAt(T0)
        .setDeployment("image-gen")
        .setConfigId(configId)
        .setCounted(json)
        .setModelId("m1")
        .setModel("{\"name\":\"flux-schnell\",\"revision\":\"r3\"}")
        .build();
  }

  public static ServingEvent event(String id, Instant at, ServingEventKind kind) {
    return ServingEvent.newBuilder()
        .setEventId(id)
        .setAt(at)
        .setDeployment("image-gen")
        .setKind(kind)
        .setAttributes(Map.of("reason", "memory"))
        .build();
  }

  /** A watch over missing data that has seen nothing. */
  public static DataWatch watch() {
    return new DataWatch(Policy.defaults(), new MetricLayouts(), Duration.ofMinutes(15), FIVE);
  }

  public static Correction lateRequest(String configId, Instant at) {
    return late(configId, at, null);
  }

  public static Correction lateScore(String configId, Instant at, String name) {
    return late(configId, at, name);
  }

  private static Correction late(String configId, Instant at, String metric) {
    return Correction.newBuilder()
        .setDeployment("image-gen")
        .setSourcePartition(0)
        .setKind(metric == null ? CorrectionKind.LATE_REQUEST : CorrectionKind.LATE_SCORE)
        .setRequestId("r")
        .setMetric(metric)
        .setModelId("m1")
        .setConfigId(configId)
        .setCountsAt(at)
        .setLateByMicros(1)
        .setBeyondHorizon(false)
        .build();
  }

  public static Finding finding(String id, Instant onset, FindingState state) {
    return Finding.newBuilder()
        .setFindingId(id)
        .setDeployment("image-gen")
        .setModelId("m1")
        .setConfigId("c1")
        .setMetric("clip")
        .setStatistic("mean")
        .setDirection("worse")
        .setOnsetAt(onset)
        .setDetectedAt(onset)
        .setState(state)
        .setSeverity(Severity.PAGE)
        .setIncidentId("i")
        .setPolicyHash("p")
        .setBody("{\"finding_id\":\"" + id + "\"}")
        .build();
  }
}

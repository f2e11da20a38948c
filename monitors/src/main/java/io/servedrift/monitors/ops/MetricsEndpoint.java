package io.servedrift.monitors.ops;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /metrics}: the registry in the Prometheus text format, or in OpenMetrics (with
 * exemplars) or protobuf (with native histograms) when the scraper's {@code Accept} asks for it.
 * Thread-safe.
 */
public final class MetricsEndpoint implements Handler {
  private final PrometheusRegistry registry;
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final ProtobufFormat protobuf = new ProtobufFormat();

  /** Serves these metrics and those of the JVM, from a registry of their own. */
  public static MetricsEndpoint of(MonitorMetrics metrics, MultiCollector... more) {
    PrometheusRegistry registry = new PrometheusRegistry();
    metrics.register(registry);
    for (MultiCollector each : more) {
      registry.register(each);
    }
    return new MetricsEndpoint(registry);
  }

  /** Serves the metrics of a part that is not always there, too. */
  public void add(MultiCollector part) {
    registry.register(part);
  }

  /** Serves this registry. */
  public MetricsEndpoint(PrometheusRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void handle(Context ctx) throws Exception {
    ExpositionFormatWriter writer = writer(ctx.header("Accept"));
    ByteArrayOutputStream out = new ByteArrayOutputStream(16 * 1024);
    writer.write(out, registry.scrape());
    ctx.contentType(writer.getContentType())
        .header("Cache-Control", "no-store")
        .result(out.toByteArray());
  }

  /** A server that asks for protobuf wants native histograms, and takes text as well. */
  private ExpositionFormatWriter writer(@Nullable String accept) {
    if (protobuf.accepts(accept)) {
      return protobuf;
    }
    ExpositionFormatWriter openMetrics = formats.getOpenMetricsTextFormatWriter();
    return accept != null && openMetrics.accepts(accept)
        ? openMetrics
        : formats.getPrometheusTextFormatWriter();
  }
}

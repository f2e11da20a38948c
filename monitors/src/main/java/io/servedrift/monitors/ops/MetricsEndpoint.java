package io.servedrift.monitors.ops;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;

/**
 * {@code GET /metrics}: the registry in the Prometheus text format, or in OpenMetrics when the
 * scraper's {@code Accept} asks for it. Thread-safe.
 */
public final class MetricsEndpoint implements Handler {
  private final PrometheusRegistry registry;
  private final ExpositionFormats formats = ExpositionFormats.init();

  /** Serves these metrics, others, and those of the JVM, from a registry of their own. */
  public static MetricsEndpoint of(MonitorMetrics metrics, MultiCollector... others) {
    PrometheusRegistry registry = new PrometheusRegistry();
    metrics.register(registry);
    for (MultiCollector other : others) {
      registry.register(other);
    }
    return new MetricsEndpoint(registry);
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

  // The protobuf writer is another jar, left out until native histograms are exported.
  private ExpositionFormatWriter writer(@org.jspecify.annotations.Nullable String accept) {
    ExpositionFormatWriter openMetrics = formats.getOpenMetricsTextFormatWriter();
    return accept != null && openMetrics.accepts(accept)
        ? openMetrics
        : formats.getPrometheusTextFormatWriter();
  }
}

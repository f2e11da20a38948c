package io.servedrift.serving.score.http;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import io.servedrift.serving.score.ScorerModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The service's Prometheus metrics, in a registry of its own. Thread-safe. */
final class ScorerServiceMetrics {

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final Counter posts =
      Counter.builder()
          .name("servedrift_scorer_posts")
          .help("Posts to /v1/scores, by HTTP status.")
          .labelNames("status")
          .register(registry);
  private final Counter images =
      Counter.builder()
          .name("servedrift_scorer_images")
          .help("Images scored for posts.")
          .register(registry);
  private final Counter published =
      Counter.builder()
          .name("servedrift_scorer_published")
          .help("Images of posts whose scores were to be published, by what the publisher said.")
          .labelNames("outcome")
          .register(registry);
  private final Histogram duration =
      Histogram.builder()
          .name("servedrift_scorer_post_seconds")
          .unit(Unit.SECONDS)
          .help("Time to answer posts to /v1/scores.")
          .classicUpperBounds(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
          .register(registry);

  ScorerServiceMetrics(ScorerModel model) {
    posts.initLabelValues("200");
    published.initLabelValues("accepted");
    published.initLabelValues("refused");
    CounterWithCallback.builder()
        .name("servedrift_scorer_text_embeddings")
        .help("Prompts, by whether their embedding was at hand.")
        .labelNames("outcome")
        .callback(
            callback -> {
              callback.call((double) model.textCacheHits(), "hit");
              callback.call((double) model.textCacheMisses(), "miss");
            })
        .register(registry);
  }

  void answered(int status, Duration spent) {
    posts.labelValues(Integer.toString(status)).inc();
    duration.observe(spent.toNanos() / 1e9);
  }

  void scored(int count) {
    images.inc(count);
  }

  void published(boolean accepted) {
    published.labelValues(accepted ? "accepted" : "refused").inc();
  }

  /** All of them in the format that the scraper asks for. */
  Page page(@Nullable String accept) throws IOException {
    ExpositionFormatWriter writer = formats.findWriter(accept);
    ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
    writer.write(out, registry.scrape());
    return new Page(writer.getContentType(), out.toByteArray());
  }

  /** What {@code GET /metrics} answers. */
  @SuppressWarnings("ArrayRecordComponent")
  record Page(String contentType, byte[] content) {}
}

package io.servedrift.serving.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScorerMetricsTest {

  @Test
  void tellsWhatBecameOfTheImages() throws IOException {
    try (ScorerModel model = ScorerModel.load(Fixtures.path("small"));
        AsyncScorer async =
            new AsyncScorer(
                model, new RecordingSink(), AsyncScorerSettings.defaults("d").withShare(0.5))) {
      async.offer("r-1", "a red circle", Fixtures.image("64x64.png"));
      async.offer("r-2", "a red circle", Fixtures.image("64x64.png"));
      await().until(() -> async.counts().scored() == 1);
      PrometheusRegistry registry = new PrometheusRegistry();
      registry.register(new ScorerMetrics(async, model));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      PrometheusTextFormatWriter.create().write(out, registry.scrape());

      assertThat(out.toString(StandardCharsets.UTF_8).lines())
          .contains(
              "servedrift_scorer_offered_total 2.0",
              "servedrift_scorer_skipped_total 1.0",
              "servedrift_scorer_scored_total 1.0",
              "servedrift_scorer_dropped_total{reason=\"queue_full\"} 0.0",
              "servedrift_scorer_waiting 0.0",
              "servedrift_scorer_batches_total 1.0",
              "servedrift_scorer_events_total{outcome=\"accepted\"} 2.0",
              "servedrift_scorer_text_embeddings_total{outcome=\"miss\"} 2.0");
    }
  }
}

package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.pane.HistogramLayout;
import java.util.Optional;

/**
 * From where on a request lies in the tail that a finding is about: the quantile of its baseline
 * that {@code effect.beyond} names, at the edge of a histogram bin.
 *
 * @param bin the bin that holds the quantile; what lies in it is not beyond
 * @param value edge of that bin on the side of the tail, in the unit of the metric
 * @param upper whether the tail is the large values
 */
record TailLimit(int bin, double value, boolean upper) {
  private static final double MEDIAN = 50;

  /** Empty for a finding about no tail, and without values. */
  static Optional<TailLimit> of(JsonNode finding, Bins baseline, HistogramLayout layout) {
    String beyond = finding.at("/effect/beyond").asText();
    if (!finding.path("statistic").asText().equals("tail")
        || !beyond.matches("p\\d+(\\.\\d+)?")
        || baseline.n() == 0) {
      return Optional.empty();
    }
    double percent = Double.parseDouble(beyond.substring(1));
    boolean upper = percent >= MEDIAN;
    int bin = baseline.at(percent / 100);
    double edge = upper ? layout.upper(bin) : layout.lower(bin);
    double other = upper ? layout.lower(bin) : layout.upper(bin);
    return Optional.of(new TailLimit(bin, Double.isFinite(edge) ? edge : other, upper));
  }
}

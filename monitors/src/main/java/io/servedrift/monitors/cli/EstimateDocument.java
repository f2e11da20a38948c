package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.run.LoadEstimate;
import io.servedrift.monitors.gate.run.RunEstimate;
import java.util.Locale;

/** What a gate would cost, as the document of {@code --estimate --json}. */
final class EstimateDocument {
  private EstimateDocument() {}

  /**
   * The document.
   *
   * @param wanted requests that the policy wants per side and load level
   */
  static ObjectNode of(RunEstimate estimate, long wanted) {
    ObjectNode document = JsonOutput.document();
    document.put("rests_on_requests_per_side", estimate.probes());
    document.put("requests", estimate.requests());
    document.put("least_seconds", estimate.leastSeconds());
    document.put("most_seconds", estimate.mostSeconds());
    ArrayNode lines = document.putArray("regimes");
    for (RunEstimate.Line line : estimate.lines()) {
      lines
          .addObject()
          .put("regime", line.regime().label())
          .put("requests", line.requests())
          .put("least_seconds", line.leastSeconds())
          .put("most_seconds", line.mostSeconds());
    }
    ArrayNode loads = document.putArray("loads");
    for (LoadEstimate level : estimate.loads()) {
      loads
          .addObject()
          .put("load", level.load())
          .put("least_expected", level.leastRequests())
          .put("most_expected", level.mostRequests())
          .put("least_requests", wanted)
          .put("enough", level.enough(wanted).name().toLowerCase(Locale.ROOT));
    }
    return document;
  }
}

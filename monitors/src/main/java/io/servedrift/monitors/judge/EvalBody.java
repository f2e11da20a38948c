package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.pane.SeriesKey;

/** The parts of a finding that speak of a recorded evaluation. */
final class EvalBody {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private EvalBody() {}

  /**
   * What the live series is compared with.
   *
   * @param deviation standard deviation of a live value, for an evaluation without an error
   */
  static ObjectNode baseline(RecordedEval eval, double deviation) {
    ObjectNode node = JSON.objectNode();
    node.put("id", eval.evalId());
    node.put("kind", Basis.EVAL_WORD);
    node.put("eval", eval.name());
    if (!eval.dataset().isEmpty()) {
      node.put("dataset", eval.dataset());
    }
    node.put("config_id", eval.configId());
    node.put("model_id", eval.modelId());
    node.put("from", Micros.text(eval.atMicros()));
    node.put("to", Micros.text(eval.atMicros()));
    if (eval.n() > 0) {
      node.put("n", eval.n());
    }
    FindingBody.number(node, "mean", eval.value());
    FindingBody.number(node, "stderr", eval.error(deviation));
    return node;
  }

  /** A verdict by what differs between the evaluation and the series. */
  static ObjectNode verdict(Cause cause, RecordedEval eval, SeriesKey key) {
    ObjectNode node = JSON.objectNode();
    node.put("cause", cause.label());
    if (cause != Cause.INCONCLUSIVE) {
      node.put("mechanism", "effect");
    }
    node.putObject("where");
    node.put("why", why(cause, eval, key));
    node.putArray("correlated_events");
    node.putArray("ruled_out");
    node.putArray("contributing");
    return node;
  }

  private static String why(Cause cause, RecordedEval eval, SeriesKey key) {
    String apart = "the live mean lies apart from " + eval.name() + "; ";
    return switch (cause) {
      case CONFIG_CHANGE ->
          apart
              + "it was recorded under configuration "
              + eval.configId()
              + ", and this is "
              + key.configId();
      case MODEL ->
          apart
              + "it was recorded for model "
              + eval.modelId()
              + ", and this is "
              + key.modelId()
              + " under the same configuration";
      case UNEXPLAINED ->
          apart
              + "configuration and model are those that were evaluated: serving, or requests unlike"
              + " the data set";
      default ->
          apart
              + (eval.configId().isEmpty()
                  ? "it does not say which configuration was measured"
                  : "both configuration and model are others than those that were evaluated");
    };
  }

  static ObjectNode nextTest(Cause cause) {
    String again = "run the evaluation again under the configuration that serves now";
    String what =
        cause == Cause.UNEXPLAINED
            ? again + ": equal to the record, the requests differ; lower, serving does"
            : again;
    return JSON.objectNode().put("what", what);
  }
}

package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.detection.AlarmLevels;
import io.servedrift.monitors.policy.MetricPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A live score against the evaluation that the policy names: opens a finding when the live mean
 * lies apart from what was recorded, closes it when it no longer does or another result takes the
 * place of that one. An evaluation has no cells, so the cause is what differs in configuration and
 * model between then and now. Not thread-safe.
 */
final class EvalComparison {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final double Z95 = 1.959963984540054;
  private static final long LONGEST_WINDOW = Micros.DAY;
  private static final String METHOD =
      "mixture Shiryaev-Roberts e-detector against a recorded evaluation, M in minutes";

  private final SeriesContext series;
  private @Nullable RecordedEval eval;
  private @Nullable EvalEvidence evidence;
  private @Nullable ObjectNode open;
  private int sign;
  private double margin;
  private String accepted = "";

  EvalComparison(SeriesContext series) {
    this.series = series;
  }

  /** Name of the comparison among the families of a deployment, for the budget. */
  static String family(SeriesContext series) {
    return series.key().configId()
        + "|"
        + series.key().modelId()
        + "|"
        + series.key().metric()
        + "|mean|eval";
  }

  /** Whether anything is compared now. */
  boolean active() {
    return evidence != null;
  }

  /** Whether a finding is open. */
  boolean isOpen() {
    return open != null;
  }

  /** Whether a finding for the worse is open. */
  boolean isWorse() {
    return open != null && open.path("direction").asText().equals("worse");
  }

  /**
   * Takes the next pane.
   *
   * @param recorded the evaluation to compare with, null for none
   * @param usual how the mean of the series varies, null while that is not known
   */
  void next(
      CellPane pane,
      @Nullable RecordedEval recorded,
      @Nullable TrackCalibration usual,
      AlarmLevels levels) {
    if (recorded == null || !recorded.equals(eval)) {
      close(pane.startMicros(), "another result was recorded for the evaluation");
      eval = recorded;
      evidence = null;
    }
    if (recorded == null
        || usual == null
        || recorded.evalId().equals(accepted)
        || Double.isNaN(recorded.error(usual.valueDeviation()))) {
      return;
    }
    EvalEvidence known = evidence;
    if (known == null) {
      known = new EvalEvidence(series.paneMicros(), usual.components());
      evidence = known;
    }
    if (open != null) {
      if (known.gone(pane, recorded, usual, sign, margin)) {
        close(pane.startMicros() + series.paneMicros(), "the difference is gone");
      }
      return;
    }
    double floor = Math.max(usual.floor(), series.policy().minimumEffect());
    known.next(pane, recorded, usual, floor);
    if (known.minutes() >= levels.alert()) {
      open(pane, recorded, known, usual, levels);
    }
  }

  private void open(
      CellPane pane,
      RecordedEval recorded,
      EvalEvidence known,
      TrackCalibration usual,
      AlarmLevels levels) {
    long end = pane.startMicros() + series.paneMicros();
    long from = Math.max(known.quietMicros(), end - LONGEST_WINDOW);
    List<CellPane> panes = series.panes(from, end);
    Summary current = Summary.of(panes, series.paneMicros());
    double difference = current.mean() - recorded.value();
    sign = difference < 0 ? -1 : 1;
    margin = Math.abs(difference) / 2;
    FamilySpec spec = FamilySpec.scoreMean();
    String direction = OpenFinding.direction(series.policy(), spec, sign);
    ObjectNode body = MAPPER.createObjectNode();
    String id =
        FamilyJudge.id(
            series.key().deployment(),
            family(series),
            direction,
            recorded.evalId(),
            Long.toString(pane.startMicros()));
    body.put("finding_id", id);
    body.put("deployment", series.key().deployment());
    body.put("model_id", series.key().modelId());
    body.put("config_id", series.key().configId());
    body.put("metric", series.key().metric());
    body.put("statistic", OpenFinding.statistic(spec));
    body.put("direction", direction);
    body.put("onset_at", Micros.text(known.quietMicros()));
    body.putArray("onset_interval")
        .add(Micros.text(known.quietMicros()))
        .add(Micros.text(pane.startMicros()));
    body.put("detected_at", Micros.text(end + series.graceMicros()));
    body.put("state", "open");
    body.put("severity", severity(direction).word());
    Cause cause = cause(recorded);
    body.put(
        "incident_id", series.incidents().join(id, cause, known.quietMicros(), pane.startMicros()));
    body.put("policy_hash", series.policyHash());
    series.maintenance().ifPresent(why -> body.put("muted", why));
    body.set("baseline", EvalBody.baseline(recorded, usual.valueDeviation()));
    if (!recorded.configId().isEmpty() && !sameConfig(recorded)) {
      series.changedAxes(recorded.configId()).forEach(body.putArray("changed_axes")::add);
    }
    body.set("current", FindingBody.summary(current));
    double error =
        StrictMath.sqrt(
            usual.inflation()
                    * (usual.valueDeviation() * usual.valueDeviation() / current.n()
                        + usual.paneVariance() / panes.size())
                + StrictMath.pow(recorded.error(usual.valueDeviation()), 2));
    body.set(
        "effect",
        FindingBody.effect(
            "mean",
            new Effect(
                difference,
                difference - Z95 * error,
                difference + Z95 * error,
                Double.NaN,
                "score",
                "",
                current.n())));
    body.put("shape", "step");
    ObjectNode shown = body.putObject("evidence");
    shown.put("method", METHOD);
    FindingBody.number(shown, "e_value", known.minutes());
    FindingBody.number(shown, "threshold", levels.alert());
    body.set("verdict", EvalBody.verdict(cause, recorded, series.key()));
    body.putArray("exemplars");
    body.set("next_test", EvalBody.nextTest(cause));
    open = body;
    series.write(body);
  }

  /** Data set and traffic need not be alike, so nobody is woken by it. */
  private Severity severity(String direction) {
    MetricPolicy policy = series.policy();
    boolean quiet = policy.muted() || series.maintenance().isPresent();
    return direction.equals("better") || quiet ? Severity.INFO : Severity.TICKET;
  }

  private boolean sameConfig(RecordedEval recorded) {
    return recorded.configId().equals(series.key().configId());
  }

  private Cause cause(RecordedEval recorded) {
    boolean unknown = recorded.configId().isEmpty();
    boolean otherModel =
        !recorded.modelId().isEmpty() && !recorded.modelId().equals(series.key().modelId());
    if (unknown || (otherModel && !sameConfig(recorded))) {
      return Cause.INCONCLUSIVE;
    }
    return otherModel
        ? Cause.MODEL
        : sameConfig(recorded) ? Cause.UNEXPLAINED : Cause.CONFIG_CHANGE;
  }

  /** Ends an open finding; nothing when none is open. */
  void close(long atMicros, String why) {
    ObjectNode body = open;
    if (body != null) {
      body.put("state", "closed");
      body.put("closed_at", Micros.text(atMicros));
      body.put("closed_because", why);
      open = null;
      evidence = null;
      series.write(body);
    }
  }

  /**
   * A person takes the difference from this evaluation as given.
   *
   * @return whether the finding was this one's
   */
  boolean accept(String findingId, String by, String why, long atMicros) {
    ObjectNode body = open;
    if (body == null || !body.path("finding_id").asText().equals(findingId)) {
      return false;
    }
    body.put("state", "accepted");
    body.putObject("accepted").put("at", Micros.text(atMicros)).put("by", by).put("why", why);
    accepted = eval == null ? "" : eval.evalId();
    open = null;
    evidence = null;
    series.write(body);
    return true;
  }

  void write(Content.Writer out) {
    out.count(eval == null ? 0 : 1);
    if (eval != null) {
      eval.write(out);
    }
    out.count(evidence == null ? 0 : 1);
    if (evidence != null) {
      evidence.write(out);
    }
    out.count(open == null ? 0 : 1);
    if (open != null) {
      out.block(open.toString().getBytes(StandardCharsets.UTF_8));
    }
    out.count(sign);
    out.number(margin);
    out.text(accepted);
  }

  static EvalComparison read(SeriesContext series, Content.Reader in) {
    EvalComparison comparison = new EvalComparison(series);
    comparison.eval = in.count() == 1 ? RecordedEval.read(in) : null;
    comparison.evidence = in.count() == 1 ? EvalEvidence.read(series.paneMicros(), in) : null;
    if (in.count() == 1) {
      try {
        comparison.open = (ObjectNode) MAPPER.readTree(in.block());
      } catch (IOException e) {
        throw new IllegalArgumentException("checkpoint: finding is no JSON object", e);
      }
    }
    comparison.sign = in.count();
    comparison.margin = in.number();
    comparison.accepted = in.text();
    return comparison;
  }
}

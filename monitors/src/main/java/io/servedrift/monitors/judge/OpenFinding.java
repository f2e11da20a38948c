package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.attribution.EventWeights;
import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Recovery;
import io.servedrift.monitors.detection.Shift;
import io.servedrift.monitors.pane.Exemplar;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A finding that is open: what it says, when it is looked at again, and the test that will close
 * it. Its identity, onset and direction are fixed when it opens. Not thread-safe.
 */
final class OpenFinding {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String METHOD =
      "mixture Shiryaev-Roberts e-detector, M in minutes (arXiv:2203.03532)";
  private static final int EXEMPLARS = 5;
  private static final long FIRST_REVIEW = 5 * Micros.MINUTE;
  private static final double LEAST_MARGIN = .05;

  private final String id;
  private final int trackIndex;
  private final TrackCalibration calibration;
  private final int leadSign;
  private final double bet;
  private final int sign;
  private final Shift shift;
  private final long openedMicros;
  private final Recovery recovery;
  private final ObjectNode body;
  private long nextReview;
  private long reviewPause = FIRST_REVIEW;

  private OpenFinding(
      Reference reference,
      TrackCalibration calibration,
      int leadSign,
      double bet,
      int sign,
      Shift shift,
      long openedMicros,
      ObjectNode body) {
    trackIndex = reference.baseline().tracks().indexOf(calibration);
    id = body.required("finding_id").asText();
    this.calibration = calibration;
    this.leadSign = leadSign;
    this.bet = bet;
    this.sign = sign;
    this.shift = shift;
    this.openedMicros = openedMicros;
    this.body = body;
    nextReview = openedMicros + FIRST_REVIEW;
    recovery =
        new Recovery(
            reference.baseline(),
            calibration,
            leadSign,
            margin(reference.baseline(), calibration, shift));
  }

  /** Half of the shift: nearer to normal than to the shift. */
  private static double margin(Baseline baseline, TrackCalibration calibration, Shift shift) {
    Track track = calibration.track();
    if (track.kind().gaussian()) {
      return Math.max(Math.abs(shift.effect()), calibration.floor()) / 2 + 1e-12;
    }
    double excess = Math.max(LEAST_MARGIN, (shift.effect() - 1) / 2);
    if (!calibration.ratio()) {
      return excess;
    }
    double n = Math.max(1, baseline.table().n(track.stratum(), track.trafficClass()));
    double failures =
        baseline.table().exceedances(track.level(), track.stratum(), track.trafficClass());
    double rate = Math.max(.5, failures) / n;
    return Math.min(.5, Math.max(calibration.absoluteFloor() / 2, excess * rate));
  }

  /** Opens a finding with the pane that decided. */
  static OpenFinding opening(
      SeriesContext series,
      Reference reference,
      FamilyDetector.Evidence lead,
      Shift shift,
      int sign,
      CellPane pane) {
    SeriesKey key = series.key();
    String statistic = statistic(reference.baseline().spec());
    String direction = direction(series.policy(), reference.baseline().spec(), sign);
    long end = pane.startMicros() + series.paneMicros();
    ObjectNode body = MAPPER.createObjectNode();
    body.put(
        "finding_id",
        FamilyJudge.id(
            key.deployment(),
            key.modelId(),
            key.configId(),
            key.metric(),
            statistic,
            direction,
            reference.basis().name(),
            Long.toString(pane.startMicros())));
    body.put("deployment", key.deployment());
    body.put("model_id", key.modelId());
    body.put("config_id", key.configId());
    body.put("metric", key.metric());
    body.put("statistic", statistic);
    body.put("direction", direction);
    body.put("onset_at", Micros.text(shift.onsetMicros()));
    ArrayNode onset = body.putArray("onset_interval");
    onset.add(Micros.text(shift.earliestMicros())).add(Micros.text(shift.latestMicros()));
    body.put("detected_at", Micros.text(end + series.graceMicros()));
    body.put("state", "open");
    body.put("severity", Severity.INFO.word());
    body.put("incident_id", "");
    body.put("policy_hash", series.policyHash());
    body.set("baseline", baseline(reference));
    if (reference.basis() == Basis.PREDECESSOR) {
      ArrayNode axes = body.putArray("changed_axes");
      series.changedAxes(reference.group().configId()).forEach(axes::add);
    }
    return new OpenFinding(
        reference, lead.calibration(), lead.sign(), lead.bet(), sign, shift, end, body);
  }

  private static ObjectNode baseline(Reference reference) {
    ObjectNode node = MAPPER.createObjectNode();
    node.put("id", reference.baseline().id().substring(0, 16));
    node.put("kind", reference.basis().word());
    node.put("config_id", reference.group().configId());
    node.put("model_id", reference.group().modelId());
    node.setAll(FindingBody.summary(reference.summary()));
    return node;
  }

  static String statistic(FamilySpec spec) {
    return switch (spec.statistic()) {
      case MEAN -> "mean";
      case TAIL -> "tail";
      case RATIO -> "ratio";
    };
  }

  static String direction(MetricPolicy policy, FamilySpec spec, int sign) {
    if (spec.statistic() == FamilySpec.Statistic.RATIO) {
      return sign > 0 ? "worse" : "better";
    }
    return switch (policy.worse()) {
      case UP -> sign > 0 ? "worse" : "better";
      case DOWN -> sign < 0 ? "worse" : "better";
      case BOTH -> "changed";
    };
  }

  String id() {
    return id;
  }

  ObjectNode body() {
    return body;
  }

  Track track() {
    return calibration.track();
  }

  Shift shift() {
    return shift;
  }

  int sign() {
    return sign;
  }

  boolean gradual() {
    return shift.gradual();
  }

  String direction() {
    return body.required("direction").asText();
  }

  /** What its verdict names. */
  Cause cause() {
    String label = body.path("verdict").path("cause").asText();
    return Arrays.stream(Cause.values())
        .filter(cause -> cause.label().equals(label))
        .findFirst()
        .orElse(Cause.INCONCLUSIVE);
  }

  /** Whether its verdict names a cause. */
  boolean decided() {
    return cause() != Cause.INCONCLUSIVE;
  }

  long earliestMicros() {
    return shift.earliestMicros();
  }

  long latestMicros() {
    return shift.latestMicros();
  }

  Recovery recovery() {
    return recovery;
  }

  /** The track it opened with, as the detector sees it now. */
  FamilyDetector.Evidence lead(FamilyDetector detector) {
    return detector.top(Integer.MAX_VALUE).stream()
        .filter(e -> e.calibration().equals(calibration))
        .findFirst()
        .map(e -> new FamilyDetector.Evidence(calibration, e.statistic(), e.share(), leadSign, bet))
        .orElseThrow();
  }

  /** Whether the verdict is to be looked at again; then the next time is set. */
  boolean dueForReview(long paneStartMicros) {
    if (paneStartMicros < nextReview || paneStartMicros > openedMicros + Micros.DAY) {
      return false;
    }
    reviewPause = 2 * reviewPause;
    nextReview = paneStartMicros + reviewPause;
    return true;
  }

  void incident(String incidentId) {
    body.put("incident_id", incidentId);
  }

  boolean sameSeverity(Severity severity) {
    return body.path("severity").asText().equals(severity.word());
  }

  boolean sameVerdict(Attribution.Verdict verdict) {
    JsonNode written = body.path("verdict");
    Map<String, String> where = new TreeMap<>();
    written
        .path("where")
        .properties()
        .forEach(part -> where.put(part.getKey(), part.getValue().asText()));
    String mechanism =
        verdict.mechanism() == null ? "" : verdict.mechanism().name().toLowerCase(Locale.ROOT);
    return written.path("cause").asText().equals(verdict.cause().label())
        && written.path("mechanism").asText().equals(mechanism)
        && where.equals(verdict.where());
  }

  /** Takes over the severity and the numbers of a look. */
  void measured(
      Severity severity,
      Summary current,
      Effect effect,
      Effect strongest,
      double evidenceMinutes,
      double thresholdMinutes,
      SeriesContext series) {
    body.put("severity", severity.word());
    series.maintenance().ifPresentOrElse(why -> body.put("muted", why), () -> body.remove("muted"));
    body.set("current", FindingBody.summary(current));
    body.set("effect", FindingBody.effect(body.required("statistic").asText(), effect));
    FindingBody.strongest(body, calibration.track(), strongest);
    quoteOpposites(series);
    body.put("shape", gradual() ? "gradual" : "step");
    ObjectNode evidence = body.putObject("evidence");
    evidence.put("method", METHOD);
    FindingBody.number(evidence, "e_value", evidenceMinutes);
    FindingBody.number(evidence, "threshold", thresholdMinutes);
    evidence.put("track", calibration.track().label());
  }

  /** Takes over a verdict. */
  void judged(
      Attribution attribution,
      List<EventWeights.Correlated> events,
      ShiftExplainer.Breakdown breakdown,
      SeriesContext series) {
    body.set("verdict", FindingBody.verdict(attribution, events, breakdown));
    Map<String, String> cell = attribution.verdict().where();
    List<Exemplar> blamed = series.exemplars(cell, shift.onsetMicros(), EXEMPLARS);
    List<Exemplar> healthy = new ArrayList<>();
    if (!cell.isEmpty()) {
      healthy.addAll(series.exemplars(matching(cell), shift.onsetMicros(), EXEMPLARS));
    }
    body.set("exemplars", FindingBody.exemplars(blamed, healthy));
    body.set("next_test", FindingBody.nextTest(attribution.nextTest(), id));
  }

  /** A better mean and a worse tail are two findings; each names the other. */
  private void quoteOpposites(SeriesContext series) {
    List<OpenFinding> opposites = series.opposites(this);
    body.remove("opposite_moves");
    if (!opposites.isEmpty()) {
      ArrayNode array = body.putArray("opposite_moves");
      for (OpenFinding other : opposites) {
        ObjectNode one = array.addObject();
        one.put("finding_id", other.id);
        one.set("statistic", other.body.required("statistic"));
        one.set("direction", other.body.required("direction"));
        one.set("effect", other.body.path("effect").deepCopy());
      }
    }
  }

  /**
   * Takes over the other findings of the series that go the other way.
   *
   * @return whether that changes what it says
   */
  boolean quotesAnew(SeriesContext series) {
    JsonNode before = body.path("opposite_moves").deepCopy();
    quoteOpposites(series);
    return !before.equals(body.path("opposite_moves"));
  }

  /** The cell that differs from the blamed one in what is blamed: misses for hits, batch 1. */
  private static Map<String, String> matching(Map<String, String> cell) {
    Map<String, String> other = new TreeMap<>(cell);
    if (cell.containsKey("cache")) {
      other.put("cache", "hit".equals(cell.get("cache")) ? "miss" : "hit");
    } else if (cell.containsKey("batch")) {
      other.put("batch", "1");
    } else {
      other.keySet().retainAll(List.of("prompt_class"));
    }
    return other;
  }

  void closed(long atMicros, String why, @Nullable Summary last) {
    body.put("state", "closed");
    body.put("closed_at", Micros.text(atMicros));
    body.put("closed_because", why);
    if (last != null) {
      body.set("current", FindingBody.summary(last));
    }
  }

  void accepted(String by, String why, long atMicros) {
    body.put("state", "accepted");
    ObjectNode accepted = body.putObject("accepted");
    accepted.put("at", Micros.text(atMicros)).put("by", by).put("why", why);
  }

  void write(Content.Writer out) {
    out.block(body.toString().getBytes(StandardCharsets.UTF_8));
    out.count(trackIndex);
    out.count(leadSign);
    out.number(bet);
    out.count(sign);
    write(shift, out);
    out.whole(openedMicros);
    out.whole(nextReview);
    out.whole(reviewPause);
    recovery.write(out);
  }

  private static void write(Shift shift, Content.Writer out) {
    out.whole(shift.onsetMicros());
    out.whole(shift.earliestMicros());
    out.whole(shift.latestMicros());
    out.doubles(new double[] {shift.effect(), shift.lower(), shift.upper()});
    out.count(shift.relative() ? 1 : 0);
    out.count(shift.gradual() ? 1 : 0);
  }

  private static Shift readShift(Content.Reader in) {
    long onset = in.whole();
    long earliest = in.whole();
    long latest = in.whole();
    double[] v = in.doubles();
    return new Shift(onset, earliest, latest, v[0], v[1], v[2], in.count() == 1, in.count() == 1);
  }

  static OpenFinding read(Reference reference, Content.Reader in) {
    ObjectNode body;
    try {
      body = (ObjectNode) MAPPER.readTree(in.block());
    } catch (IOException e) {
      throw new IllegalArgumentException("checkpoint: finding is no JSON object", e);
    }
    TrackCalibration calibration = reference.baseline().tracks().get(in.count());
    int leadSign = in.count();
    double bet = in.number();
    int sign = in.count();
    Shift shift = readShift(in);
    OpenFinding finding =
        new OpenFinding(reference, calibration, leadSign, bet, sign, shift, in.whole(), body);
    finding.nextReview = in.whole();
    finding.reviewPause = in.whole();
    finding.recovery.read(in);
    return finding;
  }
}

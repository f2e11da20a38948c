package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.attribution.CauseShare;
import io.servedrift.monitors.attribution.ClassContribution;
import io.servedrift.monitors.attribution.EventWeights;
import io.servedrift.monitors.attribution.NextTest;
import io.servedrift.monitors.attribution.QuantileSplit;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.pane.Exemplar;
import io.servedrift.monitors.stats.Interval;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The public form of a finding (contract, section 4). What is not known is left out. Numbers have
 * six significant digits, so that a reader sees no more than is known and equal findings are equal
 * text.
 */
final class FindingBody {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private FindingBody() {}

  /** Puts a number; NaN and infinities are left out. */
  static void number(ObjectNode into, String name, double value) {
    if (Double.isFinite(value)) {
      into.put(name, rounded(value));
    } else {
      into.remove(name);
    }
  }

  private static double rounded(double value) {
    double result = new BigDecimal(value).round(DIGITS).doubleValue();
    return result == 0 ? 0 : result;
  }

  private static void interval(ObjectNode into, String name, double lower, double upper) {
    if (Double.isFinite(lower) && Double.isFinite(upper)) {
      into.set(name, JSON.arrayNode().add(rounded(lower)).add(rounded(upper)));
    }
  }

  static ObjectNode summary(Summary summary) {
    ObjectNode node = JSON.objectNode();
    node.put("from", Micros.text(summary.fromMicros()));
    node.put("to", Micros.text(summary.toMicros()));
    node.put("n", summary.n());
    number(node, "mean", summary.mean());
    interval(node, "mean_interval", summary.meanLower(), summary.meanUpper());
    number(node, "p50", summary.p50());
    number(node, "p99", summary.p99());
    interval(node, "p99_interval", summary.p99Lower(), summary.p99Upper());
    return node;
  }

  static ObjectNode effect(String statistic, Effect effect) {
    ObjectNode node = JSON.objectNode();
    node.put("statistic", statistic);
    number(node, "value", effect.value());
    interval(node, "interval", effect.lower(), effect.upper());
    node.put("level", .95);
    node.put("unit", effect.unit());
    if (!effect.beyond().isEmpty()) {
      node.put("beyond", effect.beyond());
    }
    number(node, "ratio", effect.ratio());
    node.put("n", effect.n());
    return node;
  }

  /** The effect where the evidence is strongest, when that is not everywhere. */
  static void strongest(ObjectNode finding, Track track, Effect effect) {
    boolean part = !track.overall() && !track.ofNode();
    if (part && finding.get("effect") instanceof ObjectNode whole) {
      ObjectNode node = effect(whole.required("statistic").asText(), effect);
      node.put("in", track.requests());
      whole.set("strongest", node);
    }
  }

  static ObjectNode verdict(
      Attribution attribution,
      List<EventWeights.Correlated> events,
      ShiftExplainer.Breakdown breakdown) {
    Attribution.Verdict verdict = attribution.verdict();
    ObjectNode node = JSON.objectNode();
    node.put("cause", verdict.cause().label());
    if (verdict.mechanism() != null) {
      node.put("mechanism", verdict.mechanism().name().toLowerCase(Locale.ROOT));
    }
    number(node, "confidence", verdict.confidence());
    number(node, "share", verdict.share());
    attribution
        .share(verdict.cause())
        .ifPresent(
            share ->
                interval(
                    node,
                    "share_interval",
                    share.shareInterval().lower(),
                    share.shareInterval().upper()));
    ObjectNode where = node.putObject("where");
    verdict.where().forEach(where::put);
    node.put("why", why(verdict, breakdown));
    ArrayNode correlated = node.putArray("correlated_events");
    for (EventWeights.Correlated event : events) {
      ObjectNode one = correlated.addObject();
      one.put("event_id", event.eventId());
      one.put("kind", event.kind());
      one.put("lag_seconds", event.lagSeconds());
      number(one, "p_value", event.probabilityByChance());
    }
    ArrayNode ruledOut = node.putArray("ruled_out");
    for (Attribution.RuledOut out : attribution.ruledOut()) {
      ruledOut.addObject().put("cause", out.cause().label()).put("because", out.because());
    }
    ArrayNode contributing = node.putArray("contributing");
    for (Attribution.Contribution one : attribution.contributing()) {
      number(contributing.addObject().put("cause", one.cause().label()), "share", one.share());
    }
    ObjectNode decomposition = decomposition(attribution);
    breakdown.allTraffic().ifPresent(all -> decomposition.set("all_traffic", allTraffic(all)));
    if (breakdown.classes().size() > 1) {
      decomposition.set("by_class", byClass(breakdown.classes()));
    }
    breakdown.p99().ifPresent(p99 -> decomposition.set("p99", p99(p99)));
    node.set("decomposition", decomposition);
    return node;
  }

  private static String why(Attribution.Verdict verdict, ShiftExplainer.Breakdown breakdown) {
    return breakdown
        .p99()
        .filter(QuantileSplit::sufficient)
        .map(p99 -> verdict.why() + "; " + p99.text())
        .orElse(verdict.why());
  }

  /** Without an upper end the lower one still says something. */
  private static void seconds(ObjectNode into, String name, double value, Interval interval) {
    number(into, name, value);
    interval(into, name + "_interval", interval.lower(), interval.upper());
    if (interval.upper() == Double.POSITIVE_INFINITY) {
      number(into, name + "_at_least", interval.lower());
    }
  }

  /** The move of the p99 in seconds: what other traffic classes make of it, and the rest. */
  private static ObjectNode p99(QuantileSplit split) {
    ObjectNode node = JSON.objectNode();
    node.put("n_reference", split.referenceRequests());
    node.put("n", split.requests());
    if (!split.sufficient()) {
      return node.put("state", "insufficient")
          .put("needed_reference", QuantileSplit.NEEDED_OF_REFERENCE)
          .put("needed", QuantileSplit.NEEDED);
    }
    node.put("unit", "s");
    number(node, "reference", split.reference());
    number(node, "mixed", split.mixed());
    number(node, "current", split.current());
    seconds(node, "traffic_mix", split.mixed() - split.reference(), split.byMix());
    seconds(node, "within", split.current() - split.mixed(), split.alike());
    return node;
  }

  /** The exact split of the difference, in the unit of what was attributed. */
  private static ObjectNode decomposition(Attribution attribution) {
    Attribution.Split split = attribution.split();
    ObjectNode node = JSON.objectNode();
    number(node, "total", split.total());
    interval(node, "interval", split.interval().lower(), split.interval().upper());
    number(node, "composition", split.composition());
    number(node, "within", split.within());
    ArrayNode parts = node.putArray("parts");
    for (CauseShare share : attribution.shares()) {
      ObjectNode part = parts.addObject();
      part.put("cause", share.cause().label());
      number(part, "value", share.contribution());
      Interval range = share.interval();
      interval(part, "interval", range.lower(), range.upper());
      number(part, "share", share.share());
      interval(
          part, "share_interval", share.shareInterval().lower(), share.shareInterval().upper());
    }
    ObjectNode mediated = node.putObject("load_through");
    number(mediated, "directly", split.directLoad());
    split.mediatedLoad().forEach((cause, value) -> number(mediated, cause.label(), value));
    return node;
  }

  /**
   * The exact split with traffic not set aside. What like requests moved by is one number here:
   * where and why is the question of the verdict.
   */
  private static ObjectNode allTraffic(Attribution attribution) {
    Attribution.Split split = attribution.split();
    ObjectNode node = JSON.objectNode();
    number(node, "total", split.total());
    interval(node, "interval", split.interval().lower(), split.interval().upper());
    number(node, "composition", split.composition());
    number(node, "within", split.within());
    ArrayNode parts = node.putArray("parts");
    for (CauseShare share : attribution.shares()) {
      if (share.cause() == Cause.TRAFFIC_MIX || share.cause() == Cause.LOAD) {
        ObjectNode part = parts.addObject();
        part.put("cause", share.cause().label());
        number(part, "value", share.contribution());
        interval(part, "interval", share.interval().lower(), share.interval().upper());
        number(part, "of_total", share.contribution() / split.total());
      }
    }
    return node;
  }

  /** The largest contributions of traffic classes, in the unit of {@code all_traffic}. */
  private static ArrayNode byClass(List<ClassContribution> classes) {
    ArrayNode array = JSON.arrayNode();
    for (ClassContribution one : classes) {
      ObjectNode node = array.addObject();
      node.put("class", one.trafficClass());
      node.put("n_reference", Math.round(one.referenceRequests()));
      node.put("n", Math.round(one.requests()));
      number(node, "value", one.value());
      interval(node, "interval", one.interval().lower(), one.interval().upper());
      number(node, "composition", one.composition());
      number(node, "within", one.within());
      interval(node, "within_interval", one.withinInterval().lower(), one.withinInterval().upper());
    }
    return array;
  }

  static ArrayNode exemplars(List<Exemplar> blamed, List<Exemplar> healthy) {
    ArrayNode array = JSON.arrayNode();
    blamed.forEach(one -> array.add(exemplar(one, "blamed")));
    healthy.forEach(one -> array.add(exemplar(one, "healthy")));
    return array;
  }

  private static ObjectNode exemplar(Exemplar one, String role) {
    ObjectNode node = JSON.objectNode();
    node.put("request_id", one.requestId());
    number(node, "value", one.value());
    node.put("at", Micros.text(one.atMicros()));
    node.put("role", role);
    ObjectNode cell = node.putObject("cell");
    Map.of("cache", one.cache(), "batch", one.batch(), "prompt_class", one.promptClass())
        .entrySet()
        .stream()
        .filter(part -> !part.getValue().isEmpty() && !part.getValue().equals("unknown"))
        .sorted(Map.Entry.comparingByKey())
        .forEach(part -> cell.put(part.getKey(), part.getValue()));
    return node;
  }

  static ObjectNode nextTest(NextTest test, String findingId) {
    ObjectNode node = JSON.objectNode().put("what", test.what());
    if (!test.command().isEmpty()) {
      node.put("command", test.command().replace("FINDING_ID", findingId));
    }
    return node;
  }

  /** The record for the topic: columns to filter by, and the body. */
  static Finding record(ObjectNode body) {
    return Finding.newBuilder()
        .setFindingId(text(body, "finding_id"))
        .setDeployment(text(body, "deployment"))
        .setModelId(text(body, "model_id"))
        .setConfigId(text(body, "config_id"))
        .setMetric(text(body, "metric"))
        .setStatistic(text(body, "statistic"))
        .setDirection(text(body, "direction"))
        .setOnsetAt(Instant.parse(text(body, "onset_at")))
        .setDetectedAt(Instant.parse(text(body, "detected_at")))
        .setState(FindingState.valueOf(text(body, "state").toUpperCase(Locale.ROOT)))
        .setSeverity(
            io.servedrift.schemas.avro.Severity.valueOf(
                text(body, "severity").toUpperCase(Locale.ROOT)))
        .setIncidentId(text(body, "incident_id"))
        .setPolicyHash(text(body, "policy_hash"))
        .setBody(body.toString())
        .build();
  }

  private static String text(ObjectNode body, String name) {
    return body.required(name).asText();
  }
}

package io.servedrift.monitors.gate.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.ArmCost;
import io.servedrift.monitors.gate.ArmTail;
import io.servedrift.monitors.gate.BarSentence;
import io.servedrift.monitors.gate.ChangedAxes;
import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import io.servedrift.monitors.gate.RegimeCoverage;
import io.servedrift.monitors.gate.RunSettings;
import io.servedrift.monitors.stats.Interval;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The result as one JSON document, {@code gate.json}. Names are stable: members are added, never
 * renamed, as long as {@code schema_version} stays. Words are lower case with underscores, numbers
 * have six significant digits; what is not known, or is not finite, is {@code null}. Pure
 * functions.
 */
final class GateDocument {
  /** Version of the form. */
  static final int SCHEMA_VERSION = 1;

  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private GateDocument() {}

  static ObjectNode of(GateResult result) {
    ObjectNode document = object();
    document
        .put("schema_version", SCHEMA_VERSION)
        .put("outcome", result.outcome().label())
        .put("exit_code", result.outcome().exitCode())
        .put("why", result.why());
    document
        .putObject("deciding")
        .put("verdict", word(result.deciding().verdict()))
        .put("text", result.deciding().text())
        .set("because", texts(result.deciding().because()));
    document.set("bar", bar(result.bar()));
    document.put("modality", word(result.modality()));
    document.set("run", run(result.settings(), result.policy()));
    document.set("old", endpoint(result.oldSide()));
    document.set("new", endpoint(result.newSide()));
    document.set("changed", changed(result.changed()));
    document.set("problems", texts(result.problems()));
    document.set("errors", measures(result.errors()));
    document
        .putObject("control")
        .put("state", result.control().state().label())
        .put("why", result.control().why())
        .set("measures", measures(result.control().measures()));
    document.set("checks", each(result.checks(), GateDocument::check));
    document.set("tails", each(result.tails(), GateDocument::tail));
    document.set("costs", each(result.costs(), GateDocument::cost));
    document.set("coverage", coverage(result.coverage()));
    document.set(
        "readiness",
        each(
            result.readiness().items(),
            item ->
                object()
                    .put("name", item.name())
                    .put("state", word(item.state()))
                    .put("detail", item.detail())));
    return document;
  }

  private static JsonNode bar(@Nullable BarSentence bar) {
    if (bar == null) {
      return JsonNodeFactory.instance.nullNode();
    }
    return object()
        .put("advice", word(bar.advice()))
        .put("text", bar.text())
        .set("scores", measures(bar.scores()));
  }

  private static ObjectNode run(RunSettings settings, String policy) {
    ObjectNode run =
        object()
            .put("run_id", settings.runId())
            .put("started_at", settings.startedAt())
            .put("policy_hash", policy)
            .put("seed", settings.seed())
            .put("prompts", settings.prompts())
            .put("concurrency", settings.concurrency());
    put(run, "peak_per_second", settings.peakPerSecond());
    ArrayNode loads = run.putArray("loads");
    settings.loads().forEach(loads::add);
    run.put("blocks", settings.blocks());
    put(run, "block_seconds", settings.blockSeconds());
    put(run, "warm_up_seconds", settings.warmUpSeconds());
    put(run, "temperature", settings.temperature());
    return run;
  }

  private static ObjectNode endpoint(EndpointFacts facts) {
    ObjectNode endpoint =
        object()
            .put("url", facts.url())
            .put("config_id", facts.configId())
            .put("model_id", facts.modelId())
            .put("weights_digest", facts.weightsDigest());
    endpoint.set("config", facts.config());
    endpoint.set("model", facts.model());
    EndpointProfile profile = facts.profile();
    endpoint
        .putObject("profile")
        .put("modality", word(profile.modality()))
        .put("batches", profile.batches())
        .put("caches", profile.caches())
        .put("seed", profile.seed())
        .put("cache_bypass", profile.cacheBypass())
        .put("flush", profile.flush())
        .put("weights_digest", profile.weightsDigest())
        .put("deterministic", profile.deterministic())
        .put("devices", profile.devices());
    endpoint.set("problems", texts(facts.problems()));
    return endpoint;
  }

  private static ObjectNode changed(ChangedAxes changed) {
    ObjectNode node = object().put("weights", word(changed.weights()));
    node.set("axes", texts(changed.axes()));
    node.set("changes", texts(changed.changes()));
    node.set("plan", texts(changed.plan()));
    return node;
  }

  private static ObjectNode check(CheckResult check) {
    ObjectNode node =
        object()
            .put("name", check.name().label())
            .put("state", check.state().label())
            .put("why", check.why())
            .put("required", check.name().indispensable())
            .put("evidence", word(check.name().evidence()))
            .put("catches", check.name().catches())
            .put("standing_monitor", check.name().standingMonitor())
            .put("needed", check.needed());
    node.set("measures", measures(check.measures()));
    return node;
  }

  private static ArrayNode measures(List<Measure> measures) {
    return each(
        measures,
        measure -> {
          ObjectNode node = object().put("name", measure.name()).put("of", measure.of());
          put(node, "value", measure.value());
          put(node, "low", measure.low());
          put(node, "high", measure.high());
          put(node, "level", measure.level());
          node.put("n", measure.n());
          put(node, "margin", measure.margin());
          return node.put("unit", measure.unit())
              .put("state", measure.state().label())
              .put("needed", measure.needed())
              .put("test", measure.test());
        });
  }

  private static ObjectNode tail(ArmTail tail) {
    ObjectNode node = arm(tail.arm().side().label(), tail.arm().regime().label(), tail.load());
    node.put("asked", tail.asked()).put("errors", tail.errors()).put("n", tail.n());
    put(node, "p50_seconds", tail.p50());
    put(node, "p90_seconds", tail.p90());
    put(node, "p99_seconds", tail.p99());
    Interval interval = tail.p99Interval();
    put(node, "p99_low_seconds", interval == null ? null : interval.lower());
    put(node, "p99_high_seconds", interval == null ? null : interval.upper());
    put(node, "max_seconds", tail.max());
    return node;
  }

  private static ObjectNode cost(ArmCost cost) {
    ObjectNode node = arm(cost.arm().side().label(), cost.arm().regime().label(), cost.load());
    node.put("answers", cost.answers());
    put(node, "answers_per_second", cost.perSecond());
    put(node, "node_seconds_per_answer", cost.nodeSeconds());
    return node.put("source", cost.source());
  }

  private static ObjectNode arm(String side, String regime, @Nullable Double load) {
    ObjectNode node = object().put("side", side).put("regime", regime);
    put(node, "load", load);
    return node;
  }

  private static JsonNode coverage(@Nullable RegimeCoverage coverage) {
    if (coverage == null) {
      return JsonNodeFactory.instance.nullNode();
    }
    ObjectNode node = object().put("source", coverage.source()).put("live", coverage.live());
    put(node, "share", coverage.share());
    node.set(
        "cells",
        each(
            coverage.cells(),
            cell ->
                object()
                    .put("batch", cell.cell().batch())
                    .put("cache", cell.cell().cache())
                    .put("concurrency", cell.cell().concurrency())
                    .put("live", cell.live())
                    .put("exercised", cell.exercised())
                    .put("covered", cell.covered())));
    return node;
  }

  private static <T> ArrayNode each(List<T> items, Function<T, ? extends JsonNode> form) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    items.forEach(item -> all.add(form.apply(item)));
    return all;
  }

  private static ArrayNode texts(List<String> texts) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    texts.forEach(all::add);
    return all;
  }

  private static void put(ObjectNode into, String name, @Nullable Double value) {
    if (value == null || !Double.isFinite(value)) {
      into.putNull(name);
      return;
    }
    double rounded = new BigDecimal(value).round(DIGITS).doubleValue();
    into.put(name, rounded == 0 ? 0 : rounded);
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}

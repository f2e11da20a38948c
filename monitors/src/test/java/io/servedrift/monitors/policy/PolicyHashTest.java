package io.servedrift.monitors.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash names what a policy says, not how it is written. */
class PolicyHashTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new YAMLMapper();

  private static String hash(String yaml) {
    return Policy.parse(yaml.replace("\\n", "\n"), "p.yaml").hash();
  }

  /** A finding names it, so it must not change unless the defaults do. */
  @Test
  void namesTheDefaults() {
    assertThat(Policy.defaults().hash()).isEqualTo("96a27ef00c0539a2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false_alarms_per_month: 1 |",
        "false_alarms_per_month: 2 | false_alarms_per_month: 2.0",
        "warm_up: 90s | warm_up: PT1M30S",
        "warm_up: 600s |",
        "baseline: {full_duration: 168h} |",
        "metrics: {latency: {minimum_effect: 5.0 %}} |",
        "metrics: {latency: {}} | deployments: {a: {}}",
        "metrics: {all durations: {worse: up}} |",
        "metrics: {'*': {muted: false}} |",
        "metrics: {clip: {failure: 1}} | metrics: {clip: {failure: 1, worse: up}}",
        "metrics: {clip: {page_effect: .50}} | metrics: {clip: {page_effect: 5e-1}}",
        "deployments: {a: {false_alarms_per_month: 1}} |",
        "maintenance: [{deployment: d, weekly: Sun 02:00-04:00, why: w}] | maintenance:"
            + " [{deployment: d, weekly: Sun 02:00-04:00, zone: Z, why: w}]"
      })
  void isTheSame_whenTheSameIsSaid(String one, String other) {
    assertThat(hash(one)).isEqualTo(hash(other == null ? "" : other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false_alarms_per_month: 2",
        "warm_up: 11m",
        "baseline: {least_duration: 31m}",
        "baseline: {least_requests: 1001}",
        "baseline: {full_duration: 8d}",
        "baseline: {pinned: [{deployment: d, config_id: c, from: 2026-11-01T00:00:00Z, to:"
            + " 2026-11-02T00:00:00Z}]}",
        "baseline: {pinned: [{deployment: d, from: 2026-11-01T00:00:00Z, to:"
            + " 2026-11-02T00:00:00Z}]}",
        "metrics: {latency: {muted: true}}",
        "metrics: {clip: {muted: true}}",
        "metrics: {'*': {muted: true}}",
        "deployments: {a: {false_alarms_per_month: 2}}",
        "deployments: {a: {metrics: {clip: {muted: true}}}}",
        "maintenance: [{deployment: d, weekly: Sun 02:00-04:00, why: w}]"
      })
  void differs_whenSomethingElseIsSaid(String yaml) {
    assertThat(hash(yaml)).matches("[0-9a-f]{16}").isNotEqualTo(Policy.defaults().hash());
  }

  @Property(tries = 100)
  void dependsOnNeitherOrderNorForm(@ForAll("policies") ObjectNode policy, @ForAll long seed)
      throws JsonProcessingException {
    Policy read = Policy.parse(JSON.writeValueAsString(policy), "p.json");
    JsonNode shuffled = shuffled(policy, new Random(seed));

    assertThat(Policy.parse(YAML.writeValueAsString(shuffled), "p.yaml")).isEqualTo(read);
    assertThat(
            Policy.parse(
                    JSON.writerWithDefaultPrettyPrinter().writeValueAsString(shuffled), "p.json")
                .hash())
        .isEqualTo(read.hash());
  }

  @Property(tries = 100)
  void readsBackWhatItWrites(@ForAll("policies") ObjectNode policy) throws JsonProcessingException {
    Policy read = Policy.parse(JSON.writeValueAsString(policy), "p.json");

    Policy again = Policy.parse(read.toYaml(), "again.yaml");

    assertThat(again).isEqualTo(read);
    assertThat(again.hash()).isEqualTo(read.hash());
    assertThat(again.toYaml()).isEqualTo(read.toYaml());
    for (String deployment : List.of("a", "null", "12e4", "other")) {
      for (String metric : List.of("latency", "queue", "stage:x", "clip", "error_ratio", "s1")) {
        assertThat(again.metric(deployment, metric)).isEqualTo(read.metric(deployment, metric));
      }
    }
  }

  /** Members of maps and items of lists in another order: neither means anything. */
  private static JsonNode shuffled(JsonNode node, Random random) {
    if (node instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      Collections.shuffle(names, random);
      ObjectNode result = JSON.createObjectNode();
      names.forEach(name -> result.set(name, shuffled(object.get(name), random)));
      return result;
    }
    if (node instanceof ArrayNode array) {
      List<JsonNode> items = new ArrayList<>();
      array.forEach(item -> items.add(shuffled(item, random)));
      Collections.shuffle(items, random);
      return JSON.createArrayNode().addAll(items);
    }
    return node;
  }

  @Provide
  Arbitrary<ObjectNode> policies() {
    Arbitrary<ObjectNode> own =
        Combinators.combine(number(), metrics())
            .as(
                (budget, metrics) -> {
                  ObjectNode node = JSON.createObjectNode().put("false_alarms_per_month", budget);
                  node.set("metrics", metrics);
                  return node;
                });
    Arbitrary<ObjectNode> deployments =
        map(Arbitraries.of("a", "null", "12e4", "~", "- b: #"), own);
    return Combinators.combine(number(), metrics(), deployments, maintenance())
        .as(
            (budget, metrics, each, maintenance) -> {
              ObjectNode node = JSON.createObjectNode().put("false_alarms_per_month", budget);
              node.set("metrics", metrics);
              node.set("deployments", each);
              node.set("maintenance", maintenance);
              return node;
            });
  }

  private static Arbitrary<Double> number() {
    return Arbitraries.of(0.001, 0.5, 1.0, 3.25, 1000.0);
  }

  private static Arbitrary<ObjectNode> metrics() {
    Arbitrary<ObjectNode> rule =
        Combinators.combine(
                Arbitraries.of("up", "down", "both").injectNull(0.5),
                Arbitraries.of(true, false).injectNull(0.5),
                number().filter(weight -> weight <= 100).injectNull(0.5),
                Arbitraries.of("ignore", "ticket", "page").injectNull(0.5))
            .as(
                (worse, muted, weight, noData) -> {
                  ObjectNode node = JSON.createObjectNode();
                  if (worse != null) {
                    node.put("worse", worse);
                  }
                  if (muted != null) {
                    node.put("muted", muted);
                  }
                  if (weight != null) {
                    node.put("budget_weight", weight);
                  }
                  if (noData != null) {
                    node.put("no_data", noData);
                  }
                  return node;
                });
    return map(
        Arbitraries.of(
            "*",
            "latency",
            "queue",
            "stage:*",
            "s*",
            "stage:x",
            "clip",
            "c*",
            "all scores",
            "all ratios",
            "all durations"),
        rule);
  }

  private static Arbitrary<ArrayNode> maintenance() {
    return Combinators.combine(
            Arbitraries.of("a", "*", "~", "no: yes"),
            Arbitraries.of("Sun 02:00-04:00", "Mon 23:00-01:00", "Fri 00:00-24:00"),
            Arbitraries.of("UTC", "+05:30", "-08:00"),
            Arbitraries.of("backups", "# no comment", "'quoted'", "true", "\u00fcber"))
        .as(
            (deployment, weekly, zone, why) ->
                JSON.createObjectNode()
                    .put("deployment", deployment)
                    .put("weekly", weekly)
                    .put("zone", zone)
                    .put("why", why))
        .list()
        .ofMaxSize(4)
        .map(items -> JSON.createArrayNode().addAll(items));
  }

  private static Arbitrary<ObjectNode> map(Arbitrary<String> keys, Arbitrary<ObjectNode> values) {
    return Arbitraries.maps(keys, values)
        .ofMaxSize(5)
        .map(
            entries -> {
              ObjectNode node = JSON.createObjectNode();
              entries.forEach(node::set);
              return node;
            });
  }
}

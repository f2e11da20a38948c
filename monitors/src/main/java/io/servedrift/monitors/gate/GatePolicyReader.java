package io.servedrift.monitors.gate;

import io.servedrift.monitors.policy.PolicyException;
import io.servedrift.monitors.policy.PolicyText;
import io.servedrift.monitors.policy.PolicyText.Part;
import io.servedrift.monitors.policy.YamlNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes a gate policy of its text, and notes there what is wrong with it. Used once. */
final class GatePolicyReader {
  private static final String SCORES = "scores";
  private static final int MOST_SCORES = 100;

  private final PolicyText text;

  GatePolicyReader(PolicyText text) {
    this.text = text;
  }

  /**
   * Reads it all.
   *
   * @throws PolicyException with every problem
   */
  GatePolicy read() {
    GatePolicy policy = policy(text.root());
    text.requireNoProblem();
    return policy;
  }

  private GatePolicy policy(YamlNode root) {
    List<String> known = keys("");
    known.addAll(List.of("outputs", "load", "strata", "coverage", SCORES));
    Part whole = text.part(root, "", known);
    Part outputs = part(whole, "outputs");
    Part load = part(whole, "load");
    Part strata = part(whole, "strata");
    Part coverage = part(whole, "coverage");
    return new GatePolicy(
        whole.valueOrDefault(GateField.ALPHA),
        whole.valueOrDefault(GateField.MINIMUM_PAIRS),
        whole.valueOrDefault(GateField.MAX_ERROR_SHARE),
        new GatePolicy.Outputs(
            outputs.valueOrDefault(GateField.DISTANCE_RATIO),
            outputs.valueOrDefault(GateField.COSINE),
            outputs.valueOrDefault(GateField.COSINE_SHARE),
            outputs.valueOrDefault(GateField.IDENTICAL),
            outputs.valueOrDefault(GateField.IDENTICAL_SHARE)),
        load(load),
        new GatePolicy.Strata(
            strata.valueOrDefault(GateField.STRATUM_PAIRS),
            strata.valueOrDefault(GateField.FALSE_DISCOVERIES)),
        coverage.valueOrDefault(GateField.COVERAGE_ANSWERS),
        scores(whole.get(SCORES)));
  }

  private Part part(Part whole, String name) {
    return text.part(whole.get(name), name, keys(name));
  }

  /** Names of the fields of a part, as {@link GateField#part} names it. */
  private static List<String> keys(String part) {
    List<String> keys = new ArrayList<>();
    for (GateField<?> field : GateField.all()) {
      if (field.part().equals(part)) {
        keys.add(field.key());
      }
    }
    return keys;
  }

  private static GatePolicy.Load load(Part part) {
    Duration block = part.valueOrDefault(GateField.BLOCK);
    Duration warmUp = part.valueOrDefault(GateField.WARM_UP);
    if (warmUp.compareTo(block) >= 0) {
      part.problem(
          GateField.WARM_UP.key(),
          GateField.WARM_UP.text(warmUp),
          "shorter than the block, " + GateField.BLOCK.text(block));
    }
    Duration slo = part.value(GateField.SLO);
    return new GatePolicy.Load(
        part.valueOrDefault(GateField.P99_MARGIN),
        part.valueOrDefault(GateField.LOADS),
        part.valueOrDefault(GateField.LEAST_REQUESTS),
        part.valueOrDefault(GateField.BLOCKS),
        seconds(block),
        seconds(warmUp),
        slo == null ? null : seconds(slo));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private SortedMap<String, ScoreRule> scores(@Nullable YamlNode node) {
    SortedMap<String, ScoreRule> rules = new TreeMap<>();
    Map<String, YamlNode> members = text.members(node, SCORES);
    if (node != null && members.size() > MOST_SCORES) {
      text.problem(
          node.line(), SCORES, "must be at most " + MOST_SCORES + ", found " + members.size());
    }
    members.forEach(
        (name, value) -> {
          String at = SCORES + "." + PolicyText.shown(name);
          rules.put(
              name, rule(text.part(value, at, keys("scores.NAME")), GatePolicy.standard(name)));
        });
    return rules;
  }

  private static ScoreRule rule(Part part, ScoreRule standard) {
    GateField.Kind kind = part.value(GateField.SCORE_KIND);
    boolean ratio = kind == null ? standard.ratio() : kind == GateField.Kind.RATIO;
    ScoreRule.Worse worse = part.value(GateField.WORSE);
    Double margin = part.value(GateField.MARGIN);
    Double stratumMargin = part.value(GateField.STRATUM_MARGIN);
    boolean inSd = part.has(GateField.MARGIN_SD.key());
    boolean stratumInSd = part.has(GateField.STRATUM_MARGIN_SD.key());
    return new ScoreRule(
        ratio,
        worse != null ? worse : ratio ? ScoreRule.Worse.DOWN : ScoreRule.Worse.BOTH,
        margin != null ? margin : ratio && !inSd ? Double.valueOf(0.005) : null,
        part.valueOrDefault(GateField.MARGIN_SD),
        stratumMargin != null ? stratumMargin : ratio && !stratumInSd ? Double.valueOf(0.01) : null,
        part.valueOrDefault(GateField.STRATUM_MARGIN_SD),
        part.value(GateField.BAR));
  }
}

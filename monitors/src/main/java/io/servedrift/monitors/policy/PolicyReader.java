package io.servedrift.monitors.policy;

import io.servedrift.monitors.policy.Maintenance.WeekTimes;
import io.servedrift.monitors.policy.PolicyText.Part;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes a policy of its text, and notes there what is wrong with it. Used once. */
final class PolicyReader {

  private final PolicyText text;
  private boolean pinnedIsUsed;
  private boolean pinnedIsGiven;

  PolicyReader(PolicyText text) {
    this.text = text;
  }

  /**
   * Reads it all.
   *
   * @throws PolicyException with every problem
   */
  Policy read() {
    Policy policy = policy(text.root());
    text.requireNoProblem();
    return policy;
  }

  private Policy policy(YamlNode root) {
    Part whole = text.part(root, "", PolicyField.PARTS);
    double falseAlarms = whole.valueOrDefault(PolicyField.FALSE_ALARMS);
    Duration minute = whole.valueOrDefault(PolicyField.MINUTE);
    Duration warmUp = whole.valueOrDefault(PolicyField.WARM_UP);
    BaselinePolicy baseline = baseline(whole.get("baseline"));
    MetricRules metrics = rules(whole.get("metrics"), "metrics");
    SortedMap<String, DeploymentPolicy> deployments = deployments(whole.get("deployments"));
    List<Maintenance> maintenance = maintenance(whole.get("maintenance"));
    if (pinnedIsUsed && !pinnedIsGiven) {
      text.problem(1, "baseline.pinned", "must have an entry, a metric has baseline=pinned");
    }
    return new Policy(falseAlarms, minute, warmUp, baseline, metrics, deployments, maintenance);
  }

  private BaselinePolicy baseline(@Nullable YamlNode node) {
    Part part =
        text.part(
            node,
            "baseline",
            List.of("least_duration", "least_requests", "full_duration", "pinned"));
    pinnedIsGiven = part.has("pinned");
    Duration least = part.valueOrDefault(PolicyField.LEAST_DURATION);
    Duration full = part.valueOrDefault(PolicyField.FULL_DURATION);
    if (full.compareTo(least) < 0) {
      part.problem(
          PolicyField.FULL_DURATION.key(),
          PolicyField.FULL_DURATION.type().write(full),
          "at least least_duration, " + PolicyField.LEAST_DURATION.type().write(least));
    }
    return new BaselinePolicy(
        least, part.valueOrDefault(PolicyField.LEAST_REQUESTS), full, pinned(part.get("pinned")));
  }

  private List<PinnedRange> pinned(@Nullable YamlNode node) {
    List<PinnedRange> ranges = new ArrayList<>();
    Set<List<String>> seen = new HashSet<>();
    for (Part item :
        text.items(
            node,
            "baseline.pinned",
            List.of("deployment", "config_id", "model_id", "from", "to"))) {
      String deployment = item.required(PolicyField.PINNED_DEPLOYMENT);
      Optional<String> config = Optional.ofNullable(item.value(PolicyField.PINNED_CONFIG));
      Optional<String> model = Optional.ofNullable(item.value(PolicyField.PINNED_MODEL));
      Instant from = item.required(PolicyField.PINNED_FROM);
      Instant to = item.required(PolicyField.PINNED_TO);
      requireOrder(item, from, to);
      if (deployment != null && from != null && to != null) {
        if (!seen.add(List.of(deployment, config.orElse(""), model.orElse("")))) {
          item.problem("config_id", config.orElse(""), "pinned once per deployment and model");
        }
        ranges.add(new PinnedRange(deployment, config, model, from, to));
      }
    }
    return ranges;
  }

  private MetricRules rules(@Nullable YamlNode node, String path) {
    Map<MetricPattern, Map<MetricField, String>> rules = new HashMap<>();
    text.members(node, path)
        .forEach(
            (name, value) -> {
              String at = path + "." + PolicyText.shown(name);
              Optional<MetricPattern> pattern = MetricPattern.parse(name);
              if (pattern.isEmpty()) {
                text.problem(value.line(), at, "must be " + MetricPattern.ALLOWED);
              }
              Map<MetricField, String> rule =
                  rule(text.part(value, at, MetricField.keys()), pattern.orElse(null));
              pattern.ifPresent(known -> rules.put(known, rule));
            });
    return MetricRules.of(rules);
  }

  private Map<MetricField, String> rule(Part part, @Nullable MetricPattern pattern) {
    Map<MetricField, String> rule = new EnumMap<>(MetricField.class);
    for (MetricField field : MetricField.values()) {
      String value = canonical(part, field.key(), field.type());
      if (value != null) {
        rule.put(field, value);
        if (pattern != null) {
          checkFits(part, pattern, field, value);
        }
      }
    }
    checkEffects(part, rule);
    checkFailure(part, pattern, rule);
    pinnedIsUsed |= "pinned".equals(rule.get(MetricField.BASELINE));
    return rule;
  }

  private static <T> @Nullable String canonical(Part part, String key, ValueType<T> type) {
    T value = part.value(key, type);
    return value == null ? null : type.write(value);
  }

  /** Effects of durations are relative, others absolute; only 0/1 metrics fail. */
  private static void checkFits(Part part, MetricPattern pattern, MetricField field, String text) {
    if (field == MetricField.MINIMUM_EFFECT || field == MetricField.PAGE_EFFECT) {
      if (pattern.coversDurations() && pattern.coversOthers()) {
        part.problem(
            field.key(),
            text,
            "given apart for durations (5%) and for others (0.002); "
                + pattern.text()
                + " can be both: name the metric, or all durations, all ratios, all scores");
      } else if (text.endsWith("%") != pattern.coversDurations()) {
        part.problem(
            field.key(),
            text,
            pattern.coversDurations()
                ? "a percentage (5%): effects of durations are relative"
                : "a number in the unit of the metric (0.002): only effects of durations are"
                    + " relative");
      }
    }
    if (field == MetricField.FAILURE && !pattern.coversRatios()) {
      part.problem(field.key(), text, "left out: only 0/1 metrics have a failure");
    }
  }

  private static void checkEffects(Part part, Map<MetricField, String> rule) {
    String minimum = rule.get(MetricField.MINIMUM_EFFECT);
    String page = rule.get(MetricField.PAGE_EFFECT);
    if (minimum != null
        && page != null
        && minimum.endsWith("%") == page.endsWith("%")
        && ValueType.effectValue(page) < ValueType.effectValue(minimum)) {
      part.problem(MetricField.PAGE_EFFECT.key(), page, "at least minimum_effect, " + minimum);
    }
  }

  private static void checkFailure(
      Part part, @Nullable MetricPattern pattern, Map<MetricField, String> rule) {
    String failure = rule.get(MetricField.FAILURE);
    String worse = rule.get(MetricField.WORSE);
    if (failure != null && worse != null && !worse.equals("both")) {
      String wanted = worse.equals("up") ? "1" : "0";
      if (!failure.equals(wanted)) {
        part.problem(MetricField.FAILURE.key(), failure, wanted + ", as worse is " + worse);
      }
    }
    if (pattern != null && pattern.text().equals(MetricKind.ERROR_RATIO)) {
      if (worse != null && !worse.equals("up")) {
        part.problem(MetricField.WORSE.key(), worse, "up: the metric counts errors");
      } else if (failure != null && failure.equals("0")) {
        part.problem(MetricField.FAILURE.key(), failure, "1: the metric counts errors");
      }
    }
  }

  private SortedMap<String, DeploymentPolicy> deployments(@Nullable YamlNode node) {
    SortedMap<String, DeploymentPolicy> deployments = new TreeMap<>();
    text.members(node, "deployments")
        .forEach(
            (name, value) -> {
              String at = "deployments." + PolicyText.shown(name);
              if (name.equals("*") || !isName(name)) {
                text.problem(
                    value.line(),
                    at,
                    "must be the name of a deployment; what is for all stands outside");
              }
              Part part = text.part(value, at, List.of("false_alarms_per_month", "metrics"));
              Double budget = part.value(PolicyField.DEPLOYMENT_FALSE_ALARMS);
              deployments.put(
                  name,
                  new DeploymentPolicy(
                      budget == null ? OptionalDouble.empty() : OptionalDouble.of(budget),
                      rules(part.get("metrics"), at + ".metrics")));
            });
    return deployments;
  }

  private static boolean isName(String text) {
    try {
      return PolicyField.MAINTENANCE_DEPLOYMENT.type().read(text).equals(text);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private List<Maintenance> maintenance(@Nullable YamlNode node) {
    List<Maintenance> all = new ArrayList<>();
    for (Part item :
        text.items(
            node, "maintenance", List.of("deployment", "from", "to", "weekly", "zone", "why"))) {
      String deployment = item.required(PolicyField.MAINTENANCE_DEPLOYMENT);
      String why = item.required(PolicyField.MAINTENANCE_WHY);
      Maintenance one =
          item.has("weekly") || item.has("zone")
              ? weekly(item, deployment, why)
              : once(item, deployment, why);
      if (one != null) {
        all.add(one);
      }
    }
    return all;
  }

  private @Nullable Maintenance weekly(
      Part item, @Nullable String deployment, @Nullable String why) {
    for (String other : List.of("from", "to")) {
      if (item.has(other)) {
        item.problem(other, item.textOf(other), "left out: it is weekly");
      }
    }
    WeekTimes times = item.required(PolicyField.MAINTENANCE_WEEKLY);
    ZoneId zone = item.value(PolicyField.MAINTENANCE_ZONE);
    return deployment == null || why == null || times == null
        ? null
        : new Maintenance.Weekly(deployment, times, zone == null ? ZoneOffset.UTC : zone, why);
  }

  private @Nullable Maintenance once(Part item, @Nullable String deployment, @Nullable String why) {
    Instant from = item.required(PolicyField.MAINTENANCE_FROM);
    Instant to = item.required(PolicyField.MAINTENANCE_TO);
    requireOrder(item, from, to);
    return deployment == null || why == null || from == null || to == null
        ? null
        : new Maintenance.Once(deployment, from, to, why);
  }

  private static void requireOrder(Part item, @Nullable Instant from, @Nullable Instant to) {
    if (from != null && to != null && !from.isBefore(to)) {
      item.problem("to", to.toString(), "after from, " + from);
    }
  }
}

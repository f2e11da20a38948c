package io.servedrift.monitors.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a policy says about what is wrong in it. */
class PolicyProblemsTest {

  private static List<String> problems(String yaml) {
    PolicyException thrown =
        catchThrowableOfType(PolicyException.class, () -> Policy.parse(yaml, "p.yaml"));
    assertThat(thrown).as(yaml).isNotNull();
    return thrown.problems();
  }

  @Test
  void saysAllProblemsAtOnce() {
    assertThat(
            problems(
                """
                warmup: 5m
                false_alarms_per_month: 0
                baseline:
                  least_duration: 30
                  pinned:
                    - {deployment: a, from: 2026-11-30}
                metrics:
                  latency: {wurse: up, worse: upward}
                  "a*b": {}
                maintenance:
                  - {deployment: x, weekly: Sunday, why: w, zone: Mars}
                """))
        .containsExactly(
            "p.yaml:1: warmup: unknown field; did you mean warm_up?",
            "p.yaml:2: false_alarms_per_month=0: must be a number above 0 and at most 1000",
            "p.yaml:4: baseline.least_duration=30: must be a duration (30s, 5m, 7d) from 1s to 30d",
            "p.yaml:6: baseline.pinned[0].from=2026-11-30: must be a time from 2000 to 2099:"
                + " ISO-8601 with zone (2026-11-30T10:00:00Z) or epoch milliseconds",
            "p.yaml:6: baseline.pinned[0].to: missing, must be a time from 2000 to 2099: ISO-8601"
                + " with zone (2026-11-30T10:00:00Z) or epoch milliseconds",
            "p.yaml:8: metrics.latency.wurse: unknown field; did you mean worse?",
            "p.yaml:8: metrics.latency.worse=upward: must be one of up, down, both",
            "p.yaml:9: metrics.a*b: must be a metric, the beginning of a name with * at the end, *,"
                + " all durations, all ratios or all scores",
            "p.yaml:11: maintenance[0].weekly=Sunday: must be a day and its hours (Sun"
                + " 02:00-04:00; Sat 23:00-01:00 ends on Sunday)",
            "p.yaml:11: maintenance[0].zone=Mars: must be UTC, an offset (+02:00) or a region"
                + " (Europe/Berlin)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "metrics: {latency: {minimum_effect: 0.05}} | metrics.latency.minimum_effect=0.05: must be"
            + " a percentage",
        "metrics: {clip: {page_effect: 5%}} | metrics.clip.page_effect=5%: must be a number",
        "metrics: {'*': {page_effect: 5%}} | metrics.*.page_effect=5%: must be given apart",
        "metrics: {'s*': {page_effect: 1}} | metrics.s*.page_effect=1: must be given apart",
        "metrics: {latency: {minimum_effect: -5%}} | minimum_effect=-5%: must be a percentage",
        "metrics: {latency: {minimum_effect: 10%, page_effect: 9%}} | page_effect=9%: must be at"
            + " least minimum_effect, 10%",
        "metrics: {latency: {failure: 1}} | failure=1: must be left out: only 0/1 metrics",
        "metrics: {json_valid: {failure: 2}} | failure=2: must be 0 or 1",
        "metrics: {json_valid: {failure: 1, worse: down}} | failure=1: must be 0, as worse is down",
        "metrics: {error_ratio: {worse: down}} | worse=down: must be up: the metric counts errors",
        "metrics: {error_ratio: {failure: 0}} | failure=0: must be 1: the metric counts errors",
        "metrics: {clip: {budget_weight: 0}} | budget_weight=0: must be a number above 0",
        "metrics: {clip: {budget_weight: .nan}} | budget_weight=.nan: must be a number above 0",
        "metrics: {clip: {muted: 1}} | muted=1: must be true or false",
        "metrics: {clip: {muted: }} | metrics.clip.muted: must be true or false, found nothing",
        "metrics: {clip: {worse: [up]}} | metrics.clip.worse: must be one of up, down, both, found"
            + " a list",
        "metrics: {clip: up} | metrics.clip: must be a map",
        "metrics: {clip: {baseline: pinned}} | baseline.pinned: must have an entry",
        "metrics: {two words: {}} | metrics.two words: must be a metric",
        "metrics: {clip: {colour: red}} | metrics.clip.colour: unknown field; must be one of"
            + " worse,",
        "deployments: {'*': {}} | deployments.*: must be the name of a deployment",
        "deployments: {a: {metric: {}}} | deployments.a.metric: unknown field; did you mean"
            + " metrics?",
        "baseline: {least_duration: 8d} | full_duration=168h: must be at least least_duration,"
            + " 192h",
        "baseline: {least_requests: 1e3} | least_requests=1e3: must be a whole number",
        "warm_up: 2d | warm_up=2d: must be a duration",
        "maintenance: {} | maintenance: must be a list",
        "maintenance: [{deployment: d, why: w}] | maintenance[0].from: missing",
        "maintenance: [{deployment: d, weekly: Sun 02:00-02:00, why: w}] | must be a day and its"
            + " hours",
        "maintenance: [{deployment: d, weekly: Sun 02:00-03:00}] | maintenance[0].why: missing",
        "maintenance: [{deployment: d, weekly: Sun 02:00-03:00, to: 5, why: w}] | to=5: must be"
            + " left out: it is weekly",
        "maintenance: [{deployment: d, why: w, from: 2026-11-30T10:00:00Z, to:"
            + " 2026-11-30T10:00:00Z}] | to=2026-11-30T10:00:00Z: must be after from,",
        "[] | the policy: must be a map",
        "text | the policy: must be a map",
        "warm_up: 1m\\nwarm_up: 2m | p.yaml:2: warm_up: must be given once",
        "warm_up: 1m\\n---\\nwarm_up: 2m | must be one document",
        "metrics:\\n"
            + "  *: {} | p.yaml:2: not YAML: while scanning an alias; a name that begins with *"
            + " must stand in quotes",
        "a: &x 1m\\nwarm_up: *x | p.yaml:2: *x: must be written out",
        "[[[[[[[[[[[[]]]]]]]]]]]] | must be nested at most 10 levels"
      })
  void saysWhatIsWrong(String yaml, String problem) {
    assertThat(problems(yaml.replace("\\n", "\n")))
        .anySatisfy(text -> assertThat(text).startsWith("p.yaml:").contains(problem));
  }

  @Test
  void pinsASeriesOnce() {
    String range = "config_id: c, from: 2026-11-01T00:00:00Z, to: 2026-11-02T00:00:00Z";

    assertThat(
            problems(
                "baseline: {pinned: [{deployment: d, "
                    + range
                    + "}, {deployment: d, "
                    + range
                    + "}]}"))
        .containsExactly(
            "p.yaml:1: baseline.pinned[1].config_id=c: must be pinned once per deployment and"
                + " model");
  }

  @Test
  void showsAtMostTheBeginningOfAValue() {
    assertThat(problems("warm_up: " + "x".repeat(500)))
        .containsExactly(
            "p.yaml:1: warm_up="
                + "x".repeat(80)
                + "...: must be a duration (30s, 5m, 7d) from 0s to 1d");
  }
}

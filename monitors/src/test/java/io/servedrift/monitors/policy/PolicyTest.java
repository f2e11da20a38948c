package io.servedrift.monitors.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.policy.MetricPolicy.BaselineUse;
import io.servedrift.monitors.policy.MetricPolicy.NoData;
import io.servedrift.monitors.policy.MetricPolicy.SeverityCap;
import io.servedrift.monitors.policy.MetricPolicy.Worse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {

  private static Policy policy(String... lines) {
    return Policy.parse(String.join("\n", lines), "p.yaml");
  }

  @Test
  void hasDefaultsWithoutAFile() {
    Policy policy = Policy.defaults();

    assertThat(policy.falseAlarmsPerMonth("any")).isEqualTo(1);
    assertThat(policy.warmUp()).isEqualTo(Duration.ofMinutes(10));
    assertThat(policy.baseline())
        .isEqualTo(new BaselinePolicy(Duration.ofMinutes(30), 1000, Duration.ofDays(7), List.of()));
    assertThat(policy.deployments()).isEmpty();
    assertThat(policy.maintenance("any", 0)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nothing", "---", "{}", "metrics:", "baseline: {pinned: []}"})
  void isTheDefault_whenNothingIsSaid(String text) {
    assertThat(Policy.parse(text, "p.yaml")).isEqualTo(Policy.defaults());
  }

  @ParameterizedTest
  @CsvSource({
    "latency, DURATION, UP, 0.05, 0.2, PAGE, TICKET, 1",
    "inference, DURATION, UP, 0.05, 0.2, PAGE, IGNORE, 1",
    "time_to_first_token, DURATION, UP, 0.05, 0.2, PAGE, IGNORE, 1",
    "queue, DURATION, UP, 0.05, 0.2, TICKET, IGNORE, 0.5",
    "stage:denoise, DURATION, UP, 0.05, 0.2, TICKET, IGNORE, 0.5",
    "error_ratio, RATIO, UP, 0.002, 0.01, PAGE, IGNORE, 1",
    "json_valid, RATIO, DOWN, 0.002, 0.01, PAGE, TICKET, 1",
    "clip, SCORE, DOWN, 0, 0, PAGE, TICKET, 1",
    "something_else, SCORE, DOWN, 0, 0, PAGE, TICKET, 1"
  })
  void hasDefaultsForEachMetric(
      String metric,
      MetricKind kind,
      Worse worse,
      double minimum,
      double page,
      SeverityCap cap,
      NoData noData,
      double weight) {
    OptionalInt failure =
        kind == MetricKind.RATIO ? OptionalInt.of(worse == Worse.UP ? 1 : 0) : OptionalInt.empty();

    assertThat(Policy.defaults().metric("any", metric))
        .isEqualTo(
            new MetricPolicy(
                kind,
                worse,
                minimum,
                page,
                cap,
                noData,
                false,
                false,
                BaselineUse.LEARNED,
                weight,
                failure,
                Optional.empty()));
  }

  @Test
  void takesAScoreForARatio_whenItsLayoutIsBinary() {
    MetricLayouts layouts = new MetricLayouts(Map.of("toxic", "binary"));
    Policy policy = policy("metrics: {toxic: {failure: 1}}");

    assertThat(Policy.defaults().metric("d", "toxic", layouts).failure()).hasValue(0);
    MetricPolicy toxic = policy.metric("d", "toxic", layouts);
    assertThat(toxic.failure()).hasValue(1);
    assertThat(toxic.worse()).isEqualTo(Worse.UP);
    assertThat(toxic.minimumEffect()).isEqualTo(0.002);
    // A score that merely could be one keeps what was said about its direction.
    assertThat(policy.metric("d", "toxic").worse()).isEqualTo(Worse.UP);
    assertThat(policy.metric("d", "toxic").failure()).isEmpty();
  }

  @Test
  void derivesTheFailureFromTheDirection() {
    MetricLayouts layouts = new MetricLayouts(Map.of("toxic", "binary"));

    assertThat(policy("metrics: {toxic: {worse: up}}").metric("d", "toxic", layouts).failure())
        .hasValue(1);
    assertThat(policy("metrics: {toxic: {worse: both}}").metric("d", "toxic", layouts).failure())
        .hasValue(0);
  }

  @Test
  void neverCountsErrorsAsGood() {
    MetricPolicy errors = policy("metrics: {\"*\": {worse: down}}").metric("d", "error_ratio");

    assertThat(errors.worse()).isEqualTo(Worse.UP);
    assertThat(errors.failure()).hasValue(1);
  }

  @Test
  void prefersTheMoreSpecificRuleFieldByField() {
    Policy policy =
        policy(
            "metrics:",
            "  \"*\": {no_data: page, budget_weight: 2, critical: true}",
            "  all durations: {budget_weight: 3}",
            "  \"stage:*\": {budget_weight: 4, minimum_effect: 6%}",
            "  \"stage:de*\": {budget_weight: 5}",
            "  stage:decode: {budget_weight: 6}",
            "deployments:",
            "  a:",
            "    metrics:",
            "      \"*\": {budget_weight: 7}",
            "      \"stage:de*\": {budget_weight: 8}",
            "      stage:decode: {muted: true}");

    assertThat(policy.metric("b", "clip").budgetWeight()).isEqualTo(2);
    assertThat(policy.metric("b", "latency").budgetWeight()).isEqualTo(3);
    assertThat(policy.metric("b", "stage:x").budgetWeight()).isEqualTo(4);
    assertThat(policy.metric("b", "stage:denoise").budgetWeight()).isEqualTo(5);
    assertThat(policy.metric("b", "stage:decode").budgetWeight()).isEqualTo(6);
    assertThat(policy.metric("a", "clip").budgetWeight()).isEqualTo(7);
    assertThat(policy.metric("a", "stage:x").budgetWeight()).isEqualTo(7);
    assertThat(policy.metric("a", "stage:decode").budgetWeight()).isEqualTo(8);

    MetricPolicy decode = policy.metric("a", "stage:decode");
    assertThat(decode.muted()).isTrue();
    assertThat(decode.noData()).isEqualTo(NoData.PAGE);
    assertThat(decode.critical()).isTrue();
    assertThat(decode.minimumEffect()).isEqualTo(0.06);
    assertThat(decode.pageEffect()).isEqualTo(0.2);
    assertThat(decode.severityCap()).isEqualTo(SeverityCap.TICKET);
  }

  @Test
  void raisesThePageEffectToTheSmallestThatMatters() {
    Policy policy = policy("metrics: {latency: {minimum_effect: 30%}}");

    assertThat(policy.metric("d", "latency").pageEffect()).isEqualTo(0.3);
  }

  @Test
  void givesADeploymentItsOwnBudget() {
    Policy policy =
        policy("false_alarms_per_month: 2", "deployments: {a: {false_alarms_per_month: .5}}");

    assertThat(policy.falseAlarmsPerMonth("a")).isEqualTo(0.5);
    assertThat(policy.falseAlarmsPerMonth("b")).isEqualTo(2);
  }

  @Test
  void findsThePinnedRangeOfASeries() {
    BaselinePolicy baseline =
        policy(
                "baseline:",
                "  pinned:",
                "  - {deployment: d, config_id: 0123456701234567, from: 2026-11-01T00:00:00+01:00,",
                "     to: 1796083200000}",
                "  - {deployment: d, config_id: 0123456701234567, model_id: 12e4567890123456,",
                "     from: 2026-11-02T00:00:00Z, to: 2026-11-03T00:00:00Z}")
            .baseline();

    PinnedRange any = baseline.pinned("d", "0123456701234567", "m").orElseThrow();
    assertThat(any.from()).isEqualTo(Instant.parse("2026-10-31T23:00:00Z"));
    assertThat(any.to()).isEqualTo(Instant.ofEpochMilli(1_796_083_200_000L));
    assertThat(baseline.pinned("d", "0123456701234567", "12e4567890123456").orElseThrow().from())
        .isEqualTo(Instant.parse("2026-11-02T00:00:00Z"));
    assertThat(baseline.pinned("d", "*", "*")).isEmpty();
    assertThat(baseline.pinned("e", "0123456701234567", "m")).isEmpty();
  }

  @Test
  void pinsEverySeriesThatHasNoRangeOfItsOwn_whenNoConfigurationIsNamed() {
    BaselinePolicy baseline =
        policy(
                "baseline:",
                "  pinned:",
                "  - {deployment: d, config_id: c, from: 2026-11-02T00:00:00Z,",
                "     to: 2026-11-03T00:00:00Z}",
                "  - {deployment: d, from: 2026-11-01T00:00:00Z, to: 2026-11-03T00:00:00Z}")
            .baseline();

    for (String config : List.of("*", "other", "0123456701234567")) {
      assertThat(baseline.pinned("d", config, "m").orElseThrow().from())
          .isEqualTo(Instant.parse("2026-11-01T00:00:00Z"));
    }
    assertThat(baseline.pinned("d", "c", "m").orElseThrow().from())
        .isEqualTo(Instant.parse("2026-11-02T00:00:00Z"));
    assertThat(baseline.pinned("e", "*", "*")).isEmpty();
  }
}

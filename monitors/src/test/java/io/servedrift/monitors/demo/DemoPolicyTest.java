package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.policy.MetricPolicy;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Severity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The demonstration's policy on its story, simulated: 6 requests a second, then 8. */
class DemoPolicyTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SEEDS = 10;

  /** One and a half standard deviations of the scores. */
  private static final double LOSS = .06;

  /** The latest version of each finding about scores, in the order in which they opened. */
  private static List<JsonNode> scores(StorySimulator story) throws IOException {
    JudgedRun run =
        new JudgedRun(
            Policy.parse(DemoPolicy.yaml(), "demo"), StorySimulator.PANES, new MetricLayouts());
    story.events().forEach(run::accept);
    Map<String, JsonNode> latest = new LinkedHashMap<>();
    for (Finding finding : run.finish()) {
      JsonNode body = JSON.readTree(finding.getBody());
      assertThat(body.at("/verdict/cause").asText()).isNotEqualTo("model");
      if (finding.getMetric().equals("clip")) {
        latest.put(finding.getFindingId(), body);
      } else {
        assertThat(finding.getSeverity()).isNotEqualTo(Severity.PAGE);
      }
    }
    return List.copyOf(latest.values());
  }

  private static StorySimulator story(long seed, double loss) {
    return new StorySimulator(
        new StorySimulator.Settings(
            seed, 105, 165, 6, 3, .008, .011, StorySimulator.Harm.LARGE_BATCHES_AND_HITS, loss));
  }

  @Test
  void findsTheCacheBeforeTheSecondActIsOver() throws IOException {
    List<String> verdicts = new ArrayList<>();
    for (int seed = 1; seed <= SEEDS; seed++) {
      List<JsonNode> found = scores(story(seed, LOSS));
      verdicts.add(
          found.isEmpty()
              ? "nothing"
              : found.get(0).at("/verdict/cause").asText()
                  + " "
                  + found.get(0).at("/verdict/where/cache").asText());
    }
    assertThat(verdicts.stream().filter("cache hit"::equals))
        .as(verdicts.toString())
        .hasSizeGreaterThanOrEqualTo(SEEDS - 1);
  }

  @Test
  void saysNothingOfScores_whenNothingIsWrongWithThem() throws IOException {
    for (int seed = 1; seed <= SEEDS; seed++) {
      assertThat(scores(story(seed, 0))).as("seed " + seed).isEmpty();
    }
  }

  /** By one policy, which does not know what will go wrong. */
  @ParameterizedTest
  @EnumSource(DemoFault.class)
  void judgesTheMetricInWhichTheFaultShows(DemoFault fault) {
    Policy policy = Policy.parse(DemoPolicy.yaml(), "demo");
    assertThat(policy.metric("image-gen", fault.metric()).baseline())
        .isEqualTo(MetricPolicy.BaselineUse.LEARNED);
    assertThat(policy.metric("image-gen", "stage:decode").baseline())
        .isEqualTo(MetricPolicy.BaselineUse.NONE);
  }

  @Test
  void isAPolicyWithTheDurationsOfADemonstration() {
    Policy policy = Policy.parse(DemoPolicy.yaml(), "demo");
    assertThat(policy.minute()).isEqualTo(StorySimulator.PANES.pane());
    assertThat(policy.baseline().leastDuration()).isLessThan(Duration.ofMinutes(1));
    assertThat(policy.warmUp()).isLessThan(Duration.ofSeconds(10));
  }
}

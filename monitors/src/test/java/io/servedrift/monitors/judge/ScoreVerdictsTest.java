package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Scores that people gave to images of one generator, under its normal settings and under worse
 * ones: two hours of normal traffic, then the switch, nothing of it recorded. Rows are drawn with
 * replacement, arrivals are Poisson with a slow wave of the load.
 *
 * <p>Needs agiqa3k/data.csv below the folder of SERVEDRIFT_TEST_DATA (system property or
 * environment); left out, with that reason, when it is not set.
 */
class ScoreVerdictsTest {
  private static final String DATA = "SERVEDRIFT_TEST_DATA";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant START = Instant.parse("2026-11-02T08:00:00Z");
  private static final Instant SWITCH = START.plus(Duration.ofHours(2));
  private static final double PER_MINUTE = 20;
  private static final Duration DAY = Duration.ofHours(24);

  @Test
  void findsFewerStepsWorseWithinHalfAnHour_whenTheyCostMoreThanAStandardDeviation()
      throws IOException {
    List<JsonNode> findings = judged("midjourney_normal", "midjourney_lowstep", 1, DAY);

    JsonNode first = firstAlarm(findings);
    assertThat(first.path("direction").asText()).isEqualTo("worse");
    assertThat(detected(first)).isBetween(SWITCH, SWITCH.plus(Duration.ofMinutes(30)));
  }

  @Test
  void findsAQuarterOfAStandardDeviationWorseWithinADay() throws IOException {
    List<JsonNode> findings = judged("sd1.5_normal", "sd1.5_lowcorr", 2, DAY);

    JsonNode first = firstAlarm(findings);
    assertThat(first.path("direction").asText()).isEqualTo("worse");
    assertThat(detected(first)).isBetween(SWITCH, SWITCH.plus(DAY));
  }

  /** The rows themselves do not tell the two means apart; whatever is said carries its interval. */
  @Test
  void givesAnIntervalWithWhateverItSays_whenTheRowsHardlyDiffer() throws IOException {
    List<JsonNode> findings = judged("sd1.5_normal", "sd1.5_lowstep", 3, DAY);

    for (JsonNode finding : findings) {
      JsonNode interval = finding.path("effect").path("interval");
      double value = finding.path("effect").path("value").asDouble();
      assertThat(interval.get(0).asDouble()).isLessThan(value);
      assertThat(interval.get(1).asDouble()).isGreaterThan(value);
      assertThat(detected(finding)).isAfter(SWITCH);
    }
  }

  @Test
  void staysSilent_whenNormalFollowsNormal() throws IOException {
    for (String generator : List.of("midjourney_normal", "sd1.5_normal")) {
      for (int seed = 4; seed < 7; seed++) {
        assertThat(judged(generator, generator, seed, DAY)).as(generator + seed).isEmpty();
      }
    }
  }

  private static JsonNode firstAlarm(List<JsonNode> findings) {
    return findings.stream()
        .filter(finding -> !finding.path("severity").asText().equals("info"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no page and no ticket in " + findings));
  }

  private static Instant detected(JsonNode finding) {
    return Instant.parse(finding.path("detected_at").asText());
  }

  /** The findings as they opened. */
  private static List<JsonNode> judged(String before, String after, int seed, Duration length)
      throws IOException {
    double[] normal = scores(before);
    double[] switched = scores(after);
    JudgedRun run =
        new JudgedRun(
            Policy.parse("metrics: {quality: {worse: down}}", "policy"),
            PaneSettings.defaults(),
            new MetricLayouts(Map.of("quality", "lin:0:5:2048")));
    Random random = new Random(seed);
    double seconds = 0;
    double end = Duration.between(START, SWITCH.plus(length)).toSeconds();
    for (int i = 0; seconds < end; i++) {
      double rate = PER_MINUTE * (1 + .3 * Math.sin(seconds / 7200));
      seconds += -Math.log1p(-random.nextDouble()) * 60 / rate;
      Instant at = START.plusNanos((long) (seconds * 1e9));
      double[] from = at.isBefore(SWITCH) ? normal : switched;
      run.accept(request(i, at, from[random.nextInt(from.length)]));
    }
    List<JsonNode> opened = new ArrayList<>();
    for (var finding : run.finish()) {
      JsonNode body = JSON.readTree(finding.getBody());
      if (body.path("metric").asText().equals("quality")
          && opened.stream()
              .noneMatch(one -> one.path("finding_id").equals(body.path("finding_id")))) {
        opened.add(body);
      }
    }
    for (JsonNode one : opened) {
      System.out.printf(
          "%s then %s, seed %d: %s, %s %s, after %s: %s; %s%n",
          before,
          after,
          seed,
          one.path("severity").asText(),
          one.path("statistic").asText(),
          one.path("direction").asText(),
          Duration.between(SWITCH, detected(one)),
          one.path("effect"),
          one.path("verdict").path("why").asText());
    }
    return opened;
  }

  private static RequestEvent request(int number, Instant at, double score) {
    Workload workload = new Workload();
    workload.setModality("image");
    workload.setPromptClass("prompt");
    workload.setAdapters(List.of());
    RequestEvent event = new RequestEvent();
    event.setRequestId("r-" + number);
    event.setDeployment("images");
    event.setNode("gpu-0");
    event.setConfigId("0000000000000001");
    event.setModelId("0000000000000002");
    event.setArrivedAt(at.minusSeconds(3));
    event.setFinishedAt(at);
    event.setStatus(RequestStatus.OK);
    event.setLatencySeconds(3.0);
    event.setStageSeconds(Map.of());
    event.setWorkload(workload);
    event.setScores(Map.of("quality", score));
    event.setScorers(Map.of("quality", "people"));
    return event;
  }

  private static double[] scores(String generator) throws IOException {
    String data = System.getProperty(DATA, System.getenv(DATA));
    assumeTrue(data != null, "left out: real scores; " + DATA + " names their folder");
    try (var lines = Files.lines(Path.of(data).resolve("agiqa3k/data.csv"))) {
      double[] scores =
          lines
              .filter(line -> line.startsWith(generator + "_"))
              .map(line -> line.split(","))
              .mapToDouble(fields -> Double.parseDouble(fields[fields.length - 4]))
              .toArray();
      assertThat(scores.length).isBetween(290, 300);
      return scores;
    }
  }
}

package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** Where a minute takes 2 s, traffic that is 30 times as fast is judged as it would be at 60 s. */
class PaceTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
  private static final int FASTER = 30;
  private static final Duration ONSET = Duration.ofHours(2);

  private static final String SLOW_POLICY =
      """
      metrics: {clip: {eval: suite/clip}}
      warm_up: 10m
      baseline: {least_duration: 40m, full_duration: 3d}
      """;
  private static final String FAST_POLICY =
      """
      minute: 2s
      metrics: {clip: {eval: suite/clip}}
      warm_up: 20s
      baseline: {least_duration: 80s, full_duration: 144m}
      """;

  @Test
  void findsTheSameAtOtherTimes() {
    List<Finding> slow =
        run(SLOW_POLICY, settings(1), events().stream().map(PaceTest::slower).toList());
    List<Finding> fast = run(FAST_POLICY, settings(FASTER), events());

    assertThat(slow).extracting(f -> f.getState().name()).contains("OPEN", "CLOSED", "ACCEPTED");
    assertThat(slow).anyMatch(f -> !body(f).at("/verdict/correlated_events").isEmpty());
    assertThat(slow).anyMatch(f -> body(f).at("/baseline/kind").asText().equals("eval"));
    assertThat(fast).hasSameSizeAs(slow);
    for (int i = 0; i < slow.size(); i++) {
      assertThat(text(body(fast.get(i)))).isEqualTo(inFastTime(body(slow.get(i))));
      assertThat(fast.get(i).getOnsetAt()).isEqualTo(faster(slow.get(i).getOnsetAt()));
      assertThat(fast.get(i).getDetectedAt()).isEqualTo(faster(slow.get(i).getDetectedAt()));
    }
  }

  @Test
  void takesTimesOfThePolicyAsTheyAre() {
    Duration late = Duration.between(faster(SteadyTraffic.START), SteadyTraffic.START);
    Instant onset = SteadyTraffic.START.plus(ONSET.dividedBy(FASTER));
    List<RequestEvent> requests = new ArrayList<>();
    for (SpecificRecord event : events()) {
      if (event instanceof RequestEvent request) {
        request.setArrivedAt(request.getArrivedAt().plus(late));
        request.setFinishedAt(request.getFinishedAt().plus(late));
        if (request.getFinishedAt().isBefore(onset.plusSeconds(180))) {
          requests.add(request);
        }
      }
    }
    Instant learned = SteadyTraffic.START.plusSeconds(30);
    String pinned =
        "minute: 2s\nwarm_up: 20s\nbaseline: {pinned: [{deployment: image-gen, from: %s, to: %s}]}\nmetrics:"
                .formatted(learned, onset)
            + " {clip: {baseline: pinned}}";
    String maintenance =
        FAST_POLICY
            + "maintenance: [{deployment: image-gen, from: %s, to: %s, why: cache migration}]"
                .formatted(onset.minusSeconds(20), onset.plusSeconds(300));

    List<Finding> muted = run(maintenance, settings(FASTER), requests);
    List<Finding> held = run(pinned, settings(FASTER), requests);

    assertThat(muted)
        .isNotEmpty()
        .allMatch(f -> body(f).path("muted").asText().equals("cache migration"));
    assertThat(held)
        .anySatisfy(
            f -> {
              assertThat(body(f).at("/baseline/kind").asText()).isEqualTo("pinned");
              assertThat(Instant.parse(body(f).at("/baseline/from").asText())).isEqualTo(learned);
            });
  }

  @Test
  void refusesAStateOfAnotherPace() {
    Judge usual = judge("");
    usual.event(
        new ServingEvent(
            "e", SteadyTraffic.START, "image-gen", null, ServingEventKind.DEPLOY, Map.of()));
    byte[] state = usual.checkpoint("image-gen");

    assertThatThrownBy(() -> judge("minute: 2s").restore("image-gen", state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minute");
    judge("warm_up: 1m").restore("image-gen", state);
  }

  private static Judge judge(String policy) {
    return new Judge(
        Policy.parse(policy, "test"),
        PaneSettings.defaults(),
        new MetricLayouts(),
        ConfigAxes.UNKNOWN,
        finding -> {},
        new Tally());
  }

  private static List<Finding> run(
      String policy, PaneSettings settings, List<? extends SpecificRecord> events) {
    JudgedRun run = new JudgedRun(Policy.parse(policy, "test"), settings, new MetricLayouts());
    events.forEach(run::accept);
    return run.finish();
  }

  /** The usual settings, but for a longer grace, that many times faster. */
  private static PaneSettings settings(int faster) {
    return new PaneSettings(
        Duration.ofSeconds(60 / faster),
        List.of(Duration.ofSeconds(300 / faster)),
        Duration.ofSeconds(30 / faster),
        Duration.ofSeconds(120 / faster),
        Duration.ofSeconds(900 / faster),
        Duration.ofSeconds(60),
        10_000,
        200,
        400,
        32);
  }

  /** Shifts, a switch, an event at an onset and a decision, in fast time. */
  private static List<SpecificRecord> events() {
    SteadyTraffic traffic = new SteadyTraffic(7, 60);
    traffic
        .run(ONSET)
        .run(Duration.ofMinutes(90), shape(-.02))
        .run(Duration.ofMinutes(270))
        .run(Duration.ofMinutes(90), shape(-.03))
        .run(Duration.ofMinutes(150))
        .config("c0ffee0000000002")
        .run(Duration.ofHours(3), shape(-.03));
    List<SpecificRecord> events = new ArrayList<>();
    Instant onset = faster(SteadyTraffic.START.plus(ONSET));
    Instant promotion = faster(traffic.now().minus(Duration.ofHours(1)));
    for (RequestEvent request : traffic.take()) {
      Instant finished = faster(request.getFinishedAt());
      request.setArrivedAt(faster(request.getArrivedAt()));
      request.setFinishedAt(finished);
      events.add(request);
    }
    EvalResult eval = EvalFindingTest.eval("e-2", Duration.ZERO, .33);
    eval.setAt(faster(eval.getAt().plus(Duration.ofMinutes(70))));
    events.add(eval);
    events.add(event(onset));
    events.add(promotion(promotion));
    events.sort(Comparator.comparing(EventTimes::of));
    return events;
  }

  private static ServingEvent event(Instant at) {
    return new ServingEvent(
        "e-1", at, "image-gen", null, ServingEventKind.CACHE_POLICY_CHANGED, Map.of());
  }

  private static Decision promotion(Instant at) {
    return Decision.newBuilder()
        .setDecisionId("d-1")
        .setAt(at)
        .setDeployment("image-gen")
        .setKind(DecisionKind.BASELINE_PROMOTE)
        .setConfigId("c0ffee0000000002")
        .build();
  }

  private static Shape shape(double hitScore) {
    Shape shape = new Shape();
    shape.hitScore = hitScore;
    return shape;
  }

  private static SpecificRecord slower(SpecificRecord event) {
    if (event instanceof RequestEvent request) {
      Instant arrived = slower(request.getArrivedAt());
      request.setFinishedAt(slower(request.getFinishedAt()));
      request.setArrivedAt(arrived);
      return request;
    }
    if (event instanceof Decision decision) {
      return Decision.newBuilder(decision).setAt(slower(decision.getAt())).build();
    }
    if (event instanceof EvalResult eval) {
      return EvalResult.newBuilder(eval).setAt(slower(eval.getAt())).build();
    }
    ServingEvent serving = (ServingEvent) event;
    return ServingEvent.newBuilder(serving).setAt(slower(serving.getAt())).build();
  }

  private static Instant faster(Instant instant) {
    return Instant.EPOCH.plus(
        Math.floorDiv(ChronoUnit.MICROS.between(Instant.EPOCH, instant), FASTER),
        ChronoUnit.MICROS);
  }

  private static Instant slower(Instant instant) {
    return Instant.EPOCH.plus(
        FASTER * ChronoUnit.MICROS.between(Instant.EPOCH, instant), ChronoUnit.MICROS);
  }

  private static JsonNode body(Finding finding) {
    try {
      return JSON.readTree(finding.getBody());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String text(JsonNode body) {
    return ((ObjectNode) body).put("policy_hash", "").toPrettyString();
  }

  /** By the text, so that a time in a member that nobody thought of is found. */
  private static String inFastTime(JsonNode body) {
    body.at("/verdict/correlated_events")
        .forEach(
            event ->
                ((ObjectNode) event)
                    .put("lag_seconds", Math.floorDiv(event.get("lag_seconds").asLong(), FASTER)));
    return TIME.matcher(text(body))
        .replaceAll((MatchResult time) -> faster(Instant.parse(time.group())).toString());
  }
}

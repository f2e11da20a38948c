package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.judge.SeriesStanding.State;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** What the judge says it holds of its series, through both stages. */
class SeriesStandingTest {
  private static final Duration LEARN = Duration.ofHours(2);

  private final SteadyTraffic traffic = new SteadyTraffic(7, 60);
  private final Map<SeriesKey, SeriesStanding> held = new TreeMap<>();
  private final List<State> statesOfClip = new ArrayList<>();

  private final class Remembering implements Judge.Audience {
    @Override
    public void judged(String deployment, Supplier<List<SeriesStanding>> standings) {
      standings.get().forEach(one -> held.put(one.series(), one));
      State now = of("clip").state();
      if (statesOfClip.isEmpty() || statesOfClip.get(statesOfClip.size() - 1) != now) {
        statesOfClip.add(now);
      }
    }
  }

  private List<Finding> judge(Policy policy, List<? extends SpecificRecord> events) {
    JudgedRun run =
        new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts(), new Remembering());
    events.forEach(run::accept);
    return run.finish();
  }

  private SeriesStanding of(String metric) {
    SeriesKey key = new SeriesKey("image-gen", "beef000000000001", "c0ffee0000000001", metric);
    return held.getOrDefault(
        key,
        new SeriesStanding(
            key, State.NO_BASELINE, "", 0, Double.NaN, Double.NaN, Double.NaN, Double.NaN));
  }

  @Test
  void holdsNothing_beforeThereIsABaseline() {
    judge(Policy.defaults(), traffic.run(Duration.ofMinutes(20)).take());
    assertThat(statesOfClip).containsExactly(State.NO_BASELINE);
    assertThat(of("clip").meanThreshold()).isNaN();
    assertThat(of("clip").baselineMean()).isNaN();
    assertThat(held).isNotEmpty();
  }

  @Test
  void drawsThresholdsFromTheBaselineAndThePolicy() {
    judge(Policy.defaults(), traffic.run(LEARN).take());
    SeriesStanding clip = of("clip");
    assertThat(clip.state()).isEqualTo(State.HOLDS);
    assertThat(clip.baseline()).isEqualTo("learned");
    assertThat(clip.baselineN()).isGreaterThan(1000);
    // .3, and hits, which are 30 %, score .005 more.
    assertThat(clip.baselineMean()).isCloseTo(.3015, within(.002));
    // 60 values a minute of deviation .03: an hour shows a hundredth, a thousandth is too small.
    assertThat(clip.baselineMean() - clip.meanThreshold()).isBetween(.001, .02);
    assertThat(clip.p99Threshold()).isNaN();

    SeriesStanding latency = of("latency");
    assertThat(latency.baselineP99()).isGreaterThan(latency.baselineMean());
    assertThat(latency.p99Threshold()).isEqualTo(latency.baselineP99() * 1.05);
    assertThat(latency.meanThreshold()).isNaN();

    SeriesStanding errors = of("error_ratio");
    assertThat(errors.baselineMean()).isCloseTo(.005, within(.002));
    assertThat(errors.meanThreshold()).isEqualTo(errors.baselineMean() + .002);
  }

  @Test
  void keepsTheDistanceThatThePolicyAsksFor() {
    Policy policy = Policy.parse("metrics:\n  clip:\n    minimum_effect: 0.05\n", "test");
    judge(policy, traffic.run(LEARN).take());
    SeriesStanding clip = of("clip");
    assertThat(clip.meanThreshold()).isEqualTo(clip.baselineMean() - .05);
  }

  @Test
  void drawsNoLine_whenBothDirectionsAreWorse() {
    Policy policy = Policy.parse("metrics:\n  clip:\n    worse: both\n", "test");
    judge(policy, traffic.run(LEARN).take());
    assertThat(of("clip").baselineMean()).isCloseTo(.3015, within(.002));
    assertThat(of("clip").meanThreshold()).isNaN();
  }

  @Test
  void saysThatAMetricIsNotJudged_whenThePolicySaysSo() {
    Policy policy = Policy.parse("metrics:\n  clip:\n    baseline: none\n", "test");
    judge(policy, traffic.run(LEARN).take());
    assertThat(of("clip").state()).isEqualTo(State.NOT_JUDGED);
    assertThat(of("latency").state()).isEqualTo(State.HOLDS);
  }

  @Test
  void driftsWhileAFindingForTheWorseIsOpen_andDoesNotChangeWhatIsFound() {
    Shape worse = new Shape();
    worse.hitScore = -.02;
    List<RequestEvent> events =
        traffic.run(LEARN).run(Duration.ofMinutes(90), worse).run(Duration.ofHours(3)).take();
    List<Finding> found = judge(Policy.defaults(), events);
    assertThat(statesOfClip)
        .containsExactly(State.NO_BASELINE, State.HOLDS, State.DRIFTED, State.HOLDS);

    JudgedRun unheard =
        new JudgedRun(Policy.defaults(), PaneSettings.defaults(), new MetricLayouts());
    events.forEach(unheard::accept);
    assertThat(found).isNotEmpty().isEqualTo(unheard.finish());
  }

  @Test
  void driftsWhileTheLiveMeanIsWorseThanTheEvaluation() {
    List<SpecificRecord> events = new ArrayList<>(traffic.run(Duration.ofHours(3)).take());
    events.add(EvalFindingTest.eval("e-1", Duration.ofMinutes(150), .33));
    events.sort(Comparator.comparing(EventTimes::of));
    judge(Policy.parse("metrics: {clip: {eval: suite/clip}}", "test"), events);
    assertThat(statesOfClip).containsExactly(State.NO_BASELINE, State.HOLDS, State.DRIFTED);
  }

  @Test
  void holdsWhileAFindingForTheBetterIsOpen() {
    Shape better = new Shape();
    better.allScores = .02;
    List<Finding> found =
        judge(Policy.defaults(), traffic.run(LEARN).run(Duration.ofMinutes(90), better).take());
    assertThat(found)
        .anyMatch(f -> f.getMetric().equals("clip") && f.getDirection().equals("better"));
    assertThat(statesOfClip).containsExactly(State.NO_BASELINE, State.HOLDS);
  }

  @Test
  void tellsWhatItForgets() {
    List<String> forgotten = new ArrayList<>();
    Judge.Audience audience =
        new Judge.Audience() {
          @Override
          public void forgotten(String deployment) {
            forgotten.add(deployment);
          }
        };
    StepTaker judge =
        Judge.maker(
                Policy.defaults(),
                PaneSettings.defaults(),
                new MetricLayouts(),
                ConfigAxes.UNKNOWN,
                audience)
            .make(finding -> {}, new Tally());
    judge.forget("image-gen");
    assertThat(forgotten).containsExactly("image-gen");
  }

  /** One class does all the failing; named alike, the same requests are one class. */
  private SeriesStanding errors(boolean namedAlike) {
    SteadyTraffic steady = new SteadyTraffic(7, 60);
    Shape failing = new Shape();
    failing.errors = .04;
    List<RequestEvent> events = steady.run(LEARN, failing).take();
    for (RequestEvent event : events) {
      if (event.getWorkload().getPromptClass().equals("product")) {
        event.setStatus(RequestStatus.OK);
      }
      if (namedAlike) {
        event.getWorkload().setPromptClass("any");
      }
    }
    judge(Policy.parse("metrics:\n  error_ratio:\n    minimum_effect: 0\n", "test"), events);
    return of("error_ratio");
  }

  @Test
  void drawsTheLineOfAllTraffic_whenOneClassNeverFails() {
    SeriesStanding one = errors(true);
    SeriesStanding two = errors(false);
    assertThat(two.baselineMean()).isEqualTo(one.baselineMean()).isCloseTo(.024, within(.005));
    // A few failures of a class that has none are found before that many of all traffic.
    assertThat(two.meanThreshold() / one.meanThreshold()).isCloseTo(1, within(.15));
    assertThat(one.meanThreshold()).isGreaterThan(one.baselineMean());
  }

  @Test
  void losesNothing_whenTheAudienceFails() {
    Shape worse = new Shape();
    worse.hitScore = -.02;
    List<RequestEvent> events = traffic.run(LEARN).run(Duration.ofMinutes(60), worse).take();
    Judge.Audience failing =
        new Judge.Audience() {
          @Override
          public void judged(String deployment, Supplier<List<SeriesStanding>> standings) {
            throw new IllegalStateException("no board");
          }
        };
    JudgedRun unheard =
        new JudgedRun(Policy.defaults(), PaneSettings.defaults(), new MetricLayouts());
    JudgedRun run =
        new JudgedRun(Policy.defaults(), PaneSettings.defaults(), new MetricLayouts(), failing);
    for (RequestEvent event : events) {
      unheard.accept(event);
      run.accept(event);
    }
    assertThat(run.finish()).isNotEmpty().isEqualTo(unheard.finish());
    assertThat(run.tally().get("judge_failures")).isZero();
    assertThat(run.tally().get("audience_failures")).isGreaterThan(100);
  }

  @Test
  void forgets_whenTheAudienceFails() {
    Tally tally = new Tally();
    StepTaker judge =
        Judge.maker(
                Policy.defaults(),
                PaneSettings.defaults(),
                new MetricLayouts(),
                ConfigAxes.UNKNOWN,
                new Judge.Audience() {
                  @Override
                  public void forgotten(String deployment) {
                    throw new IllegalStateException("no board");
                  }
                })
            .make(finding -> {}, tally);
    judge.forget("image-gen");
    assertThat(tally.get("audience_failures")).isEqualTo(1);
  }
}

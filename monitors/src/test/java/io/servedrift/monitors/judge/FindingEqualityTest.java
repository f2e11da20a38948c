package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same events give the same findings, bit for bit: whatever the partitions, the order within
 * grace, the repeats and the interleaving of partitions. This test is never to be weakened.
 */
class FindingEqualityTest {
  private static final StepTaker.Maker JUDGES =
      Judge.maker(
          Policy.parse("metrics: {clip: {eval: suite/clip}}", "test"),
          PaneSettings.defaults(),
          new MetricLayouts(),
          ConfigAxes.UNKNOWN);

  private static List<RequestEvent> events = List.of();
  private static List<Finding> expected = List.of();

  @BeforeAll
  static void judgeInOrder() {
    Shape shape = new Shape();
    shape.hitScore = -.03;
    events =
        new SteadyTraffic(3, 40)
            .run(Duration.ofMinutes(90))
            .run(Duration.ofMinutes(40), shape)
            .take();
    expected = judged(1, 0, 1);
    assertThat(expected).isNotEmpty();
    assertThat(expected).extracting(Finding::getBody).anyMatch(b -> b.contains("\"eval\""));
  }

  /** A record of a partition, or a tick. */
  private record Step(Instant at, SpecificRecord record) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void findingsAreAFunctionOfTheSetOfEvents(long seed) {
    assertThat(judged(2 + (int) seed, 8_000, seed)).isEqualTo(expected);
  }

  private static List<Finding> judged(int partitions, int jitterMillis, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Deque<Step>> queues = new ArrayList<>();
    Instant end = events.get(events.size() - 1).getFinishedAt().plusSeconds(300);
    for (int p = 0; p < partitions; p++) {
      List<Step> steps = new ArrayList<>();
      for (RequestEvent event : events) {
        if (Math.floorMod(event.getRequestId().hashCode(), partitions) == p) {
          int late = jitterMillis == 0 ? 0 : random.nextInt(jitterMillis);
          steps.add(new Step(event.getFinishedAt().plusMillis(late), event));
          if (jitterMillis > 0 && random.nextInt(20) == 0) {
            steps.add(new Step(event.getFinishedAt().plusMillis(random.nextInt(8_000)), event));
          }
        }
      }
      for (Instant at = SteadyTraffic.START; at.isBefore(end); at = at.plusSeconds(1)) {
        steps.add(new Step(at, new Tick(at)));
      }
      if (p == 0) {
        EvalResult eval = EvalFindingTest.eval("e-1", Duration.ofMinutes(70), .33);
        steps.add(new Step(eval.getAt(), eval));
        if (jitterMillis > 0) {
          steps.add(new Step(eval.getAt().plusSeconds(5), eval));
        }
      }
      steps.sort(Comparator.comparing(Step::at));
      queues.add(new ArrayDeque<>(steps));
    }
    return run(queues, random);
  }

  private static List<Finding> run(List<Deque<Step>> queues, SplittableRandom random) {
    List<Finding> findings = new ArrayList<>();
    ReplayCore core =
        new ReplayCore(
            queues.size(),
            1,
            PaneSettings.defaults(),
            new MetricLayouts(),
            JUDGES,
            new Collect(findings),
            new Tally());
    List<Integer> open = new ArrayList<>();
    for (int p = 0; p < queues.size(); p++) {
      open.add(p);
    }
    while (!open.isEmpty()) {
      int at = random.nextInt(open.size());
      int partition = open.get(at);
      Deque<Step> queue = queues.get(partition);
      for (int left = 1 + random.nextInt(500); left > 0 && !queue.isEmpty(); left--) {
        Step step = queue.removeFirst();
        if (step.record() instanceof EvalResult) {
          core.event(0, step.record(), "test");
          continue;
        }
        core.accept(partition, Channel.REQUESTS, step.record(), "test", null);
        if (step.record() instanceof Tick tick) {
          core.accept(partition, Channel.SCORES, tick, "tick", null);
          if (partition == 0) {
            core.event(0, tick, "tick");
          }
        }
      }
      if (queue.isEmpty()) {
        open.remove(at);
      }
    }
    core.finish();
    return findings;
  }

  private record Collect(List<Finding> findings) implements ReplayCore.Listener {
    @Override
    public void window(WindowSummary window) {}

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {
      findings.add(finding);
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
      throw new IllegalStateException(origin + ": " + why);
    }
  }
}

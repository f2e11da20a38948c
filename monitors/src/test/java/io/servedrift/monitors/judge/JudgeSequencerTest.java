package io.servedrift.monitors.judge;

import static io.servedrift.monitors.pane.TestEvents.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** 60 s panes, 10 s grace, 2 min score grace: the defaults. */
class JudgeSequencerTest {
  private static final PaneSettings SETTINGS = PaneSettings.defaults();
  private static final Duration LENGTH = Duration.ofMinutes(30);

  private final Steps out = new Steps(StateJournal.NONE);
  private final Tally tally = new Tally();
  private final JudgeSequencer sequencer =
      new JudgeSequencer(1, SETTINGS, out, StateJournal.NONE, tally);

  /** Steps as they came, with their place. */
  private static final class Steps implements JudgeSequencer.Output {
    final List<String> steps = new ArrayList<>();
    final List<String> rejected = new ArrayList<>();
    private final StateJournal journal;

    Steps(StateJournal journal) {
      this.journal = journal;
    }

    @Override
    public void step(JudgeLog.Logged logged) {
      JudgeStep step = logged.step();
      journal.delete(logged.journalKey());
      steps.add(
          (step.order().micros() - micros(START)) / 1_000_000.0
              + " "
              + step.order().rank()
              + " "
              + step.order().deployment()
              + " "
              + step.order().id()
              + " "
              + Arrays.hashCode(step.encode()));
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
      rejected.add(why.reason() + " " + origin);
    }

    /** Without content: time, rank, deployment, id. */
    List<String> places() {
      return steps.stream().map(step -> step.substring(0, step.lastIndexOf(' ')).strip()).toList();
    }
  }

  private static long micros(Instant instant) {
    return EventLane.micros(instant);
  }

  private static Instant at(double seconds) {
    return START.plusMillis(Math.round(seconds * 1000));
  }

  private static MergedPane pane(String deployment, PaneKind kind, double end) {
    SeriesKey key = new SeriesKey(deployment, "m1", "c1", "latency");
    ValueDistribution values =
        ValueDistribution.of(HistogramLayout.DURATIONS, new double[] {end + 1});
    return new MergedPane(
        deployment,
        kind,
        micros(at(end - 60)),
        micros(at(end)),
        List.of(new MergedPane.Series(key, values, new TreeMap<>())));
  }

  private static ServingEvent event(String id, double seconds) {
    return new ServingEvent(
        id, at(seconds), "image-gen", null, ServingEventKind.CACHE_FLUSH, Map.of());
  }

  private static Decision decision(String id, double seconds) {
    return Decision.newBuilder()
        .setDecisionId(id)
        .setAt(at(seconds))
        .setDeployment("image-gen")
        .setKind(DecisionKind.ACCEPT)
        .build();
  }

  private void tick(double seconds) {
    sequencer.event(0, TestEvents.tick(at(seconds)), "tick");
  }

  private void event(SpecificRecord event) {
    sequencer.event(0, event, "test");
  }

  @Test
  void latencyPaneLeavesWithTheNextTick_althoughScorePanesOfItsTimeAreOpen() {
    tick(70);
    sequencer.pane(pane("image-gen", PaneKind.LATENCY, 60));
    sequencer.passed(PaneKind.LATENCY, micros(at(60)));
    sequencer.passed(PaneKind.SCORE, micros(at(-120)));
    assertThat(out.steps).isEmpty();
    tick(71);
    assertThat(out.places()).containsExactly("70.0 LATENCY image-gen");
  }

  @Test
  void ordersEqualTimesByRankThenDeploymentThenId() {
    tick(0);
    sequencer.pane(pane("b", PaneKind.LATENCY, 180));
    sequencer.pane(pane("a", PaneKind.LATENCY, 180));
    sequencer.pane(pane("a", PaneKind.SCORE, 60));
    tick(150);
    event(event("e-2", 180));
    event(event("e-1", 180));
    event(decision("d-1", 180));
    sequencer.passed(PaneKind.SCORE, micros(at(60)));
    sequencer.passed(PaneKind.LATENCY, micros(at(180)));
    tick(191);
    assertThat(out.places())
        .containsExactly(
            "190.0 EVENT image-gen decision/d-1",
            "190.0 EVENT image-gen event/e-1",
            "190.0 EVENT image-gen event/e-2",
            "190.0 LATENCY a",
            "190.0 LATENCY b",
            "190.0 SCORE a");
  }

  @Test
  void lateEventCountsWhenItCame_andAnEventAtTheEdgeOfGraceIsInTime() {
    tick(100);
    event(event("edge", 90));
    event(event("late", 89.9));
    tick(101);
    sequencer.passed(PaneKind.LATENCY, micros(at(60)));
    sequencer.passed(PaneKind.SCORE, micros(at(0)));
    assertThat(out.places())
        .containsExactly("100.0 EVENT image-gen event/edge", "100.0 EVENT image-gen event/late");
    assertThat(tally.get("serving_events_late")).isEqualTo(1);
  }

  @Test
  void repeatOfAnEventWithinTheHorizonDoesNotCount() {
    tick(0);
    event(event("e", 5));
    event(event("e", 5));
    tick(500);
    event(event("e", 5));
    tick(906);
    event(event("e", 5));
    sequencer.finish();
    assertThat(out.places())
        .containsExactly("15.0 EVENT image-gen event/e", "906.0 EVENT image-gen event/e");
    assertThat(tally.get("serving_events_repeated")).isEqualTo(2);
  }

  @Test
  void eventOfTheFutureWaitsForATick_andIsRefusedWhenThatIsFarBehind() {
    event(event("first", 3));
    tick(0);
    event(event("ahead", 100));
    event(event("far", 100_000));
    assertThat(tally.get("serving_events_waiting")).isEqualTo(2);
    tick(50);
    sequencer.finish();
    assertThat(out.places())
        .containsExactly("13.0 EVENT image-gen event/first", "110.0 EVENT image-gen event/ahead");
    assertThat(out.rejected).containsExactly("future_time test");
    assertThat(tally.get("serving_events_waiting")).isZero();
  }

  @Test
  void refusesWhatHasNoPlaceAmongServingEvents() {
    event(TestEvents.request("r", START, 1));
    assertThat(out.rejected).containsExactly("wrong_topic test");
  }

  /** A lane of the input: what to do, in order. */
  record Lane(List<Consumer<JudgeSequencer>> calls) {}

  static List<Lane> lanes(long seed, int eventLanes, SplittableRandom disorder) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Consumer<JudgeSequencer>> latency = new ArrayList<>();
    List<Consumer<JudgeSequencer>> scores = new ArrayList<>();
    for (int end = 60; end <= LENGTH.toSeconds() + 300; end += 60) {
      for (String deployment : List.of("a", "b")) {
        if (end <= LENGTH.toSeconds() && random.nextInt(4) > 0) {
          MergedPane pane = pane(deployment, PaneKind.LATENCY, end);
          latency.add(sequencer -> sequencer.pane(pane));
        }
        if (end <= LENGTH.toSeconds() && random.nextInt(4) > 0) {
          MergedPane pane = pane(deployment, PaneKind.SCORE, end);
          scores.add(sequencer -> sequencer.pane(pane));
        }
      }
      long passed = micros(at(end));
      latency.add(sequencer -> sequencer.passed(PaneKind.LATENCY, passed));
      scores.add(sequencer -> sequencer.passed(PaneKind.SCORE, passed));
    }
    List<Lane> lanes = new ArrayList<>(List.of(new Lane(latency), new Lane(scores)));
    for (int lane = 0; lane < eventLanes; lane++) {
      lanes.add(new Lane(eventLane(lane, random.split(), disorder)));
    }
    return lanes;
  }

  /** Events come up to 9 s after their time, some of them twice, some much too late. */
  private static List<Consumer<JudgeSequencer>> eventLane(
      int lane, SplittableRandom random, SplittableRandom disorder) {
    record Arrival(double when, SpecificRecord record) {}
    List<Arrival> arrivals = new ArrayList<>();
    for (int second = 0; second <= LENGTH.toSeconds() + 200; second++) {
      arrivals.add(new Arrival(second, TestEvents.tick(at(second))));
    }
    for (int i = 0; i < 60; i++) {
      double at = random.nextInt((int) LENGTH.toSeconds());
      SpecificRecord record =
          i % 5 == 0 ? decision("d-" + lane + "-" + i, at) : event("e-" + lane + "-" + i, at);
      boolean late = random.nextInt(6) == 0;
      double delay = late ? 100.5 : disorder.nextDouble() * 9;
      arrivals.add(new Arrival(at + delay, record));
      if (disorder.nextInt(5) == 0) {
        arrivals.add(new Arrival(at + delay + disorder.nextDouble() * 9, record));
      }
    }
    arrivals.sort(Comparator.comparingDouble(Arrival::when));
    return arrivals.stream()
        .<Consumer<JudgeSequencer>>map(
            arrival -> sequencer -> sequencer.event(lane, arrival.record(), "test"))
        .toList();
  }

  static List<Consumer<JudgeSequencer>> interleaved(List<Lane> lanes, SplittableRandom random) {
    int[] next = new int[lanes.size()];
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < lanes.size(); i++) {
      open.add(i);
    }
    List<Consumer<JudgeSequencer>> reading = new ArrayList<>();
    while (!open.isEmpty()) {
      int pick = random.nextInt(open.size());
      int lane = open.get(pick);
      List<Consumer<JudgeSequencer>> calls = lanes.get(lane).calls();
      for (int burst = 1 + random.nextInt(100); burst > 0 && next[lane] < calls.size(); burst--) {
        reading.add(calls.get(next[lane]++));
      }
      if (next[lane] == calls.size()) {
        open.remove(pick);
      }
    }
    return reading;
  }

  @Property(tries = 60)
  void orderIsEqual_forAnyInterleavingDelayWithinGraceAndRepeats(
      @ForAll long seed, @ForAll long disorder, @ForAll @IntRange(min = 1, max = 4) int lanes) {
    SplittableRandom random = new SplittableRandom(disorder);
    Steps expected = new Steps(StateJournal.NONE);
    JudgeSequencer one =
        new JudgeSequencer(lanes, SETTINGS, expected, StateJournal.NONE, new Tally());
    interleaved(lanes(seed, lanes, new SplittableRandom(1)), new SplittableRandom(2))
        .forEach(call -> call.accept(one));

    Steps actual = new Steps(StateJournal.NONE);
    JudgeSequencer other =
        new JudgeSequencer(lanes, SETTINGS, actual, StateJournal.NONE, new Tally());
    interleaved(lanes(seed, lanes, random), random).forEach(call -> call.accept(other));

    assertThat(actual.steps).isEqualTo(expected.steps);
    assertThat(actual.steps).hasSizeGreaterThan(100);
    one.finish();
    assertThat(expected.steps).as("nothing was held back").isEqualTo(actual.steps);
  }

  @Property(tries = 40)
  void orderIsExact_whenItDiesAndReadsItsJournal(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Consumer<JudgeSequencer>> reading = interleaved(lanes(seed, 1, random), random);
    Steps undisturbed = new Steps(StateJournal.NONE);
    JudgeSequencer alive =
        new JudgeSequencer(1, SETTINGS, undisturbed, StateJournal.NONE, new Tally());
    reading.forEach(call -> call.accept(alive));

    MemoryJournal journal = new MemoryJournal();
    Steps restarted = new Steps(journal);
    Tally levels = new Tally();
    JudgeSequencer current = new JudgeSequencer(1, SETTINGS, restarted, journal, levels);
    for (Consumer<JudgeSequencer> call : reading) {
      if (random.nextInt(25) == 0) {
        current.close();
        current = new JudgeSequencer(1, SETTINGS, restarted, journal, levels);
        new TreeMap<>(journal.records).forEach(current::restore);
        assertThat(current.restored()).isEmpty();
      }
      call.accept(current);
    }
    assertThat(restarted.steps).isEqualTo(undisturbed.steps);
    assertThat(levels.get("serving_events_waiting")).isZero();
    assertThat(journal.records).hasSizeLessThan(40);
  }
}

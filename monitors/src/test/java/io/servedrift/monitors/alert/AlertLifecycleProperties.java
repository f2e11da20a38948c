package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.AlertState;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What holds for every course of findings, restarts included. */
class AlertLifecycleProperties {
  private static final AlertTimings TIMINGS = TestFinding.TIMINGS;

  /** A version of one of a few findings of two incidents, then a pause, then perhaps a restart. */
  record Step(int finding, Severity severity, FindingState state, int seconds, boolean restart) {
    TestFinding version() {
      String[] metrics = {"latency", "clip", "queue", "latency"};
      return TestFinding.of("f" + finding)
          .in("inc-" + finding % 2)
          .about(metrics[finding % 4], "mean")
          .as(severity)
          .now(state)
          .because("cache", seconds / 1000.0);
    }
  }

  /** The core with its topic; remembers what was said. */
  private static final class Run {
    private AlertBook book = new AlertBook(TIMINGS, TestFinding.LINKS);
    private final Map<AlertKey, AlertState> topic = new TreeMap<>();
    private final List<AlertMessage> said = new ArrayList<>();
    private Instant now = TestFinding.DETECTED.plusSeconds(1);

    void take(Step step) {
      observe(step);
      said.addAll(commit());
      if (step.restart()) {
        book = new AlertBook(TIMINGS, TestFinding.LINKS);
        topic.values().forEach(book::load);
      }
      now = now.plusSeconds(step.seconds());
      said.addAll(commit());
    }

    /** Detected just now: findings reach the forwarder within seconds. */
    void observe(Step step) {
      book.observe(step.version().detected(now.minusSeconds(1)).view(), now);
    }

    List<AlertMessage> commit() {
      book.expire(now);
      book.takeChanges()
          .forEach(
              (key, state) ->
                  state.ifPresentOrElse(s -> topic.put(key, s), () -> topic.remove(key)));
      return book.due(now);
    }
  }

  private static Run run(List<Step> steps) {
    Run run = new Run();
    steps.forEach(run::take);
    return run;
  }

  @Provide
  Arbitrary<List<Step>> courses() {
    Arbitrary<Step> step =
        Combinators.combine(
                Arbitraries.integers().between(0, 7),
                Arbitraries.of(Severity.PAGE, Severity.TICKET, Severity.INFO),
                Arbitraries.frequencyOf(
                    Tuple.of(3, Arbitraries.just(FindingState.OPEN)),
                    Tuple.of(1, Arbitraries.just(FindingState.CLOSED)),
                    Tuple.of(1, Arbitraries.just(FindingState.ACCEPTED))),
                Arbitraries.of(0, 1, 30, 61, 400, 1000),
                Arbitraries.of(true, false, false))
            .as(Step::new);
    return step.list().ofMinSize(1).ofMaxSize(40);
  }

  /** Alertmanager knows an alert by its labels; its start tells one firing from the next. */
  @Property(tries = 400)
  void labelsStay_andEveryFiringHasOneStartAndOneEnd(@ForAll("courses") List<Step> steps) {
    Map<AlertKey, AlertMessage> last = new HashMap<>();
    for (AlertMessage message : run(steps).said) {
      assertThat(message.key().labels().keySet()).containsExactlyElementsOf(AlertKey.NAMES);
      assertThat(message.key().labels().values()).noneMatch(String::isEmpty);
      assertThat(message.endsAt()).isAfterOrEqualTo(message.startsAt());
      AlertMessage before = last.put(message.key(), message);
      if (before == null) {
        continue;
      }
      if (before.resolved() && message.resolved()) {
        assertThat(message.endsAt()).isEqualTo(before.endsAt());
        assertThat(message.startsAt()).isEqualTo(before.startsAt());
      } else if (before.resolved()) {
        assertThat(message.startsAt()).as("no overlap").isAfterOrEqualTo(before.endsAt());
      } else {
        assertThat(message.startsAt()).isEqualTo(before.startsAt());
      }
    }
  }

  @Property(tries = 400)
  void everyOpenFindingIsInAnAlertThatFires_andNoOtherAlertFires(
      @ForAll("courses") List<Step> steps) {
    Run run = run(steps);
    Map<String, Step> open = new TreeMap<>();
    Set<String> over = new HashSet<>();
    for (Step step : steps) {
      String id = step.version().id();
      if (step.state() != FindingState.OPEN) {
        over.add(id);
        open.remove(id);
      } else if (step.severity() == Severity.INFO) {
        open.remove(id);
      } else if (!over.contains(id)) {
        open.put(id, step);
      }
    }
    // A closed finding that nobody alerted on is not remembered: leave courses that reopen it out.
    Assume.that(neverOpensAgain(steps));
    Set<String> covered = new HashSet<>();
    for (AlertState state : run.topic.values()) {
      if (state.getEndsAt() == null) {
        state.getMembers().stream()
            .filter(one -> one.getOpen())
            .forEach(one -> covered.add(one.getFindingId()));
        AlertSeverity severity = AlertKey.parse(state.getAlertKey()).severity();
        assertThat(state.getMembers())
            .anyMatch(
                one ->
                    one.getOpen()
                        && AlertKey.parse(one.getAlertKey()).severity().compareTo(severity) >= 0);
      }
    }
    assertThat(covered).isEqualTo(open.keySet());
    assertThat(open.values().stream().anyMatch(one -> one.severity() == Severity.PAGE))
        .isEqualTo(run.book.firing().get(AlertSeverity.PAGE) > 0);
  }

  private static boolean neverOpensAgain(List<Step> steps) {
    Set<Integer> over = new HashSet<>();
    for (Step step : steps) {
      if (step.state() != FindingState.OPEN) {
        over.add(step.finding());
      } else if (over.contains(step.finding())) {
        return false;
      }
    }
    return true;
  }

  @Property(tries = 400)
  void aRestartChangesNothingThatIsStored(@ForAll("courses") List<Step> steps) {
    List<Step> without =
        steps.stream()
            .map(s -> new Step(s.finding(), s.severity(), s.state(), s.seconds(), false))
            .toList();
    Run restarted = run(steps);
    Run straight = run(without);
    assertThat(restarted.topic).isEqualTo(straight.topic);
  }

  @Property(tries = 400)
  void twiceDeliveredIsOnceDelivered(@ForAll("courses") List<Step> steps) {
    Run once = run(steps);
    Run twice = new Run();
    for (Step step : steps) {
      twice.observe(step);
      twice.take(step);
    }
    assertThat(twice.topic).isEqualTo(once.topic);
  }
}

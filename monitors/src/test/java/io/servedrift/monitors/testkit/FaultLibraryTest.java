package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.servedrift.monitors.pane.Covariate;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FaultLibraryTest {
  private static final Duration ONSET = Duration.ofMinutes(15);
  private static final Duration LENGTH = Duration.ofMinutes(30);
  private static final SimulatorSettings IMAGE =
      SimulatorSettings.image(21, LENGTH).withLoad(3, 3).withCache(800L << 20, 70L << 20);
  private static final SimulatorSettings TEXT =
      SimulatorSettings.text(22, LENGTH).withCache(200L << 20, 8L << 20);
  private static final Map<SimulatorSettings, Run> UNTOUCHED = new HashMap<>();

  /** Requests and scores of one simulation. */
  private record Run(Map<String, RequestEvent> requests, Map<String, Double> scores) {
    static Run of(List<SpecificRecord> events) {
      Map<String, RequestEvent> requests = new HashMap<>();
      Map<String, Double> scores = new HashMap<>();
      for (SpecificRecord event : events) {
        if (event instanceof RequestEvent request) {
          requests.put(request.getRequestId(), request);
          request
              .getScores()
              .forEach((name, value) -> scores.put(request.getRequestId() + "/" + name, value));
        } else if (event instanceof ScoreEvent score) {
          scores.put(score.getRequestId() + "/" + score.getName(), score.getValue());
        }
      }
      return new Run(requests, scores);
    }

    List<RequestEvent> served(Predicate<RequestEvent> condition) {
      return requests.values().stream()
          .filter(e -> e.getStatus() == RequestStatus.OK)
          .filter(condition)
          .toList();
    }

    double meanScore(String name, Predicate<RequestEvent> condition) {
      return served(condition).stream()
          .mapToDouble(e -> scores.get(e.getRequestId() + "/" + name))
          .average()
          .orElseThrow();
    }

    double share(Predicate<RequestEvent> condition, Predicate<RequestEvent> among) {
      return served(among).stream().filter(condition).count() / (double) served(among).size();
    }

    double quantile(double q, Predicate<RequestEvent> condition) {
      double[] sorted =
          served(condition).stream()
              .mapToDouble(RequestEvent::getLatencySeconds)
              .sorted()
              .toArray();
      return sorted[(int) Math.ceil(q * sorted.length) - 1];
    }
  }

  private static Run run(SimulatorSettings settings, Fault fault) {
    return Run.of(Scenario.of(settings, fault).events());
  }

  /** The same traffic in which nothing happens. */
  private static synchronized Run untouched(SimulatorSettings settings) {
    return UNTOUCHED.computeIfAbsent(
        settings, s -> Run.of(new ServingSimulator(s, List.of(FaultLibrary.baseline())).events()));
  }

  private static boolean after(RequestEvent e, SimulatorSettings settings) {
    return !end(e).isBefore(settings.start().plus(ONSET));
  }

  private static Instant end(RequestEvent e) {
    return e.getFinishedAt();
  }

  /** The cell by the monitor's own catalogue of covariates. */
  private static boolean inCell(RequestEvent e, Map<String, String> where) {
    for (Covariate covariate : Covariate.values()) {
      String wanted = where.get(covariate.label());
      if (wanted != null && !covariate.bucketOf(e).equals(wanted)) {
        return false;
      }
    }
    return true;
  }

  static Stream<Fault> faultsOfScoresOnImages() {
    return Stream.of(
        FaultLibrary.joinedMidwayLosesClip(ONSET, 0.02),
        FaultLibrary.mixedAdaptersLoseClip(ONSET, 0.03),
        FaultLibrary.cacheHitsLoseClip(ONSET, 0.02),
        FaultLibrary.nodeLosesClip(ONSET, 1, 0.04),
        FaultLibrary.precisionHurtsAll(ONSET, "clip", 0.01),
        FaultLibrary.modelChanges(ONSET, "clip", 0.01),
        FaultLibrary.nothingRecorded(ONSET, "clip", 0.01),
        FaultLibrary.scorerChanges(ONSET, "clip", 0.02));
  }

  @ParameterizedTest
  @MethodSource("faultsOfScoresOnImages")
  void movesExactlyTheRequestsOfItsCell_whenAScoreIsHurt(Fault fault) {
    assertMovesItsCellOnly(IMAGE, fault, "clip");
  }

  static Stream<Fault> faultsOfScoresOnText() {
    return Stream.of(
        FaultLibrary.hostTierLoses(ONSET, "accuracy", 0.4),
        FaultLibrary.int4HurtsArithmetic(ONSET, 0.25));
  }

  @ParameterizedTest
  @MethodSource("faultsOfScoresOnText")
  void movesExactlyTheRequestsOfItsCell_whenAnswersAreHurt(Fault fault) {
    assertMovesItsCellOnly(TEXT, fault, "accuracy");
  }

  /** Against the same requests without the fault: latencies stay, scores move in the cell only. */
  private static void assertMovesItsCellOnly(
      SimulatorSettings settings, Fault fault, String score) {
    Run before = untouched(settings);
    Run with = run(settings, fault);
    assertThat(with.requests.keySet().equals(before.requests.keySet())).isTrue();
    int inside = 0;
    int moved = 0;
    for (RequestEvent e : with.served(r -> true)) {
      RequestEvent was = before.requests.get(e.getRequestId());
      assertThat(e.getLatencySeconds()).isEqualTo(was.getLatencySeconds());
      String key = e.getRequestId() + "/" + score;
      boolean guilty = after(e, settings) && inCell(e, fault.truth().where());
      inside += guilty ? 1 : 0;
      moved += with.scores.get(key).equals(before.scores.get(key)) ? 0 : 1;
      if (!guilty) {
        assertThat(with.scores.get(key)).as(key).isEqualTo(before.scores.get(key));
      }
    }
    assertThat(inside).isGreaterThan(50);
    // Scores of 0 or 1 move with the probability that is taken from them.
    int least = score.equals("clip") ? inside : inside / 8;
    assertThat(moved).isBetween(least, inside);
  }

  @Test
  void costsInProportion_whenEveryBatchMemberCosts() {
    Run before = untouched(IMAGE);
    Run with = run(IMAGE, FaultLibrary.batchMembersCostClip(ONSET, 0.006));
    for (RequestEvent e : with.served(r -> after(r, IMAGE))) {
      String key = e.getRequestId() + "/clip";
      double lost = 0.006 * (e.getBatch().getSizeMax() - 1);
      assertThat(with.scores.get(key))
          .isCloseTo(Math.max(0, before.scores.get(key) - lost), offset(1e-9));
    }
  }

  @Test
  void fadesOut_whenStaleEntriesAreReplaced() {
    SimulatorSettings longer = SimulatorSettings.image(23, Duration.ofHours(2));
    Run with = run(longer, FaultLibrary.staleEntries(ONSET, 0.04));
    Run before = untouched(longer);
    Instant onset = longer.start().plus(ONSET);
    double early = lossOfHits(before, with, onset, onset.plusSeconds(600));
    double late = lossOfHits(before, with, onset.plusSeconds(5_400), onset.plusSeconds(6_300));
    assertThat(early).isBetween(0.02, 0.04);
    assertThat(late).isBetween(0.0, 0.75 * early);
  }

  private static double lossOfHits(Run before, Run with, Instant from, Instant to) {
    Predicate<RequestEvent> hits =
        e -> e.getCache().getHit() && end(e).isAfter(from) && end(e).isBefore(to);
    return before.meanScore("clip", hits) - with.meanScore("clip", hits);
  }

  @Test
  void slowsOnlyLargeBatches_whenTheyLeaveTheGraph() {
    Run before = untouched(IMAGE);
    Run with = run(IMAGE, FaultLibrary.largeBatchesSlow(ONSET, 6, 0.3, 3));
    int large = 0;
    int slowed = 0;
    for (RequestEvent e : with.served(r -> r.getFinishedAt().isAfter(IMAGE.start().plus(ONSET)))) {
      RequestEvent was = before.requests.get(e.getRequestId());
      double ratio = e.getInferenceSeconds() / was.getInferenceSeconds();
      boolean guilty = e.getBatch().getSizeMax() >= 6;
      large += guilty ? 1 : 0;
      slowed += ratio > 1.001 ? 1 : 0;
      assertThat(ratio).isCloseTo(ratio > 1.001 ? 3 : 1, offset(1e-3));
      assertThat(guilty || ratio < 1.001).isTrue();
    }
    double sd = Math.sqrt(0.3 * 0.7 / large);
    assertThat(slowed / (double) large).isCloseTo(0.3, offset(5 * sd));
  }

  @Test
  void waitsLongerWithoutComputingLonger_whenQueueingGrows() {
    Run before = untouched(IMAGE);
    Run with = run(IMAGE, FaultLibrary.extraQueueing(ONSET, 0.25, 2.5));
    Instant settled = IMAGE.start().plus(ONSET).plusSeconds(60);
    Predicate<RequestEvent> later = e -> e.getArrivedAt().isAfter(settled);
    double extra = 0;
    for (RequestEvent e : with.served(later)) {
      RequestEvent was = before.requests.get(e.getRequestId());
      extra += e.getQueueSeconds() - was.getQueueSeconds();
      assertThat(e.getInferenceSeconds()).isCloseTo(was.getInferenceSeconds(), offset(1e-5));
    }
    int n = with.served(later).size();
    // A quarter of exponential waits with mean 2.5: mean 0.625, sd 1.65.
    assertThat(extra / n).isCloseTo(0.625, offset(5 * 1.65 / Math.sqrt(n)));
  }

  @Test
  void stallsStepsForAllOfABatch_whenTurnsInterleave() {
    Run before = untouched(IMAGE);
    Run with = run(IMAGE, FaultLibrary.stepsStall(ONSET, 0.03, 1));
    Predicate<RequestEvent> later = e -> after(e, IMAGE);
    assertThat(before.share(e -> e.getScheduling().getStalledSteps() > 0, later)).isZero();
    // 20 to 50 steps at 3 % each.
    assertThat(with.share(e -> e.getScheduling().getStalledSteps() > 0, later))
        .isBetween(0.45, 0.75);
    assertThat(with.quantile(0.5, later)).isGreaterThan(1.2 * before.quantile(0.5, later));
  }

  @Test
  void preemptsAboutOneInEight_whenMemoryIsShort() {
    SimulatorSettings busy = SimulatorSettings.image(24, LENGTH).withLoad(4, 2).withDiurnal(0);
    Run with = run(busy, FaultLibrary.preemptionPressure(ONSET, 15, 1.9));
    Predicate<RequestEvent> preempted = e -> e.getScheduling().getPreemptions() > 0;
    double before = with.share(preempted, e -> !after(e, busy));
    double later = with.share(preempted, e -> after(e, busy));
    assertThat(before).isLessThan(0.04);
    assertThat(later).isGreaterThan(0.12);
    assertThat(with.quantile(0.5, e -> after(e, busy) && preempted.test(e)))
        .isGreaterThan(1.4 * with.quantile(0.5, e -> after(e, busy) && !preempted.test(e)));
  }

  @Test
  void slowsAndFailsItsNodeOnly_whenANodeIsBad() {
    Predicate<RequestEvent> bad = e -> "gpu-1".equals(e.getNode()) && after(e, IMAGE);
    Predicate<RequestEvent> good = e -> !"gpu-1".equals(e.getNode()) && after(e, IMAGE);
    Run slow = run(IMAGE, FaultLibrary.nodeSlows(ONSET, 1, 1.5));
    assertThat(slow.quantile(0.5, bad)).isGreaterThan(1.2 * slow.quantile(0.5, good));
    Run failing = run(IMAGE, FaultLibrary.nodeFails(ONSET, 1, 0.2));
    long failed =
        failing.requests.values().stream()
            .filter(bad.and(e -> e.getStatus() == RequestStatus.ERROR))
            .count();
    long all = failing.requests.values().stream().filter(bad).count();
    double sd = Math.sqrt(0.2 * 0.8 / all);
    assertThat(failed / (double) all).isCloseTo(0.2, offset(5 * sd));
    double others =
        failing.requests.values().stream()
                .filter(good.and(e -> e.getStatus() == RequestStatus.ERROR))
                .count()
            / (double) failing.requests.values().stream().filter(good).count();
    assertThat(others).isLessThan(0.02);
  }

  @Test
  void lowersScoresThroughMisses_whenLoadEvicts() {
    SimulatorSettings tight =
        SimulatorSettings.image(25, Duration.ofHours(2))
            .withLoad(3, 3)
            .steady()
            .withCache(800L << 20, 70L << 20);
    Duration onset = Duration.ofHours(1);
    Run run = run(tight, FaultLibrary.loadEvicts(onset, 2, 0.02));
    Instant at = tight.start().plus(onset);
    Predicate<RequestEvent> warm = e -> end(e).isAfter(tight.start().plusSeconds(900));
    Predicate<RequestEvent> before = warm.and(e -> end(e).isBefore(at));
    Predicate<RequestEvent> later = e -> end(e).isAfter(at.plusSeconds(300));
    double hitsBefore = run.share(e -> e.getCache().getHit(), before);
    double hitsLater = run.share(e -> e.getCache().getHit(), later);
    assertThat(hitsLater).isLessThan(0.75 * hitsBefore);
    // Within a class hits and misses keep their levels: only the share of misses moves.
    Predicate<RequestEvent> portraitMiss =
        e -> e.getWorkload().getPromptClass().equals("portrait") && !e.getCache().getHit();
    assertThat(run.meanScore("clip", later.and(portraitMiss)))
        .isCloseTo(run.meanScore("clip", before.and(portraitMiss)), offset(0.005));
    Predicate<RequestEvent> portraitHit =
        e -> e.getWorkload().getPromptClass().equals("portrait") && e.getCache().getHit();
    assertThat(
            run.meanScore("clip", later.and(portraitHit))
                - run.meanScore("clip", later.and(portraitMiss)))
        .isCloseTo(0.02, offset(0.005));
  }

  @Test
  void cannotBeToldApart_whenHitsAndLargeBatchesCoincide() {
    for (double load : new double[] {1, 5}) {
      SimulatorSettings one = SimulatorSettings.image(26, LENGTH).withLoad(load, 2).withDiurnal(0);
      Run run = run(one, FaultLibrary.hitsAndLargeBatchesCoincide(ONSET, 0.03));
      assertThat(run.share(e -> e.getCache().getHit() == e.getBatch().getSizeMax() >= 8, e -> true))
          .isEqualTo(1);
      assertThat(run.share(e -> e.getCache().getHit(), e -> true)).isBetween(0.15, 0.4);
    }
  }

  @Test
  void passesMoreAndAnswersWorse_whenAConstraintComes() {
    Run run = run(TEXT, FaultLibrary.constraintIntroduced(ONSET));
    Predicate<RequestEvent> later = e -> after(e, TEXT);
    Predicate<RequestEvent> before = later.negate();
    assertThat(run.share(e -> e.getWorkload().getConstrained().getMode().equals("json"), later))
        .isGreaterThan(0.97);
    assertThat(run.meanScore("json_valid", later))
        .isGreaterThan(run.meanScore("json_valid", before) + 0.01);
    assertThat(run.meanScore("accuracy", later))
        .isLessThan(run.meanScore("accuracy", before) - 0.01);
    assertThat(configs(run, later)).hasSize(2); // some began before the switch
  }

  private static Set<String> configs(Run run, Predicate<RequestEvent> condition) {
    Set<String> ids = new HashSet<>();
    run.served(condition).forEach(e -> ids.add(e.getConfigId()));
    return ids;
  }

  @Test
  void breaksParityAndKeepsScores_whenOnlyTheBitsDiffer() {
    Run before = untouched(IMAGE);
    Run with = run(IMAGE, FaultLibrary.otherBits(ONSET));
    assertThat(with.scores.equals(before.scores)).isTrue();
    for (RequestEvent e : with.served(r -> true)) {
      boolean same =
          e.getOutput()
              .getSha256()
              .equals(before.requests.get(e.getRequestId()).getOutput().getSha256());
      assertThat(same).isEqualTo(!after(e, IMAGE));
    }
  }

  static Stream<Fault> controls() {
    return Stream.of(
        FaultLibrary.frequentFlushes(Duration.ofMinutes(2), LENGTH),
        FaultLibrary.oneUserBurst(ONSET, Duration.ofMinutes(5), 600, 0),
        FaultLibrary.rollingRestart(ONSET, 3, Duration.ofMinutes(1)),
        FaultLibrary.outliers(ONSET, 3, 120),
        FaultLibrary.frequentDeployEvents(Duration.ofMinutes(7), LENGTH),
        FaultLibrary.loadRises(ONSET, 1.5),
        FaultLibrary.mixChanges(ONSET, 3, 4));
  }

  /** A score is a matter of class and noise; five standard errors, drift of the topic included. */
  @ParameterizedTest
  @MethodSource("controls")
  void keepsTheScoresOfAClass_whenItIsNoFaultOfServing(Fault fault) {
    assertThat(fault.truth().alerts()).isFalse();
    Run run = run(IMAGE, fault);
    for (PromptClass promptClass : IMAGE.classes()) {
      Predicate<RequestEvent> ofClass =
          e -> e.getWorkload().getPromptClass().equals(promptClass.name()) && after(e, IMAGE);
      int n = run.served(ofClass).size();
      double error = Math.sqrt(0.03 * 0.03 / n + 0.002 * 0.002 * 39 / 15.0);
      assertThat(run.meanScore("clip", ofClass))
          .as(promptClass.name())
          .isCloseTo(promptClass.clip(), offset(5 * error));
    }
  }

  @Test
  void raisesMeanLatency_whenOnlyLoadRises() {
    Run before = untouched(IMAGE);
    Run with = run(IMAGE, FaultLibrary.loadRises(ONSET, 1.5));
    Predicate<RequestEvent> later = e -> after(e, IMAGE);
    assertThat(with.quantile(0.5, later)).isGreaterThan(1.1 * before.quantile(0.5, later));
  }

  @Test
  void lowersTheMeanAndRaisesTheTailInBusyHours_whenTheRuntimeIsMigrated() {
    Duration onset = Duration.ofHours(20);
    Scenario scenario = Scenario.migration(27, onset, Duration.ofHours(42));
    Run run = Run.of(scenario.events());
    Instant at = scenario.onset();
    Predicate<RequestEvent> before = e -> end(e).isBefore(at);
    Predicate<RequestEvent> later = e -> e.getArrivedAt().isAfter(at.plusSeconds(60));
    assertThat(run.quantile(0.99, before)).isBetween(3.8, 4.7);
    assertThat(meanLatency(run, later)).isLessThan(0.95 * meanLatency(run, before));
    double busiest = 0;
    for (int hour = 0; hour < 22; hour++) {
      Instant from = at.plusSeconds(hour * 3_600L);
      busiest =
          Math.max(
              busiest,
              run.quantile(
                  0.99,
                  later.and(
                      e -> end(e).isAfter(from) && end(e).isBefore(from.plusSeconds(3_600)))));
    }
    assertThat(busiest).isGreaterThan(1.2 * run.quantile(0.99, before));
    assertThat(run.share(e -> e.getBatch().getSizeMax() == 1 && !e.getCache().getHit(), before))
        .isEqualTo(1);
    Predicate<RequestEvent> guilty =
        later.and(e -> e.getCache().getHit() && e.getBatch().getSizeMax() >= 8);
    double share = run.share(guilty, later);
    assertThat(share).isBetween(0.03, 0.15);
    Predicate<RequestEvent> portraits = e -> e.getWorkload().getPromptClass().equals("portrait");
    assertThat(
            run.meanScore("clip", before.and(portraits))
                - run.meanScore("clip", guilty.and(portraits)))
        .isCloseTo(0.03, offset(0.005));
    Predicate<RequestEvent> clean =
        later.and(e -> !e.getCache().getHit() && e.getBatch().getSizeMax() <= 3);
    assertThat(run.meanScore("clip", clean.and(portraits)))
        .isCloseTo(run.meanScore("clip", before.and(portraits)), offset(0.002));
    assertThat(modelIds(run)).hasSize(1);
  }

  private static Set<String> modelIds(Run run) {
    Set<String> ids = new HashSet<>();
    run.served(e -> true).forEach(e -> ids.add(e.getModelId()));
    return ids;
  }

  private static double meanLatency(Run run, Predicate<RequestEvent> condition) {
    return run.served(condition).stream()
        .mapToDouble(RequestEvent::getLatencySeconds)
        .average()
        .orElseThrow();
  }

  @Test
  void namesEachFaultOnceAndCoversEveryCause_whenListed() {
    List<Fault> all = new ArrayList<>(FaultLibrary.onImages(ONSET, LENGTH));
    all.addAll(FaultLibrary.onText(ONSET));
    Set<String> cases = new HashSet<>();
    all.forEach(fault -> cases.add(fault.name() + " " + fault.truth().metrics()));
    assertThat(cases).hasSameSizeAs(all);
    Set<CauseLabel> causes = new HashSet<>();
    all.forEach(fault -> causes.add(fault.truth().cause()));
    assertThat(causes).containsExactlyInAnyOrder(CauseLabel.values());
    Set<String> labels = new HashSet<>();
    Arrays.stream(Covariate.values()).forEach(covariate -> labels.add(covariate.label()));
    assertThat(all).allMatch(fault -> labels.containsAll(fault.truth().where().keySet()));
    assertThat(all).allMatch(fault -> !fault.pattern().isEmpty());
  }

  @Test
  void reportsItsEvents_whenAFaultHasSome() {
    List<SpecificRecord> events =
        Scenario.of(
                IMAGE,
                FaultLibrary.batchLimitRaised(ONSET, 4, 16, 0.006),
                FaultLibrary.frequentFlushes(Duration.ofMinutes(2), LENGTH))
            .events();
    List<ServingEvent> serving =
        events.stream()
            .filter(ServingEvent.class::isInstance)
            .map(ServingEvent.class::cast)
            .toList();
    assertThat(serving).hasSize(1 + 14);
    Run run = Run.of(events);
    assertThat(run.served(e -> !after(e, IMAGE))).allMatch(e -> e.getBatch().getSizeMax() <= 4);
    assertThat(run.share(e -> e.getBatch().getSizeMax() > 4, e -> after(e, IMAGE)))
        .isGreaterThan(0.1);
  }
}

package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.testkit.AcceptanceRow.Met;
import io.servedrift.monitors.testkit.ScenarioScorer.Share;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of the acceptance table that have to hold in any single run, and its arithmetic. */
class AcceptanceQuickTest {
  private static final long SEED = 1;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "other bits at equal scores",
        "a cache flushed every 2 minutes",
        "30 requests an hour, unchanged for 10 days"
      })
  void tellsNobody_whenNothingIsWrong(String name) {
    JudgedScenario run = JudgedScenario.of(ProductPart.Silence.cases().get(name).apply(SEED));
    assertThat(run.alerts()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cache hits lose clip", "node loses CLIP", "nothing recorded, 0.5 sd"})
  void namesTheCauseWithinHalfAnHour_twoHoursAfterTheFirstStart(String name) {
    ProductPart.Young young = new ProductPart.Young(true);
    ProductPart.Young.Injected fault =
        young.cases().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    JudgedScenario run = JudgedScenario.of(young.scenario(SEED, fault));
    ScenarioScorer scorer = new ScenarioScorer();
    scorer.add(run.observation(name, Duration.ofMinutes(30)));
    ScenarioScorer.Row row = scorer.total();
    assertThat(row.falseAlarms().alarms()).as("%s", run.said()).isZero();
    assertThat(row.causeRight().hits()).as("%s", run.said()).isOne();
  }

  /** Its neighbours' requests never get as far into the tail, so the tail alone names the batch. */
  @Test
  void saysNode_whenASlowOneGathersLargerBatches() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(5029, true));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.NODE);
    assertThat(run.sinceOnset())
        .filteredOn(said -> run.scenario().truth().metrics().contains(said.metric()))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.NODE);
  }

  /** At the p90 one node is apart, as the load fell; beyond the p99.9 all nodes' requests are. */
  @Test
  void saysScheduling_whenRequestsWaitOnEveryNode() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(11018, false));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.SCHEDULING);
    assertThat(run.sinceOnset())
        .filteredOn(said -> run.scenario().truth().metrics().contains(said.metric()))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.SCHEDULING);
  }

  @Test
  void saysJoined_whenMostOfTheCleanPathWasJoined() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(5033, true));
    assertThat(run.scenario().truth().where()).containsEntry("composition", "joined");
    assertThat(run.sinceOnset())
        .filteredOn(said -> said.metric().equals("clip"))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.BATCHING)
        .allMatch(said -> said.where().containsKey("composition"));
  }

  /** A quarter of the requests waits, while more load than ever makes larger batches than ever. */
  @Test
  void saysScheduling_whenRequestsWaitWhereBatchesHaveRoom() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(6015, false));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.SCHEDULING);
    assertThat(run.sinceOnset())
        .filteredOn(said -> run.scenario().truth().metrics().contains(said.metric()))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.SCHEDULING);
  }

  /** Near saturation its queue slows every node's requests; what is computed shows which it is. */
  @Test
  void saysNode_whenAllRequestsWaitBehindASlowOne() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(6026, false));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.NODE);
    assertThat(run.sinceOnset())
        .filteredOn(said -> run.scenario().truth().metrics().contains(said.metric()))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.NODE);
  }

  @Test
  void saysModel_whenItChangedAndHardlyARequestRanUndisturbed() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(7030, false));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.MODEL);
    assertThat(run.sinceOnset())
        .filteredOn(said -> said.metric().equals("clip"))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.MODEL);
  }

  /** The tail alarms first, and a dozen untouched requests have no tail that says anything. */
  @Test
  void saysWhatTheMeanSays_whenTheTailCannotTell() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(9217, false));
    assertThat(run.scenario().truth().where()).containsEntry("composition", "joined");
    assertThat(run.sinceOnset())
        .filteredOn(said -> said.metric().equals("clip"))
        .anyMatch(said -> said.statistic().equals("tail") && said.why().contains("the mean moved"))
        .allMatch(said -> said.cause() == CauseLabel.BATCHING)
        .allMatch(said -> said.where().containsKey("composition"));
  }

  /** So little that only the tail is found, an hour later, in batches of eight as well. */
  @Test
  void saysModel_whenItChangedAndTheShiftIsSmall() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(9218, false));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.MODEL);
    assertThat(run.sinceOnset())
        .filteredOn(said -> said.metric().equals("clip"))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.MODEL);
  }

  @Test
  void saysThatNobodyCanTell_whenEveryHitRunsInALargeBatch() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.collinear(9301, false));
    assertThat(run.sinceOnset())
        .filteredOn(said -> said.metric().equals("clip"))
        .isNotEmpty()
        .allMatch(said -> said.cause() == CauseLabel.INCONCLUSIVE)
        .anyMatch(said -> said.why().contains("coincide"));
  }

  /** As many requests as before, more of them of the longest class. */
  @Test
  void blamesNothingInServing_whenLongerRequestsFillTheBatches() {
    JudgedScenario run = JudgedScenario.of(RandomScenarios.draw(7007, false));
    assertThat(run.scenario().truth().cause()).isEqualTo(CauseLabel.TRAFFIC_MIX);
    assertThat(run.alerts()).noneMatch(said -> said.cause().isServing());
  }

  @Test
  void neverSaysModel_whenAConstraintIsIntroduced() {
    JudgedScenario run = JudgedScenario.of(special("constraint for all: never model"));
    assertThat(run.said()).noneMatch(one -> one.cause() == CauseLabel.MODEL);
  }

  @Test
  void namesTheClass_whenAPrecisionHurtsOneOnly() {
    ProductPart.Special.Case one = specialCase("INT4 hurts arithmetic: config_change there");
    JudgedScenario run = JudgedScenario.of(one.scenario().apply(SEED));
    assertThat(one.right()).as("%s", run.said()).accepts(run);
    assertThat(run.said()).noneMatch(said -> said.cause() == CauseLabel.MODEL);
  }

  /** A short one: three hours of the old runtime, and six with the busy morning of the new one. */
  @Test
  void saysHitsInLargeBatches_whenABatchingRuntimeReplacedASerialOne() {
    JudgedScenario run =
        JudgedScenario.of(Scenario.migration(SEED, Duration.ofHours(3), Duration.ofHours(9)));
    List<JudgedScenario.Said> clip =
        run.sinceOnset().stream().filter(said -> said.metric().equals("clip")).toList();
    assertThat(clip).as("%s", run.said()).isNotEmpty();
    assertThat(clip)
        .allSatisfy(
            said -> {
              assertThat(said.alerts()).isTrue();
              assertThat(said.cause()).isEqualTo(CauseLabel.CACHE);
              assertThat(said.where()).containsEntry("cache", "hit").containsKey("batch");
              assertThat(said.contributing()).contains(CauseLabel.BATCHING);
            });
    assertThat(run.said()).noneMatch(said -> said.cause() == CauseLabel.MODEL);
    assertThat(run.said())
        .anyMatch(said -> said.metric().equals("latency") && said.statistic().equals("mean"));
  }

  private static ProductPart.Special.Case specialCase(String name) {
    return ProductPart.Special.cases().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Scenario special(String name) {
    return specialCase(name).scenario().apply(SEED);
  }

  @Test
  void marksAsTooFew_whenTheIntervalHoldsTheBarThatTheShareMisses() {
    assertThat(AcceptanceRow.atLeast("p", "c", Share.of(8, 10), 0.9, 100).met())
        .isEqualTo(Met.INSUFFICIENT);
    assertThat(AcceptanceRow.atLeast("p", "c", Share.of(1, 10), 0.9, 100).met()).isEqualTo(Met.NO);
    assertThat(AcceptanceRow.atLeast("p", "c", Share.of(80, 100), 0.9, 100).met())
        .isEqualTo(Met.NO);
    assertThat(AcceptanceRow.atLeast("p", "c", Share.of(90, 100), 0.9, 100).met())
        .isEqualTo(Met.YES);
    assertThat(AcceptanceRow.atLeast("p", "c", Share.of(0, 0), 0.9, 100).met())
        .isEqualTo(Met.INSUFFICIENT);
  }

  @Test
  void missesABarOfNone_afterASingleCase() {
    assertThat(AcceptanceRow.atMost("p", "c", Share.of(0, 10), 0, 100).met()).isEqualTo(Met.YES);
    assertThat(AcceptanceRow.atMost("p", "c", Share.of(1, 10), 0, 100).met()).isEqualTo(Met.NO);
  }

  @Test
  void scalesTheBarOfFalseAlarms_withTheNumberOfSeries() {
    assertThat(alarms(1, 100, 1)).isEqualTo(Met.YES);
    assertThat(alarms(2, 100, 1)).isEqualTo(Met.NO);
    assertThat(alarms(1, 10, 1)).isEqualTo(Met.INSUFFICIENT);
    assertThat(alarms(5, 10, 1)).isEqualTo(Met.NO);
    assertThat(alarms(5, 10, Double.POSITIVE_INFINITY)).isEqualTo(Met.NONE);
  }

  private static Met alarms(long alarms, long series, double per100) {
    ScenarioScorer.FalseAlarms counted =
        new ScenarioScorer.FalseAlarms(
            alarms,
            series,
            PoissonInterval.rate(alarms, (double) series, 0.95),
            Share.of(series - alarms, series));
    return AcceptanceRow.alarms("p", "c", series, counted, per100).met();
  }

  @Test
  void writesTheTable_forPeopleAndPrograms() {
    List<AcceptanceRow> rows =
        List.of(
            new AcceptanceRow(
                "delay",
                "hits",
                3,
                61.5,
                new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY),
                "min",
                "<= 75",
                Met.YES));
    assertThat(AcceptanceTable.text(rows).lines())
        .containsExactly(
            "part   case  n  measured (95 %)    bar    met",
            "delay  hits  3  62 (0..never) min  <= 75  yes");
    String json = AcceptanceTable.json(rows, new AcceptanceSize(false, 0, 900_000, 1));
    assertThat(json)
        .contains("\"first_seed\" : 900000", "\"value\" : 61.5", "\"upper\" : null")
        .contains("\"met\" : \"yes\"");
  }

  @Test
  void readsTheCommandLine() {
    var options =
        AcceptanceTable.Options.parse("young", "--full", "--runs", "5", "--seed", "7", "--json");
    assertThat(options.parts()).containsExactly("young");
    assertThat(options.size()).isEqualTo(new AcceptanceSize(true, 5, 7, 1));
    assertThat(options.size().of(1, 40)).isEqualTo(5);
    assertThat(options.json()).isTrue();
    assertThat(AcceptanceTable.Options.parse().size().seed()).isEqualTo(900_000);
    assertThatThrownBy(() -> AcceptanceTable.Options.parse("old"))
        .hasMessageContaining("old: no such part or option");
    assertThatThrownBy(() -> AcceptanceTable.Options.parse("--threads", "0"))
        .hasMessageContaining("--threads 0: must be from 1 to 256");
  }

  @Test
  void drawsTheSameScenario_fromTheSameSeed() {
    Scenario one = RandomScenarios.draw(3, true);
    Scenario other = RandomScenarios.draw(3, true);
    assertThat(one.name()).isEqualTo(other.name());
    assertThat(one.onset()).isEqualTo(other.onset());
    assertThat(one.faults()).hasSize(6);
    Optional<Scenario> different =
        List.of(RandomScenarios.draw(4, true), RandomScenarios.draw(5, true)).stream()
            .filter(scenario -> !scenario.onset().equals(one.onset()))
            .findFirst();
    assertThat(different).isPresent();
    assertThat(RandomScenarios.collinear(3, false).truth().cause())
        .isEqualTo(CauseLabel.INCONCLUSIVE);
  }
}

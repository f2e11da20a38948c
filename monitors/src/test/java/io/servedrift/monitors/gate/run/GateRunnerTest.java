package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.AnswerStatus;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.ArmPair;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.PairDistance;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateRunnerTest {
  private static final CheckName[] QUALITY = {
    CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY
  };

  @TempDir private Path folder;
  private FakeEndpoint old;
  private FakeEndpoint fresh;

  @BeforeEach
  void start() throws IOException {
    old = new FakeEndpoint();
    fresh = new FakeEndpoint();
  }

  @AfterEach
  void stop() {
    old.close();
    fresh.close();
  }

  private static final class Silent implements RunListener {
    @Override
    public void said(String line) {}

    @Override
    public void progress(long done, long total) {}

    @Override
    public void estimated(RunEstimate estimate) {}
  }

  private GateRunner runner(RunOptions options, BooleanSupplier stopped) {
    return new GateRunner(
        Given.input(old.url(), fresh.url(), Given.prompts(6), options),
        folder,
        Timeline.of(Clock.systemUTC()),
        new Silent(),
        stopped);
  }

  private static Map<String, Long> answersByArm(Evidence evidence) {
    return evidence.answers().stream()
        .collect(Collectors.groupingBy(one -> one.arm().label(), Collectors.counting()));
  }

  @Test
  void asksBothSidesTheSameInEveryArm() throws Exception {
    GateRunner.Ended ended = runner(Given.options(QUALITY), () -> false).run();

    assertThat(ended.whole()).isTrue();
    Evidence evidence = ended.evidence();
    assertThat(answersByArm(evidence))
        .hasSize(14)
        .allSatisfy((arm, n) -> assertThat(n).isEqualTo(6));
    assertThat(evidence.answers()).allMatch(Answer::ok);
    assertThat(evidence.answers())
        .extracting(one -> one.prompt().index() + " " + one.prompt().seed())
        .satisfies(all -> assertThat(List.copyOf(all).stream().distinct()).hasSize(6));
    assertThat(evidence.distances()).hasSize(12 * 6).allMatch(PairDistance::identical);
    assertThat(evidence.distances())
        .extracting(PairDistance::pair)
        .contains(ArmPair.across(Regime.SINGLE), ArmPair.across(Regime.PRODUCTION));
    assertThat(evidence.oldBefore().configId()).isEqualTo(evidence.newBefore().configId());
    assertThat(evidence.oldAfter()).isNotNull();
    assertThat(evidence.newAfter()).isNotNull();
  }

  @Test
  void asksOneAtATimeWithoutCache_whenTheArmIsSingle() throws Exception {
    Evidence evidence = runner(Given.options(QUALITY), () -> false).run().evidence();

    assertThat(evidence.answers())
        .filteredOn(one -> one.arm().regime() == Regime.SINGLE)
        .allSatisfy(one -> assertThat(one.served().inFlight()).isEqualTo(1));
    assertThat(evidence.answers())
        .filteredOn(one -> one.arm().regime() == Regime.PRODUCTION)
        .anySatisfy(one -> assertThat(one.served().inFlight()).isGreaterThan(1))
        .allSatisfy(one -> assertThat(one.served().inFlight()).isLessThanOrEqualTo(3));
    assertThat(old.calls())
        .allSatisfy(call -> assertThat(call.path("synthetic").asBoolean()).isTrue());
    long clean = old.calls().stream().filter(call -> call.has("use_cache")).count();
    // Two probes, 6 SINGLE, 6 SINGLE_AGAIN, and the two cold arms with their company.
    assertThat(clean).isGreaterThanOrEqualTo(2 + 6 + 6 + 6 + 6);
  }

  @Test
  void keepsWhatTheNodeSaysOfAnImage() throws Exception {
    Evidence evidence = runner(Given.options(CheckName.SEED_PARITY), () -> false).run().evidence();

    Answer.Served served = evidence.answers().get(0).served();
    assertThat(served.batchSize()).isEqualTo(2);
    assertThat(served.cacheHit()).isTrue();
    assertThat(served.computeSeconds()).isEqualTo(.25);
    Answer.Output output = evidence.answers().get(0).output();
    assertThat(output).isNotNull();
    assertThat(folder.resolve(String.valueOf(output.file()))).isRegularFile();
  }

  @Test
  void runsLoadAndTheWayBack() throws Exception {
    RunOptions options = Given.options(CheckName.P99_UNDER_LOAD, CheckName.ROLLBACK);
    Evidence evidence = runner(options, () -> false).run().evidence();

    Map<String, Long> arms = answersByArm(evidence);
    assertThat(arms)
        .containsOnlyKeys(
            "old/open_loop",
            "new/open_loop",
            "old/fixed_concurrency",
            "new/fixed_concurrency",
            "old/after_flip");
    // Old and new get the same arrivals.
    assertThat(arms.get("old/open_loop")).isEqualTo(arms.get("new/open_loop")).isPositive();
    assertThat(arms.get("old/after_flip")).isEqualTo(12);
    assertThat(evidence.rollback()).isNotNull();
    assertThat(evidence.rollback().attempted()).isTrue();
    assertThat(evidence.rollback().how()).isEqualTo("address switch");
    assertThat(evidence.rollback().inFlightLost()).isZero();
    assertThat(evidence.rollback().after()).isNotNull();
    assertThat(evidence.rollback().after().configId()).isEqualTo(evidence.oldBefore().configId());
  }

  @Test
  void findsThePeakRate_whenItIsNotGiven() throws Exception {
    RunOptions given = Given.options(CheckName.P99_UNDER_LOAD);
    RunOptions options =
        new RunOptions(
            7,
            100,
            List.of(3),
            0,
            null,
            List.of(1.0),
            1,
            given.block(),
            given.warmUp(),
            1,
            given.flipLimit(),
            given.checks());
    Evidence evidence = runner(options, () -> false).run().evidence();

    long old =
        evidence.answers().stream()
            .filter(one -> one.arm().equals(Arm.old(Regime.FIXED_CONCURRENCY)))
            .count();
    assertThat(evidence.settings().peakPerSecond())
        .isCloseTo(.7 * old / .3, org.assertj.core.data.Offset.offset(1e-9));
  }

  @Test
  void recordsErrorsAsErrors() throws Exception {
    fresh.way = FakeEndpoint.Way.BROKEN;
    Evidence evidence = runner(Given.options(QUALITY), () -> false).run().evidence();

    assertThat(evidence.answers())
        .filteredOn(one -> one.arm().side() == Side.NEW)
        .isNotEmpty()
        .allSatisfy(
            one -> {
              assertThat(one.status()).isEqualTo(AnswerStatus.ERROR);
              assertThat(one.error()).isEqualTo("http_500");
              assertThat(one.output()).isNull();
            });
    assertThat(evidence.distances()).allMatch(one -> one.pair().left().side() == Side.OLD);
  }

  @Test
  void saysWhatCannotBeRecorded_whenThereIsNoServerInfo() throws Exception {
    fresh.info = () -> "";
    Evidence evidence = runner(Given.options(CheckName.SEED_PARITY), () -> false).run().evidence();

    assertThat(evidence.newBefore().recorded()).isFalse();
    assertThat(evidence.newBefore().problems()).singleElement().asString().contains("http_404");
    assertThat(evidence.newBefore().profile().seed()).isFalse();
  }

  @Test
  void writesNoPromptIntoTheJournal() throws Exception {
    fresh.way = FakeEndpoint.Way.NOT_FOUND;
    runner(Given.options(QUALITY), () -> false).run();

    assertThat(Files.readString(folder.resolve(Journal.NAME))).doesNotContain("secret prompt");
  }

  @Test
  void givesTheSameEvidence_whenTheJournalIsReadAgain() throws Exception {
    Evidence evidence = runner(Given.options(CheckName.values()), () -> false).run().evidence();

    Evidence again = GateRunner.recorded(folder);
    assertThat(again).usingRecursiveComparison().isEqualTo(evidence);
  }

  @Test
  void givesTheSameEvidence_whenAConfigurationIsUnknown() throws Exception {
    fresh.info = () -> "";
    Evidence evidence = runner(Given.options(CheckName.SEED_PARITY), () -> false).run().evidence();

    Evidence again = GateRunner.recorded(folder);
    assertThat(again.newBefore().config()).isNull();
    assertThat(again.newBefore().model()).isNull();
    assertThat(again).usingRecursiveComparison().isEqualTo(evidence);
  }

  @Test
  void goesOn_whenItWasStoppedInTheMiddle() throws Exception {
    AtomicInteger images = new AtomicInteger();
    AtomicBoolean stop = new AtomicBoolean();
    old.beforeAnswer = () -> stop.set(images.incrementAndGet() > 20);
    GateRunner.Ended first = runner(Given.options(QUALITY), stop::get).run();
    assertThat(first.whole()).isFalse();
    int kept = first.evidence().answers().size();
    assertThat(kept).isPositive().isLessThan(14 * 6);
    old.beforeAnswer = () -> {};

    GateRunner.Ended second = runner(Given.options(QUALITY), () -> false).run();

    assertThat(second.whole()).isTrue();
    assertThat(answersByArm(second.evidence()))
        .hasSize(14)
        .allSatisfy((arm, n) -> assertThat(n).isEqualTo(6));
    assertThat(second.evidence().answers().subList(0, kept)).isEqualTo(first.evidence().answers());
    assertThat(second.evidence().settings()).isEqualTo(first.evidence().settings());
  }

  /** A kill leaves any beginning of the journal: each must lead to the same whole run. */
  @Test
  void goesOn_whereverTheJournalWasCutOff() throws Exception {
    runner(Given.options(CheckName.SEED_PARITY), () -> false).run();
    byte[] whole = Files.readAllBytes(folder.resolve(Journal.NAME));
    List<Integer> cuts = new ArrayList<>(List.of(0, 1));
    int ended = new String(whole, StandardCharsets.UTF_8).indexOf("\"when\":\"after\"");
    // After each of the first lines, and in the middle of others.
    for (int i = 0, at = 0; i < 6; i++) {
      at = new String(whole, StandardCharsets.UTF_8).indexOf('\n', at) + 1;
      cuts.add(at);
    }
    for (int i = 1; i < 6; i++) {
      cuts.add((int) ((long) i * ended / 6));
    }
    for (int cut : cuts) {
      Files.write(folder.resolve(Journal.NAME), Arrays.copyOf(whole, cut));
      GateRunner.Ended ends = runner(Given.options(CheckName.SEED_PARITY), () -> false).run();

      assertThat(ends.whole()).isTrue();
      assertThat(answersByArm(ends.evidence()))
          .as("cut at %s", cut)
          .hasSize(8)
          .allSatisfy((arm, n) -> assertThat(n).isEqualTo(6));
      assertThat(ends.evidence().distances()).hasSize(8 * 6).doesNotHaveDuplicates();
      assertThat(GateRunner.recorded(folder)).usingRecursiveComparison().isEqualTo(ends.evidence());
    }
  }

  @Test
  void refusesAnotherPlan_namingTheDifference() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    old.beforeAnswer = () -> stop.set(true);
    runner(Given.options(QUALITY), stop::get).run();

    assertThatThrownBy(() -> runner(Given.options(CheckName.SEED_PARITY), () -> false).run())
        .isInstanceOf(GateInputException.class)
        .hasMessageContaining("differs in checks:");
  }

  @Test
  void refusesToGoOn_whenAnEndpointIsNotWhatItWas() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    old.beforeAnswer = () -> stop.set(true);
    runner(Given.options(QUALITY), stop::get).run();
    fresh.info = () -> FakeEndpoint.info("int8", "sha256:aa");

    assertThatThrownBy(() -> runner(Given.options(QUALITY), () -> false).run())
        .isInstanceOf(GateInputException.class)
        .hasMessageContaining(fresh.url() + ": is not what it was");
  }

  @Test
  void refusesAFolderWithARunThatHasEnded() throws Exception {
    runner(Given.options(CheckName.SEED_PARITY), () -> false).run();

    assertThatThrownBy(() -> runner(Given.options(CheckName.SEED_PARITY), () -> false).run())
        .isInstanceOf(GateInputException.class)
        .hasMessageContaining("--judge");
  }

  @Test
  void saysWhichSideIsNotThere() {
    fresh.close();
    assertThatThrownBy(() -> runner(Given.options(QUALITY), () -> false).run())
        .isInstanceOf(UnreachableException.class)
        .hasMessageContaining("--new " + fresh.url());
  }

  @Test
  void doesNotBegin_whenNoSideAnswersWithAnImage() {
    old.way = FakeEndpoint.Way.NOT_AN_IMAGE;
    fresh.way = FakeEndpoint.Way.NOT_JSON;
    assertThatThrownBy(() -> runner(Given.options(QUALITY), () -> false).run())
        .isInstanceOf(NothingUsableException.class)
        .hasMessageContaining(
            "old " + old.url() + ": the first 2 requests failed with not_an_image")
        .hasMessageContaining("new " + fresh.url() + ": the first 2 requests failed with not_json");
    assertThat(old.calls()).hasSize(2);
  }

  @Test
  void countsWithTheOtherSide_whenOneFails() throws Exception {
    fresh.way = FakeEndpoint.Way.NOT_FOUND;
    old.beforeAnswer = () -> LockSupport.parkNanos(60_000_000);
    RunEstimate estimate = runner(Given.options(CheckName.SEED_PARITY), () -> false).estimate();

    RunEstimate.Line single = estimate.lines().get(0);
    assertThat(single.regime()).isEqualTo(Regime.SINGLE);
    // 12 requests of 60 ms at least; a quick 404 on one side would halve that.
    assertThat(single.mostSeconds()).isGreaterThanOrEqualTo(12 * .06);
  }

  @Test
  void namesALineThatNoGateWrote() throws Exception {
    Files.writeString(
        folder.resolve(Journal.NAME), "{\"kind\":\"plan\",\"plan\":{}}\n{\"kind\":\"x\"}\n");

    assertThatThrownBy(() -> GateRunner.recorded(folder))
        .isInstanceOf(GateInputException.class)
        .hasMessageContaining("journal.ndjson:2");
  }
}

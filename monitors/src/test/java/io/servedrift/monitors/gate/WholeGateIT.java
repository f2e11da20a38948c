package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.run.PromptFile;
import io.servedrift.monitors.gate.testkit.ChatNode;
import io.servedrift.monitors.gate.testkit.EndpointFault;
import io.servedrift.monitors.gate.testkit.GateTrial;
import io.servedrift.monitors.gate.testkit.ImageNode;
import io.servedrift.monitors.gate.testkit.SwitchedAddress;
import io.servedrift.monitors.gate.testkit.TestScorer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The whole gate, from requests to the sentence, on endpoints of which it is known what is wrong
 * with them.
 */
@Tag("alone")
class WholeGateIT {
  @TempDir Path folder;

  private final ImageNode old = ImageNode.started();
  private final ImageNode fresh = ImageNode.started();
  private final TestScorer scorer = TestScorer.started();

  @AfterEach
  void stop() {
    old.close();
    fresh.close();
    scorer.close();
  }

  private GateTrial trial() {
    return new GateTrial(folder, old, fresh, scorer);
  }

  /** Without the load test, which takes longest. */
  private GateTrial unloaded() {
    return trial()
        .only(
            CheckName.SEED_PARITY,
            CheckName.BATCH_COMPOSITION,
            CheckName.CACHE_PARITY,
            CheckName.PROXY_DRIFT,
            CheckName.ROLLBACK);
  }

  private static Set<CheckName> with(GateResult result, CheckState state) {
    Set<CheckName> names = EnumSet.noneOf(CheckName.class);
    result.checks().stream().filter(c -> c.state() == state).forEach(c -> names.add(c.name()));
    return names;
  }

  private static String told(GateResult result) {
    StringBuilder text = new StringBuilder(result.why() + "\n" + result.deciding() + "\n");
    text.append(result.control().state()).append(result.control().why()).append('\n');
    for (CheckResult check : result.checks()) {
      text.append(check.name()).append(' ').append(check.state()).append(' ').append(check.why());
      check.measures().stream().limit(6).forEach(m -> text.append("\n    ").append(m));
      text.append('\n');
    }
    return text.toString();
  }

  @Test
  void equalConfigurationsPass() throws Exception {
    GateResult result = trial().result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.PASS);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.NO_GAP);
  }

  @Test
  void batchingFaultFailsBatchComposition() throws Exception {
    fresh.faulty(EndpointFault.BATCHING);
    fresh.set("batching", "mode", "other");
    GateResult result = unloaded().result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
    assertThat(with(result, CheckState.FAIL))
        .as(told(result))
        .contains(CheckName.BATCH_COMPOSITION)
        .doesNotContain(CheckName.SEED_PARITY, CheckName.ROLLBACK);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.BATCHING_OR_CACHING);
    assertThat(result.deciding().text()).contains("(batching");
  }

  @Test
  void staleCacheFailsCacheParity() throws Exception {
    fresh.faulty(EndpointFault.STALE_CACHE);
    fresh.set("cache", "eviction_policy", "none");
    GateResult result = unloaded().result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
    assertThat(with(result, CheckState.FAIL))
        .as(told(result))
        .contains(CheckName.CACHE_PARITY)
        .doesNotContain(CheckName.SEED_PARITY, CheckName.ROLLBACK);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.BATCHING_OR_CACHING);
    assertThat(result.deciding().text()).contains("caching");
  }

  @Test
  void otherPrecisionFailsSeedParity() throws Exception {
    fresh.faulty(EndpointFault.PRECISION);
    fresh.set("precision", "weights", "int8");
    GateResult result = unloaded().result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
    assertThat(with(result, CheckState.FAIL))
        .as(told(result))
        .contains(CheckName.SEED_PARITY)
        .doesNotContain(CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY, CheckName.ROLLBACK);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.SERVING_LAYER);
    assertThat(result.deciding().text()).contains("precision");
  }

  @Test
  void slowSchedulerFailsTheTailUnderLoad_andNothingElse() throws Exception {
    fresh.faulty(EndpointFault.SLOW_SCHEDULER);
    fresh.set("extra", "policy", "other");
    GateResult result = trial().result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
    assertThat(with(result, CheckState.FAIL))
        .as(told(result))
        .containsExactly(CheckName.P99_UNDER_LOAD);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.NO_GAP);
  }

  @Test
  void brokenWayBackFailsTheRollback_andNothingElse() throws Exception {
    try (ImageNode redeployed = ImageNode.started()) {
      redeployed.set("cache", "capacity", "7");
      try (SwitchedAddress address =
          SwitchedAddress.started(folder.resolve("serves"), redeployed, fresh)) {
        fresh.set("batching", "mode", "other");
        GateResult result = unloaded().switched(address).result();

        assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
        assertThat(with(result, CheckState.FAIL))
            .as(told(result))
            .containsExactly(CheckName.ROLLBACK);
      }
    }
  }

  @Test
  void wayBackByCommandPasses_whenTheOldSideServesAgain() throws Exception {
    fresh.set("batching", "mode", "other");
    try (SwitchedAddress address = SwitchedAddress.started(folder.resolve("serves"), old, fresh)) {
      GateResult result = trial().only(CheckName.ROLLBACK).switched(address).result();

      assertThat(result.check(CheckName.ROLLBACK).orElseThrow().state())
          .as(told(result))
          .isEqualTo(CheckState.PASS);
      // What was not run is not passed.
      assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "SERVER_ERROR"})
  void endpointThatAnswersWithErrorsNeverPasses(EndpointFault fault) throws Exception {
    fresh.faulty(fault);
    GateResult result = unloaded().result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
    assertThat(with(result, CheckState.PASS)).isSubsetOf(CheckName.ROLLBACK);
    assertThat(result.why()).contains("too many errors");
  }

  @Test
  void configurationThatCannotBeRecordedFails() throws Exception {
    fresh.faulty(EndpointFault.NO_SERVER_INFO);
    GateResult result = trial().only(CheckName.SEED_PARITY).result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
    assertThat(result.problems().toString()).contains("new side could not be recorded");
  }

  @Test
  void tooFewPromptsNeverPass() throws Exception {
    GateResult result = unloaded().prompts(12).result();

    assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.INSUFFICIENT);
    assertThat(with(result, CheckState.PASS))
        .doesNotContain(
            CheckName.SEED_PARITY,
            CheckName.BATCH_COMPOSITION,
            CheckName.CACHE_PARITY,
            CheckName.PROXY_DRIFT);
    assertThat(result.check(CheckName.PROXY_DRIFT).orElseThrow().needed()).isNotNull();
  }

  @Test
  void otherWeightsForbidASentenceAboutTheServingLayer() throws Exception {
    fresh.faulty(EndpointFault.OTHER_WEIGHTS);
    fresh.set("precision", "weights", "int8");
    fresh.set("batching", "mode", "other");
    GateResult result =
        trial()
            .only(CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.PROXY_DRIFT)
            .result();

    assertThat(result.changed().weights()).isEqualTo(ChangedAxes.Weights.DIFFERENT);
    assertThat(result.deciding().verdict())
        .as(told(result))
        .isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
    assertThat(result.deciding().text()).doesNotContain("serving layer");
    assertThat(result.changed().plan()).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void singleRequestPipelineHasNoProductionBatch_whichIsNoInsufficiency() throws Exception {
    fresh.single();
    fresh.set("cache", "conditioning", "off");
    GateResult result = trial().only(CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY).result();

    assertThat(with(result, CheckState.NOT_APPLICABLE))
        .as(told(result))
        .containsExactlyInAnyOrder(CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY);
  }

  @ParameterizedTest
  @EnumSource(
      value = EndpointFault.class,
      names = {"PRECISION", "BATCHING"})
  void chatThatLosesItsFormFailsOnQuality(EndpointFault fault) throws Exception {
    Path file = folder.resolve("prompts.ndjson");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 64; i++) {
      lines.append("{\"prompt\":\"question ").append(i);
      lines.append("\",\"expected\":{\"json_schema\":{\"type\":\"object\"}}}\n");
    }
    Files.writeString(file, lines);
    try (ChatNode before = ChatNode.started();
        ChatNode after = ChatNode.started()) {
      after.faulty(fault);
      GateResult result =
          new GateTrial(folder.resolve("run"), before, after, scorer)
              .prompts(PromptFile.read(file))
              .only(CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.PROXY_DRIFT)
              .result();

      CheckName own =
          fault == EndpointFault.PRECISION ? CheckName.SEED_PARITY : CheckName.BATCH_COMPOSITION;
      assertThat(result.modality()).isEqualTo(Modality.CHAT);
      assertThat(result.outcome()).as(told(result)).isEqualTo(GateOutcome.FAIL);
      assertThat(with(result, CheckState.FAIL))
          .as(told(result))
          .contains(own, CheckName.PROXY_DRIFT)
          .hasSize(2);
    }
  }
}

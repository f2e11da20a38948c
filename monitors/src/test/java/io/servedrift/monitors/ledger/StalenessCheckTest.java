package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StalenessCheckTest {
  private static final Fingerprint BF16 =
      Entries.config("{'precision':{'weights':'bf16'},'batching':{'max_batch_size':1}}");
  private static final Fingerprint BATCHED =
      Entries.config("{'precision':{'weights':'bf16'},'batching':{'max_batch_size':8}}");
  private static final Fingerprint FP8 =
      Entries.config("{'precision':{'weights':'fp8'},'batching':{'max_batch_size':8}}");
  private static final Fingerprint FLUX = Entries.model("flux");
  private static final LedgerEntry ENTRY = Entries.entry(BF16, FLUX, 0.71, 0.012);

  private static LiveSystem node(String node, Fingerprint config, Fingerprint model) {
    return new LiveSystem(
        "image-gen",
        node,
        config == null ? null : config.id(),
        model == null ? null : model.id(),
        config,
        model,
        Entries.NOW);
  }

  private static Standing check(LedgerEntry entry, LiveSystem... live) {
    return new StalenessCheck(List.of(live)).of(entry);
  }

  @Test
  void isCurrent_whenANodeRunsWhatWasMeasured() {
    Standing standing = check(ENTRY, node("a", BF16, FLUX));
    assertThat(standing.state()).isEqualTo(Standing.State.CURRENT);
    assertThat(standing.notes()).isEmpty();
  }

  @Test
  void isCurrent_butSaysSo_whenOnlyOneOfTwoNodesRunsIt() {
    Standing standing = check(ENTRY, node("a", BATCHED, FLUX), node("b", BF16, FLUX));
    assertThat(standing.state()).isEqualTo(Standing.State.CURRENT);
    assertThat(standing.nearest()).isEqualTo("b");
    assertThat(standing.notes())
        .containsExactly("1 of 2 nodes run it, the others run something else");
  }

  @Test
  void isStale_withTheAxesOfTheNearestNode() {
    Standing standing = check(ENTRY, node("far", FP8, FLUX), node("near", BATCHED, FLUX));
    assertThat(standing.state()).isEqualTo(Standing.State.STALE);
    assertThat(standing.nearest()).isEqualTo("near");
    assertThat(standing.changes()).containsExactly("batching.max_batch_size: 1 -> 8");
  }

  @Test
  void saysThatItMayBeTheSame_whenOneSideOnlyStatesLess() {
    LedgerEntry brief =
        Entries.entry(Entries.config("{'precision':{'weights':'bf16'}}"), FLUX, 0.71, 0.012);
    Standing standing = check(brief, node("a", BATCHED, FLUX));
    assertThat(standing.state()).isEqualTo(Standing.State.STALE);
    assertThat(standing.changes()).containsExactly("+ batching.max_batch_size: 8");
    assertThat(standing.notes())
        .containsExactly("nothing that both state differs: it may have been recorded less fully");
    assertThat(AxisChanges.against(brief.config(), BATCHED)).isEmpty();
    assertThat(AxisChanges.against(BATCHED, brief.config()))
        .containsExactly("- batching.max_batch_size: 8");
  }

  @Test
  void countsEveryAxis_whenItLooksForTheNearestNode() {
    Standing standing = check(ENTRY, node("a", extra(60), FLUX), node("b", extra(25), FLUX));
    assertThat(standing.nearest()).isEqualTo("b");
    assertThat(standing.changes()).hasSize(25).noneMatch(change -> change.contains("more"));
    assertThat(AxisChanges.shown(standing.changes())).hasSize(21).endsWith("and 5 more");
  }

  private static Fingerprint extra(int axes) {
    String members =
        IntStream.range(0, axes)
            .mapToObj(i -> "'a" + i + "':" + i)
            .collect(Collectors.joining(","));
    return Entries.config(
        "{'precision':{'weights':'bf16'},'batching':{'max_batch_size':1},'extra':{"
            + members
            + "}}");
  }

  @Test
  void isStale_whenAnotherModelServes() {
    Standing standing = check(ENTRY, node("a", BF16, Entries.model("other")));
    assertThat(standing.state()).isEqualTo(Standing.State.STALE);
    assertThat(standing.changes()).containsExactly("model name: \"flux\" -> \"other\"");
  }

  @Test
  void saysThatTheAxesAreNotKnown_whenNobodySaidWhatAnIdMeans() {
    LiveSystem nameless =
        new LiveSystem("image-gen", "a", "00ff00ff00ff00ff", FLUX.id(), null, FLUX, Entries.NOW);
    Standing standing = check(ENTRY, nameless);
    assertThat(standing.state()).isEqualTo(Standing.State.STALE);
    assertThat(standing.changes()).isEmpty();
    assertThat(standing.notes())
        .containsExactly("what differs is not known: nobody said what 00ff00ff00ff00ff means");
  }

  @Test
  void callsAFullPrecisionScoreAnUpperBound_whenProductionIsQuantised() {
    Fingerprint fp8 =
        Entries.config("{'precision':{'weights':'fp8'},'batching':{'max_batch_size':1}}");
    assertThat(check(ENTRY, node("a", fp8, FLUX)).notes())
        .containsExactly(
            "measured in bf16, production is quantised (weights=fp8): an upper bound of what"
                + " production gives");
  }

  @Test
  void callsNothingABound_whenTheModelOrAnotherAxisChangedToo() {
    Fingerprint fp8 =
        Entries.config("{'precision':{'weights':'fp8'},'batching':{'max_batch_size':1}}");
    assertThat(check(ENTRY, node("a", FP8, FLUX)).notes()).isEmpty();
    assertThat(check(ENTRY, node("a", fp8, Entries.model("other"))).notes()).isEmpty();
    assertThat(check(ENTRY, node("a", fp8, null)).notes()).isEmpty();
  }

  @Test
  void callsNothingABound_whenPrecisionIsTheSame_orTheScoreIsALatency() {
    assertThat(check(ENTRY, node("a", BATCHED, FLUX)).notes()).isEmpty();
    LedgerEntry quantised = Entries.entry(FP8, FLUX, 0.71, 0.012);
    assertThat(check(quantised, node("a", BF16, FLUX)).notes()).isEmpty();
    LedgerEntry latency =
        EvidenceRecord.of(
            Entries.score("latency_p99", 3, .1), Entries.provenance(BF16, FLUX), Entries.NOW);
    assertThat(check(latency, node("a", FP8, FLUX)).notes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "int8",
        "fp8_e4m3",
        "nf4",
        "w4a16",
        "awq",
        "nvfp4",
        "svdquant-int4",
        "fp8e4m3",
        "fp8-block",
        "e4m3",
        "int8wo",
        "8bit"
      })
  void knowsTheUsualQuantisations(String weights) {
    Fingerprint config = Entries.config("{'precision':{'weights':'" + weights + "'}}");
    assertThat(Precision.quantised(config)).contains("weights=" + weights);
    assertThat(Precision.full(config)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bf16", "fp16", "float32", "auto", ""})
  void takesNothingElseForOne(String weights) {
    Fingerprint config =
        Entries.config("{'precision':{'weights':'" + weights + "'},'batching':{'mode':'x'}}");
    assertThat(Precision.quantised(config)).isEmpty();
  }

  @Test
  void takesAMethodForQuantising_andUnknownForNothing() {
    assertThat(Precision.quantised(Entries.config("{'precision':{'method':'modelopt'}}")))
        .contains("method=modelopt");
    assertThat(Precision.quantised(Entries.config("{'precision':{'method':'none'}}"))).isEmpty();
    LiveSystem unknown =
        new LiveSystem("image-gen", "a", "unknown", "unknown", null, null, Entries.NOW);
    assertThat(check(ENTRY, unknown).state()).isEqualTo(Standing.State.UNKNOWN);
  }

  @Test
  void isUnknown_withoutAConfigurationOrWithoutAnythingThatRuns() {
    LedgerEntry unconfigured = Entries.entry(null, FLUX, 0.71, 0.012);
    assertThat(check(unconfigured, node("a", BF16, FLUX)).state())
        .isEqualTo(Standing.State.UNKNOWN);
    assertThat(check(ENTRY).state()).isEqualTo(Standing.State.UNKNOWN);
    assertThat(check(ENTRY, node("a", null, null)).state()).isEqualTo(Standing.State.UNKNOWN);
  }

  @Test
  void comparesOnlyWithTheDeploymentThatWasMeasured() {
    Provenance elsewhere = Entries.provenance(BF16, FLUX).servedBy("video-gen");
    LedgerEntry entry = EvidenceRecord.of(Entries.score(0.71, .012), elsewhere, Entries.NOW);
    Standing standing = check(entry, node("a", BF16, FLUX));
    assertThat(standing.state()).isEqualTo(Standing.State.UNKNOWN);
    assertThat(standing.notes()).containsExactly("nothing is known to run of deployment video-gen");
  }

  @Test
  void saysWhatWasNotCompared_whenNoModelIsKnown() {
    LedgerEntry modelless = Entries.entry(BF16, null, 0.71, 0.012);
    Standing recorded = check(modelless, node("a", BF16, FLUX));
    assertThat(recorded.state()).isEqualTo(Standing.State.UNKNOWN);
    assertThat(recorded.notes())
        .containsExactly("no model was recorded with it: only the configuration was compared");
    Standing said = check(ENTRY, node("a", BF16, null));
    assertThat(said.state()).isEqualTo(Standing.State.UNKNOWN);
    assertThat(said.notes())
        .containsExactly("the node does not say its model: only the configuration was compared");
    assertThat(check(ENTRY, node("a", BF16, null), node("b", BF16, FLUX)).state())
        .isEqualTo(Standing.State.CURRENT);
  }

  @Test
  void saysThatARecordWasChanged() {
    Standing altered = check(Entries.altered(ENTRY, 0.99), node("a", BF16, FLUX));
    assertThat(altered.state()).isEqualTo(Standing.State.UNKNOWN);
    assertThat(altered.notes())
        .containsExactly("the record was changed after it was made: its digest does not fit");
  }
}

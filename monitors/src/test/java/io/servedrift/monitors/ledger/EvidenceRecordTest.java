package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.EvalResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EvidenceRecordTest {
  private static final Fingerprint CONFIG =
      Entries.config("{'batching':{'max_batch_size':8},'colour':'red'}");
  private static final Fingerprint FLUX = Entries.model("flux");

  @Test
  void itsJsonIsReadBackWithConfigurationAndModel() {
    LedgerEntry entry = Entries.entry(CONFIG, FLUX, .71, .012);
    ObjectNode json = entry.toJson();
    assertThat(json.at("/config/batching/max_batch_size").asInt()).isEqualTo(8);
    assertThat(json.at("/config/colour").asText()).isEqualTo("red");
    assertThat(json.at("/model/name").asText()).isEqualTo("flux");
    Reading.Accepted read = (Reading.Accepted) new EventReader().readJson(json);
    EvalResult result = (EvalResult) read.event();
    assertThat(result).isEqualTo(entry.result());
    assertThat(EvalDigest.standing(result)).isEqualTo(EvalDigest.Standing.INTACT);
    assertThat(read.unknownFields()).isZero();
    Dictionary dictionary = new Dictionary();
    read.registrations().forEach(dictionary::add);
    assertThat(dictionary.entry(result)).isEqualTo(entry);
  }

  @Test
  void isTheSameRecord_whenRecordedAgainLater() {
    LedgerEntry later =
        EvidenceRecord.of(
            Entries.score(.71, .012),
            Entries.provenance(CONFIG, FLUX),
            Entries.NOW.plus(Duration.ofDays(1)));
    assertThat(later.id()).isEqualTo(Entries.entry(CONFIG, FLUX, .71, .012).id());
  }

  @Test
  void isAnotherRecord_whenMeasuredAtAnotherTime() {
    Provenance timed =
        Entries.provenance(CONFIG, FLUX).during(Entries.NOW, Entries.NOW.plusSeconds(9));
    LedgerEntry entry =
        EvidenceRecord.of(Entries.score(.71, .012), timed, Entries.NOW.plusSeconds(99));
    assertThat(entry.id()).isNotEqualTo(Entries.entry(CONFIG, FLUX, .71, .012).id());
    assertThat(entry.result().getAt()).isEqualTo(Entries.NOW.plusSeconds(9));
    assertThat(entry.result().getFrom()).isEqualTo(Entries.NOW);
  }

  @Test
  void keepsWhichAxesCounted_andMarksAScoreWithoutAny() {
    EvalResult configured = Entries.entry(CONFIG, FLUX, .71, .012).result();
    assertThat(configured.getConfigSchema()).contains("\"batching.max_batch_size\"", "\"v\":1");
    assertThat(configured.getUnconfigured()).isNull();
    Fingerprint empty = Entries.config("{'colour':'red'}");
    EvalResult unconfigured = Entries.entry(empty, FLUX, .71, .012).result();
    assertThat(unconfigured.getUnconfigured()).isTrue();
    assertThat(unconfigured.getConfigId()).isNull();
    assertThat(unconfigured.getConfigSchema()).isNull();
  }

  @Test
  void saysEverythingThatIsWrong() {
    Score bad = new Score("", "m".repeat(65), .5, -1L, -.1, null, null, null, Map.of());
    assertThatThrownBy(() -> EvidenceRecord.of(bad, Entries.provenance(CONFIG, FLUX), Entries.NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name")
        .hasMessageContaining("metric")
        .hasMessageContaining("n=-1")
        .hasMessageContaining("stderr");
  }

  @Test
  void refusesWhatIsNotFinite() {
    assertThatThrownBy(() -> Entries.entry(CONFIG, FLUX, Double.NaN, .1))
        .hasMessageContaining("value=NaN");
  }

  @Test
  void refusesACommandBeyondItsLimit() {
    Provenance plain = Entries.provenance(CONFIG, FLUX);
    Provenance huge =
        new Provenance(
            null,
            CONFIG,
            FLUX,
            null,
            null,
            null,
            null,
            null,
            new SafeCommand(List.of("x".repeat(5000)), List.of()),
            Map.of(),
            null,
            plain.by(),
            null);
    assertThatThrownBy(() -> EvidenceRecord.of(Entries.score(.5, .1), huge, Entries.NOW))
        .hasMessageContaining("command");
  }

  @Test
  void seesWhatChangedBetweenTwoCaptures() {
    SystemCapture before =
        capture("{'config':{'batching':{'max_batch_size':8}},'model':{'name':'a'}}");
    assertThat(before.changesTo(before)).isEmpty();
    assertThat(
            before.changesTo(
                capture("{'config':{'batching':{'max_batch_size':1}},'model':{'name':'b'}}")))
        .containsExactly("batching.max_batch_size: 8 -> 1", "model name: \"a\" -> \"b\"");
    assertThat(before.changesTo(capture("{'config':{'batching':{'max_batch_size':8}}}")))
        .hasSize(1);
    assertThatThrownBy(() -> capture("{'version':'0.5'}")).hasMessageContaining("config");
    assertThatThrownBy(() -> capture("{'config':{'x':1}}")).hasMessageContaining("counts");
  }

  private static SystemCapture capture(String info) {
    return SystemCapture.of(Entries.json(info), Entries.NOW);
  }
}

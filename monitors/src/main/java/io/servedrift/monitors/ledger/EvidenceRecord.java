package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.EvalResult;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the record of a score: complete, valid, sealed. */
public final class EvidenceRecord {
  private static final int MOST_CHANGES = 64;
  private static final int LONGEST_CHANGE = 1024;

  private EvidenceRecord() {}

  /**
   * The record. Its time is the end of the measurement, else its start, else now.
   *
   * @throws IllegalArgumentException naming everything that the event does not allow
   */
  public static LedgerEntry of(Score score, Provenance provenance, Instant now) {
    Fingerprint config = known(provenance.config());
    Fingerprint model = known(provenance.model());
    EvalResult result = new EvalResult();
    result.setEvalId("unsealed");
    result.setAt(micros(at(provenance, now)));
    result.setDeployment(provenance.deployment());
    result.setConfigId(config == null ? null : config.id());
    result.setModelId(model == null ? null : model.id());
    result.setUnconfigured(config == null ? true : null);
    result.setConfigSchema(config == null ? null : ConfigFingerprint.schemaText());
    score(score, result);
    provenance(provenance, result);
    LedgerEntry entry = new LedgerEntry(result, config, model);
    Reading reading = new EventReader().readJson(entry.toJson());
    if (reading instanceof Reading.Rejected rejected) {
      throw new IllegalArgumentException(rejected.detail());
    }
    EvalDigest.seal(result);
    return entry;
  }

  private static @Nullable Fingerprint known(@Nullable Fingerprint fingerprint) {
    return fingerprint == null || !fingerprint.isKnown() ? null : fingerprint;
  }

  private static Instant at(Provenance provenance, Instant now) {
    return provenance.to() != null
        ? provenance.to()
        : provenance.from() != null ? provenance.from() : now;
  }

  private static Instant micros(Instant at) {
    return at.truncatedTo(ChronoUnit.MICROS);
  }

  private static @Nullable Instant microsOrNull(@Nullable Instant at) {
    return at == null ? null : micros(at);
  }

  private static void score(Score score, EvalResult into) {
    into.setName(score.name());
    into.setMetric(score.metric());
    into.setValue(score.value());
    into.setN(score.n());
    into.setStderr(score.standardError());
    into.setHigherIsBetter(score.higherIsBetter());
    into.setDataset(score.dataset());
    into.setDatasetDigest(score.datasetDigest());
    into.setSettings(orNull(score.settings()));
  }

  private static void provenance(Provenance from, EvalResult into) {
    into.setHarness(from.harness());
    into.setHarnessVersion(from.harnessVersion());
    into.setFrom(microsOrNull(from.from()));
    into.setTo(microsOrNull(from.to()));
    into.setConcurrency(from.concurrency());
    into.setCommand(orNull(from.command().arguments()));
    into.setCommandLeftOut(orNull(from.command().leftOut()));
    into.setResultPaths(orNull(from.resultPaths()));
    into.setBy(from.by());
    into.setSupersedes(from.supersedes());
    Provenance.AskedSystem system = from.system();
    if (system != null) {
      into.setEndpoint(system.address());
      into.setSameSystem(system.throughout() ? true : null);
      into.setIntendedConfigId(system.intended() == null ? null : system.intended().id());
      into.setIntendedChanges(
          orNull(
              system.intendedChanges().stream()
                  .limit(MOST_CHANGES)
                  .map(change -> change.substring(0, Math.min(LONGEST_CHANGE, change.length())))
                  .toList()));
    }
  }

  private static @Nullable List<String> orNull(List<String> said) {
    return said.isEmpty() ? null : said;
  }

  private static @Nullable Map<String, String> orNull(Map<String, String> said) {
    return said.isEmpty() ? null : said;
  }
}

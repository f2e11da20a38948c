package io.servedrift.monitors.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.EvalResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Recorded scores for tests; single quotes stand for double ones in JSON. */
public final class Entries {
  static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  private Entries() {}

  public static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static Fingerprint config(String json) {
    return ConfigFingerprint.ofConfig(json(json));
  }

  static Fingerprint model(String name) {
    return ConfigFingerprint.ofModel(json("{'name':'" + name + "'}"));
  }

  static Score score(double value, Double error) {
    return score("overall", value, error);
  }

  static Score score(String metric, double value, Double error) {
    return score("geneval", metric, value, 553L, error, metric.equals("overall") ? true : null);
  }

  static Score score(
      String name, String metric, double value, Long n, Double error, Boolean higherIsBetter) {
    return new Score(name, metric, value, n, error, higherIsBetter, "geneval@1", null, Map.of());
  }

  /** The same record with another value, and the digest of the first. */
  public static LedgerEntry altered(LedgerEntry entry, double value) {
    EvalResult changed = EvalResult.newBuilder(entry.result()).build();
    changed.setValue(value);
    return new LedgerEntry(changed, entry.config(), entry.model());
  }

  /** A record that takes the place of another one. */
  public static LedgerEntry superseding(LedgerEntry old, Fingerprint config, double value) {
    return superseding(old, config, old.model(), score(value, .01));
  }

  static LedgerEntry superseding(
      LedgerEntry old, Fingerprint config, Fingerprint model, Score score) {
    Provenance plain = provenance(config, model);
    return EvidenceRecord.of(
        score,
        new Provenance(
            null,
            config,
            model,
            null,
            null,
            null,
            null,
            null,
            plain.command(),
            Map.of(),
            null,
            "ana",
            old.id()),
        NOW.plusSeconds(60));
  }

  static Provenance provenance(Fingerprint config, Fingerprint model) {
    return new Provenance(
        null,
        config,
        model,
        null,
        null,
        null,
        null,
        null,
        new SafeCommand(List.of(), List.of()),
        Map.of(),
        null,
        "ana",
        null);
  }

  /** A geneval/overall of 553 samples. */
  public static LedgerEntry entry(
      Fingerprint config, Fingerprint model, double value, Double error) {
    return EvidenceRecord.of(score(value, error), provenance(config, model), NOW);
  }
}

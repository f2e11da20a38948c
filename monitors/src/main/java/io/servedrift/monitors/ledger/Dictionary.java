package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the ids of configurations and models mean, as far as it was said. Not thread-safe. */
public final class Dictionary {
  private final Map<String, Fingerprint> configs = new HashMap<>();
  private final Map<String, Fingerprint> models = new HashMap<>();

  /** Takes an entry; an id is made of the content, so a later one says the same. */
  public void add(ConfigRecord meaning) {
    if (meaning.getConfigId() != null && meaning.getCounted() != null) {
      configs.put(
          meaning.getConfigId(),
          fingerprint(meaning.getConfigId(), meaning.getCounted(), meaning.getNotCounted()));
    }
    if (meaning.getModelId() != null && meaning.getModel() != null) {
      models.put(
          meaning.getModelId(),
          fingerprint(meaning.getModelId(), meaning.getModel(), meaning.getModelNotCounted()));
    }
  }

  /** Takes all entries of another one. */
  public void addAll(Dictionary other) {
    configs.putAll(other.configs);
    models.putAll(other.models);
  }

  private static Fingerprint fingerprint(String id, String counted, @Nullable String beside) {
    return new Fingerprint(id, counted, beside == null ? "{}" : beside, List.of());
  }

  /** The configuration of an id, null when nobody said it. */
  public @Nullable Fingerprint config(@Nullable String id) {
    return id == null ? null : configs.get(id);
  }

  /** The model of an id, null when nobody said it. */
  public @Nullable Fingerprint model(@Nullable String id) {
    return id == null ? null : models.get(id);
  }

  /** A score with what its ids mean. */
  public LedgerEntry entry(EvalResult result) {
    return new LedgerEntry(result, config(result.getConfigId()), model(result.getModelId()));
  }
}

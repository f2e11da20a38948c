package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a node of a deployment runs, as far as it said so lately.
 *
 * @param deployment the logical service; null when an endpoint was asked that does not say it
 * @param node the process, or the address that was asked
 * @param configId its configuration, null when it does not say it
 * @param modelId its model, null when it does not say it
 * @param config what configId means, null when nobody said it
 * @param model what modelId means, null when nobody said it
 * @param seenAt when it said so last
 */
public record LiveSystem(
    @Nullable String deployment,
    String node,
    @Nullable String configId,
    @Nullable String modelId,
    @Nullable Fingerprint config,
    @Nullable Fingerprint model,
    Instant seenAt) {
  /** An id that stands for nothing is not known. */
  public LiveSystem {
    configId = LedgerEntry.known(configId);
    modelId = LedgerEntry.known(modelId);
  }
}

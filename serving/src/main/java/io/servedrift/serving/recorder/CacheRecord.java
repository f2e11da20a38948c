package io.servedrift.serving.recorder;

import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.DenoiseCache;
import io.servedrift.schemas.avro.PrefixCache;
import org.jspecify.annotations.Nullable;

/** What the caches did. Not thread-safe: guarded by its {@link RequestRecorder}. */
final class CacheRecord {

  @Nullable Boolean hit;
  @Nullable CacheOutcome conditioning;
  @Nullable CacheOutcome negative;
  @Nullable CacheOutcome adapter;
  @Nullable PrefixCache prefix;
  @Nullable Double entryAgeSeconds;
  @Nullable Integer evictions;
  private int cachedSteps;
  private int executedSteps;

  void denoiseStep(boolean cached) {
    if (cached) {
      cachedSteps++;
    } else {
      executedSteps++;
    }
  }

  /** {@code null} when nothing is known of the caches. */
  @Nullable CacheUse toAvro(boolean denoiseObserved) {
    boolean denoiseKnown = denoiseObserved || cachedSteps + executedSteps > 0;
    if (hit == null
        && conditioning == null
        && negative == null
        && adapter == null
        && prefix == null
        && entryAgeSeconds == null
        && evictions == null
        && !denoiseKnown) {
      return null;
    }
    return CacheUse.newBuilder()
        .setHit(hit)
        .setConditioning(conditioning)
        .setNegative(negative)
        .setAdapter(adapter)
        .setPrefix(prefix)
        .setEntryAgeSeconds(entryAgeSeconds)
        .setEvictions(evictions)
        .setDenoise(denoiseKnown ? new DenoiseCache(cachedSteps, executedSteps) : null)
        .build();
  }
}

package io.servedrift.schemas;

import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.DenoiseCache;
import io.servedrift.schemas.avro.PrefixCache;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request had a cache hit. The typed members say <em>hit</em> if one of {@code
 * conditioning negative adapter} is {@code hit} or {@code partial}, if prefix tokens were found in
 * any tier, or if denoise steps were reused; they say <em>miss</em> if none says hit and one says
 * miss ({@code miss}, no prefix tokens, no cached steps). {@code bypass}, {@code unknown} and
 * absent members say nothing.
 */
public final class CacheHit {
  private CacheHit() {}

  /** The typed members' word, else the plain flag, else null: not known. */
  public static @Nullable Boolean of(@Nullable CacheUse use) {
    if (use == null) {
      return null;
    }
    Boolean typed = typed(use);
    return typed != null ? typed : use.getHit();
  }

  /** What the typed members alone say; null when they say nothing. */
  static @Nullable Boolean typed(CacheUse use) {
    int said =
        Math.max(
            said(use.getConditioning()), Math.max(said(use.getNegative()), said(use.getAdapter())));
    PrefixCache prefix = use.getPrefix();
    if (prefix != null) {
      said =
          Math.max(
              said,
              Math.max(
                  said(prefix.getDeviceTokens()),
                  Math.max(said(prefix.getHostTokens()), said(prefix.getStorageTokens()))));
    }
    DenoiseCache denoise = use.getDenoise();
    if (denoise != null) {
      said = Math.max(said, said(denoise.getCachedSteps()));
    }
    return said == 0 ? null : said == 2;
  }

  private static int said(@Nullable CacheOutcome outcome) {
    if (outcome == null) {
      return 0;
    }
    return switch (outcome) {
      case HIT, PARTIAL -> 2;
      case MISS -> 1;
      case UNKNOWN, BYPASS -> 0;
    };
  }

  private static int said(@Nullable Integer reused) {
    return reused == null ? 0 : reused > 0 ? 2 : 1;
  }
}

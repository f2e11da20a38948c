package io.servedrift.schemas;

import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.PrefixCache;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request had a cache hit: whether work was saved that depends on what others asked
 * before. The typed members say <em>hit</em> if {@code conditioning} or {@code negative} is {@code
 * hit} or {@code partial}, or if prefix tokens were found in any tier; they say <em>miss</em> if
 * none says hit and one says miss ({@code miss}, no prefix tokens). {@code bypass}, {@code unknown}
 * and absent members say nothing. Step reuse and loaded adapters have covariates of their own: with
 * step reuse switched on nearly every request reuses steps, and a flag that is always true would
 * hide the caches that differ.
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
    int said = Math.max(said(use.getConditioning()), said(use.getNegative()));
    PrefixCache prefix = use.getPrefix();
    if (prefix != null) {
      said =
          Math.max(
              said,
              Math.max(
                  said(prefix.getDeviceTokens()),
                  Math.max(said(prefix.getHostTokens()), said(prefix.getStorageTokens()))));
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

package io.servedrift.serving.recorder;

/**
 * What a serving node watches. Where it does, "did not happen" is known and recorded as 0; where it
 * does not, the field stays absent, which means <em>not known</em>.
 */
public enum Observed {
  /** Neighbours joining and leaving the batch while a request runs. */
  BATCH_CHANGES,
  /** Preemptions and stalled steps. */
  SCHEDULING,
  /** Denoising steps taken from the cache. */
  DENOISE_CACHE
}

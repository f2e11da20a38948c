package io.servedrift.serving.score.http;

import java.time.Duration;

/**
 * What one post may cost.
 *
 * @param maxBodyBytes largest body
 * @param maxItems most images in one body
 * @param maxImageBytes largest image as PNG or JPEG
 * @param maxPixels most pixels of all images of one body, read from their headers before anything
 *     is unpacked
 * @param maxPromptLength longest prompt, UTF-16 units
 * @param maxConcurrent most posts worked on at a time; others wait up to a second, then get 429
 * @param bodyBytesAtOnce bytes of bodies that are allocated at a time, of posts that are being sent
 *     or worked on; a post that needs more gets 429
 * @param bodyTimeout how long a post may take to send its body
 * @param drainTimeout how long a stop waits for the posts in work
 */
public record ScoreLimits(
    int maxBodyBytes,
    int maxItems,
    int maxImageBytes,
    int maxPixels,
    int maxPromptLength,
    int maxConcurrent,
    long bodyBytesAtOnce,
    Duration bodyTimeout,
    Duration drainTimeout) {

  /**
   * 16 MiB, 16 images of at most 8 MiB and together 16,777,216 pixels (16 of 1024x1024), prompts of
   * 4,000; 4 posts at a time, 96 MiB of bodies, 15 s for a body, 10 s to drain.
   */
  public static final ScoreLimits DEFAULT =
      new ScoreLimits(
          16 << 20,
          16,
          8 << 20,
          1 << 24,
          4_000,
          4,
          96L << 20,
          Duration.ofSeconds(15),
          Duration.ofSeconds(10));

  /** Checks the ranges. */
  public ScoreLimits {
    requireAtLeastOne("maxBodyBytes", maxBodyBytes);
    requireAtLeastOne("maxItems", maxItems);
    requireAtLeastOne("maxImageBytes", maxImageBytes);
    requireAtLeastOne("maxPixels", maxPixels);
    requireAtLeastOne("maxPromptLength", maxPromptLength);
    requireAtLeastOne("maxConcurrent", maxConcurrent);
    if (bodyBytesAtOnce <= maxBodyBytes) {
      throw new IllegalArgumentException(
          "scorer bodyBytesAtOnce=" + bodyBytesAtOnce + ": must be more than maxBodyBytes");
    }
    requireAtLeastOne("bodyTimeout in ms", bodyTimeout.toMillis());
    requireAtLeastOne("drainTimeout in ms", drainTimeout.toMillis());
  }

  private static void requireAtLeastOne(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("scorer " + name + "=" + value + ": must be at least 1");
    }
  }
}

package io.servedrift.serving.node.http;

import java.time.Duration;

/**
 * What a call may ask for.
 *
 * @param maxBodyBytes largest body, bytes
 * @param maxPromptChars longest prompt and longest negative prompt, UTF-16 characters
 * @param maxImages most images of one call
 * @param maxSteps most denoising steps
 * @param maxTimeout longest time a call may take, and what holds when it names none
 */
public record ApiLimits(
    int maxBodyBytes, int maxPromptChars, int maxImages, int maxSteps, Duration maxTimeout) {

  /** 64 KiB, 4,000 characters, 4 images, 200 steps, 60 s. */
  public static final ApiLimits DEFAULT =
      new ApiLimits(64 * 1024, 4_000, 4, 200, Duration.ofSeconds(60));

  public ApiLimits {
    requirePositive("maxBodyBytes", maxBodyBytes);
    requirePositive("maxPromptChars", maxPromptChars);
    requirePositive("maxImages", maxImages);
    requirePositive("maxSteps", maxSteps);
    if (maxTimeout.isNegative() || maxTimeout.isZero()) {
      throw new IllegalArgumentException("maxTimeout=" + maxTimeout + ": must be longer than 0s");
    }
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + "=" + value + ": must be at least 1");
    }
  }
}

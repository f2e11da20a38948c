package io.servedrift.monitors.demo;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Prompts that users repeat: classes with fixed shares, and within a class a few prompts that are
 * asked for often.
 */
final class PromptPool {
  private static final int PER_CLASS = 2000;
  private static final double SKEW = 1.05;

  private record PromptClass(String name, double share, double clip, double aesthetic) {}

  private static final PromptClass[] CLASSES = {
    new PromptClass("portrait", 0.35, 0.318, 5.85),
    new PromptClass("landscape", 0.25, 0.305, 5.95),
    new PromptClass("product", 0.20, 0.312, 5.40),
    new PromptClass("lettering", 0.12, 0.281, 5.05),
    new PromptClass("anime", 0.08, 0.309, 5.60),
  };

  private final double[] cumulative = new double[PER_CLASS];
  private final @Nullable Prompt[][] prompts = new @Nullable Prompt[CLASSES.length][PER_CLASS];
  private final long salt;

  PromptPool(long salt) {
    this.salt = salt;
    double sum = 0;
    for (int i = 0; i < PER_CLASS; i++) {
      sum += 1 / StrictMath.pow(i + 1.0, SKEW);
      cumulative[i] = sum;
    }
  }

  Prompt draw(SplittableRandom random) {
    double u = random.nextDouble();
    int c = 0;
    while (c < CLASSES.length - 1 && u >= CLASSES[c].share()) {
      u -= CLASSES[c++].share();
    }
    int at = Arrays.binarySearch(cumulative, random.nextDouble() * cumulative[PER_CLASS - 1]);
    int rank = Math.min(PER_CLASS - 1, at < 0 ? -at - 1 : at);
    Prompt prompt = prompts[c][rank];
    if (prompt == null) {
      prompt = make(c, rank);
      prompts[c][rank] = prompt;
    }
    return prompt;
  }

  private Prompt make(int c, int rank) {
    SplittableRandom own = new SplittableRandom(salt + 31L * rank + 1_000_003L * c);
    String hash =
        String.format(
            "%016x%016x%016x%016x", own.nextLong(), own.nextLong(), own.nextLong(), own.nextLong());
    return new Prompt(
        CLASSES[c].name(), hash, 6 + own.nextInt(60), CLASSES[c].clip(), CLASSES[c].aesthetic());
  }
}

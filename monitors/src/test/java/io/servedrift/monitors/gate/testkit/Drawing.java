package io.servedrift.monitors.gate.testkit;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/**
 * Pictures that follow from a prompt and a seed, and how well a picture shows its prompt. The
 * prompt is a pattern of grey blocks, the seed adds a little noise to it, damage adds more, and the
 * score is what is left of the pattern. Pure functions.
 */
final class Drawing {
  private static final int SIZE = 32;
  private static final int BLOCK = 8;
  private static final double OF_SEED = 12;
  private static final double OF_DAMAGE = 160;

  private Drawing() {}

  /**
   * A picture as PNG.
   *
   * @param damage 0 for none; 1 leaves hardly anything of the prompt
   */
  static byte[] png(String prompt, long seed, double damage) {
    double[] pattern = pattern(prompt);
    SplittableRandom ofSeed = new SplittableRandom(31L * prompt.hashCode() + seed);
    SplittableRandom ofDamage = new SplittableRandom(17L * prompt.hashCode() + seed);
    BufferedImage image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < SIZE * SIZE; i++) {
      double value =
          pattern[i]
              + OF_SEED * (2 * ofSeed.nextDouble() - 1)
              + damage * OF_DAMAGE * (2 * ofDamage.nextDouble() - 1);
      int grey = (int) Math.max(0, Math.min(255, Math.round(value)));
      image.setRGB(i % SIZE, i / SIZE, grey << 16 | grey << 8 | grey);
    }
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    try {
      ImageIO.write(image, "png", png);
    } catch (IOException e) {
      throw new IllegalStateException("writing into memory cannot fail", e);
    }
    return png.toByteArray();
  }

  /** Grey value of each pixel, 64 to 191, equal within a block. */
  private static double[] pattern(String prompt) {
    SplittableRandom random = new SplittableRandom(prompt.hashCode());
    double[] blocks = random.doubles((long) (SIZE / BLOCK) * (SIZE / BLOCK)).toArray();
    double[] pattern = new double[SIZE * SIZE];
    for (int i = 0; i < pattern.length; i++) {
      int block = i / SIZE / BLOCK * (SIZE / BLOCK) + i % SIZE / BLOCK;
      pattern[i] = 64 + 127 * blocks[block];
    }
    return pattern;
  }

  /** Grey values of a picture about their mean, scaled to length 1. */
  static double[] embedding(byte[] png) throws IOException {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    if (image == null) {
      throw new IOException("not an image");
    }
    double[] grey = new double[SIZE * SIZE];
    for (int i = 0; i < grey.length; i++) {
      grey[i] = image.getRGB(i % SIZE, i / SIZE) & 0xff;
    }
    return unit(grey);
  }

  /** How well a picture shows a prompt: about .3 for a clean one, as CLIP scores are. */
  static double score(String prompt, byte[] png) throws IOException {
    double[] seen = embedding(png);
    double[] asked = unit(pattern(prompt));
    double cosine = 0;
    for (int i = 0; i < seen.length; i++) {
      cosine += seen[i] * asked[i];
    }
    // Prompts differ in how well they can be drawn at all.
    double ofPrompt = .02 * new SplittableRandom(~prompt.hashCode()).nextDouble();
    return .1 + .2 * cosine + ofPrompt;
  }

  private static double[] unit(double[] values) {
    double mean = 0;
    for (double value : values) {
      mean += value / values.length;
    }
    double square = 0;
    for (double value : values) {
      square += (value - mean) * (value - mean);
    }
    double length = Math.max(1e-9, Math.sqrt(square));
    double[] unit = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      unit[i] = (values[i] - mean) / length;
    }
    return unit;
  }
}

package io.servedrift.serving.score;

import io.servedrift.serving.generation.ImageOutput;

/**
 * An image and what it should show. Holds the prompt's text, which never leaves the process.
 *
 * @param prompt what was asked for; a scorer cuts it after its own number of tokens
 * @param image the picture, not changed by anyone while it is scored
 */
public record ScoreInput(String prompt, ImageOutput image) {

  /** Largest side of an image, pixels; keeps sizes in bytes within an int. */
  public static final int MAX_SIDE = 16_384;

  /**
   * Checks that the image is whole.
   *
   * @throws IllegalArgumentException when a side is not between 1 and {@value #MAX_SIDE}, or the
   *     bytes are not three per pixel
   */
  public ScoreInput {
    int width = image.width();
    int height = image.height();
    if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
      throw new IllegalArgumentException(
          "image of " + width + "x" + height + ": sides must be between 1 and " + MAX_SIDE);
    }
    if (image.rgb().length != 3L * width * height) {
      throw new IllegalArgumentException(
          "image of "
              + width
              + "x"
              + height
              + " with "
              + image.rgb().length
              + " bytes: must be "
              + 3L * width * height);
    }
  }

  /** Without the prompt: its text belongs into no log. */
  @Override
  public String toString() {
    return "ScoreInput[" + image.width() + "x" + image.height() + "]";
  }
}

package io.servedrift.serving.score;

import io.servedrift.serving.generation.ImageOutput;

/**
 * Prepares an image for CLIP's image tower as the authors' code does (github.com/openai/CLIP,
 * {@code clip.py}, {@code _transform}): the shorter side is resized to the tower's size with
 * Pillow's bicubic filter, the centre is cut out, and each channel becomes {@code (value / 255 -
 * mean) / std}. Bit-equal to Pillow and torch: resized bytes are rounded after each of the two
 * passes, horizontal first. An image that has the tower's size already is only normalised.
 *
 * <p>Only the pixels within the cut are computed, so a narrow image costs no more than a square
 * one. Immutable.
 */
final class ClipPreprocessor {

  private final ImageSettings settings;

  ClipPreprocessor(ImageSettings settings) {
    this.settings = settings;
  }

  /** Side of the tower's square, pixels. */
  int size() {
    return settings.size();
  }

  /**
   * Resizes, cuts and normalises.
   *
   * @param image any size
   * @param target receives {@code 3 * size * size} values, all red first
   * @param offset where in {@code target}
   */
  void prepare(ImageOutput image, float[] target, int offset) {
    byte[] square = square(image);
    int pixels = settings.size() * settings.size();
    for (int channel = 0; channel < 3; channel++) {
      float mean = settings.mean()[channel];
      float std = settings.std()[channel];
      for (int i = 0; i < pixels; i++) {
        float value = (square[3 * i + channel] & 0xFF) / 255f;
        target[offset + channel * pixels + i] = (value - mean) / std;
      }
    }
  }

  /** The centre of the resized image: {@code size * size * 3} bytes. */
  byte[] square(ImageOutput image) {
    int size = settings.size();
    int shorter = Math.min(image.width(), image.height());
    int width = resized(image.width(), shorter);
    int height = resized(image.height(), shorter);
    BicubicAxis across = new BicubicAxis(image.width(), width, centre(width), size);
    BicubicAxis down = new BicubicAxis(image.height(), height, centre(height), size);
    int firstRow = down.firstInput();
    byte[] narrow = new byte[image.height() * size * 3];
    for (int y = firstRow; y < down.endInput(); y++) {
      for (int i = 0; i < 3 * size; i++) {
        int start = y * image.width() * 3 + i % 3;
        narrow[y * size * 3 + i] = (byte) across.at(image.rgb(), start, 3, i / 3);
      }
    }
    byte[] square = new byte[size * size * 3];
    for (int y = 0; y < size; y++) {
      for (int i = 0; i < 3 * size; i++) {
        square[y * size * 3 + i] = (byte) down.at(narrow, i, size * 3, y);
      }
    }
    return square;
  }

  /** The longer side is cut down to whole pixels, not rounded, as torchvision's Resize does. */
  private int resized(int side, int shorter) {
    return (int) ((double) ((long) settings.size() * side) / shorter);
  }

  /** Where the centre begins; a half is rounded to even, as Python's round does. */
  private int centre(int side) {
    return (int) Math.rint((side - settings.size()) / 2.0);
  }
}

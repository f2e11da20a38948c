package io.servedrift.serving.score;

/**
 * Bicubic resampling of lines of bytes along one axis, with the filter widened when shrinking, as
 * Pillow's {@code BICUBIC} does it: the cubic convolution kernel of Keys, "Cubic convolution
 * interpolation for digital image processing" (IEEE Trans. ASSP 29(6), 1981, eq. 4) with {@code a =
 * -0.5}, stretched by the scale, its weights normalised to sum 1 and rounded to 22 bits after the
 * point. CLIP was trained on images resized so; another filter moves its scores.
 *
 * <p>Only the outputs asked for are computed. Immutable.
 */
final class BicubicAxis {

  private static final double A = -0.5;
  private static final double RADIUS = 2;
  private static final int POINT = 22;
  private static final int HALF = 1 << (POINT - 1);

  private final int[] first;
  private final int[][] weights;

  /**
   * Weights for a window of the resized axis.
   *
   * @param from its length before, pixels
   * @param to its length after, pixels
   * @param start first output pixel wanted
   * @param count output pixels wanted
   */
  BicubicAxis(int from, int to, int start, int count) {
    first = new int[count];
    weights = new int[count][];
    double scale = (double) from / to;
    double stretch = Math.max(scale, 1);
    for (int i = 0; i < count; i++) {
      double center = (start + i + 0.5) * scale;
      int low = Math.max(0, (int) (center - RADIUS * stretch + 0.5));
      int high = Math.min(from, (int) (center + RADIUS * stretch + 0.5));
      first[i] = low;
      weights[i] = fixedPoint(kernel(low, high, center, stretch));
    }
  }

  private static double[] kernel(int low, int high, double center, double stretch) {
    double[] values = new double[high - low];
    double sum = 0;
    for (int i = 0; i < values.length; i++) {
      values[i] = keys((low + i - center + 0.5) / stretch);
      sum += values[i];
    }
    for (int i = 0; i < values.length; i++) {
      values[i] /= sum;
    }
    return values;
  }

  private static double keys(double at) {
    double x = Math.abs(at);
    if (x < 1) {
      return ((A + 2) * x - (A + 3)) * x * x + 1;
    }
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * A : 0;
  }

  private static int[] fixedPoint(double[] values) {
    int[] fixed = new int[values.length];
    for (int i = 0; i < fixed.length; i++) {
      // Half away from zero, unlike Math.round.
      fixed[i] = (int) (Math.signum(values[i]) * 0.5 + values[i] * (1 << POINT));
    }
    return fixed;
  }

  /** First input pixel that any output needs. */
  int firstInput() {
    return first[0];
  }

  /** The input pixel after the last one that any output needs. */
  int endInput() {
    int last = first.length - 1;
    return first[last] + weights[last].length;
  }

  /**
   * Computes one output value.
   *
   * @param line the bytes
   * @param offset where pixel 0 of the axis lies
   * @param stride bytes from one pixel of the axis to the next
   * @param output which of the wanted outputs
   * @return 0 to 255
   */
  int at(byte[] line, int offset, int stride, int output) {
    int[] w = weights[output];
    int sum = HALF;
    int index = offset + first[output] * stride;
    for (int weight : w) {
      sum += (line[index] & 0xFF) * weight;
      index += stride;
    }
    return Math.max(0, Math.min(255, sum >> POINT));
  }
}

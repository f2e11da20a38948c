package io.servedrift.monitors.gate.run;

import org.jspecify.annotations.Nullable;

/** How far apart two pictures of the same size are. Stateless. */
final class PictureDistance {
  private static final double PEAK = 255;

  /** Window of Wang et al. 2004, section III-B: 11 by 11, circular Gaussian of 1.5 pixels. */
  private static final int WINDOW = 11;

  private static final double SIGMA = 1.5;
  private static final double C1 = Math.pow(.01 * PEAK, 2);
  private static final double C2 = Math.pow(.03 * PEAK, 2);
  private static final double[] WEIGHTS = weights();

  private PictureDistance() {}

  private static double[] weights() {
    double[] weights = new double[WINDOW];
    double sum = 0;
    for (int i = 0; i < WINDOW; i++) {
      double x = i - WINDOW / 2;
      weights[i] = Math.exp(-x * x / (2 * SIGMA * SIGMA));
      sum += weights[i];
    }
    for (int i = 0; i < WINDOW; i++) {
      weights[i] /= sum;
    }
    return weights;
  }

  /**
   * Peak signal-to-noise ratio over the three channels, dB: {@code 10 log10(255^2 / MSE)}; infinite
   * when nothing differs.
   */
  static double psnrDb(Picture a, Picture b) {
    requireSameSize(a, b);
    double squares = 0;
    int[] left = a.rgb();
    int[] right = b.rgb();
    for (int i = 0; i < left.length; i++) {
      for (int shift = 0; shift <= 16; shift += 8) {
        int difference = ((left[i] >> shift) & 0xFF) - ((right[i] >> shift) & 0xFF);
        squares += (double) difference * difference;
      }
    }
    double mean = squares / (3.0 * left.length);
    return mean == 0 ? Double.POSITIVE_INFINITY : 10 * Math.log10(PEAK * PEAK / mean);
  }

  /**
   * Mean structural similarity of the luma (ITU-R BT.601), by Z. Wang, A. C. Bovik, H. R. Sheikh,
   * E. P. Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity",
   * IEEE Trans. Image Processing 13(4), 2004, equations 13 to 17, with K1 = .01 and K2 = .03, over
   * the windows that lie wholly in the picture.
   *
   * @return at most 1; null when a side is shorter than the window of 11 pixels
   */
  static @Nullable Double ssim(Picture a, Picture b) {
    requireSameSize(a, b);
    if (a.width() < WINDOW || a.height() < WINDOW) {
      return null;
    }
    double[] x = luma(a);
    double[] y = luma(b);
    int width = a.width();
    double[] meanX = blurred(x, width);
    double[] meanY = blurred(y, width);
    double[] squareX = blurred(product(x, x), width);
    double[] squareY = blurred(product(y, y), width);
    double[] both = blurred(product(x, y), width);
    double sum = 0;
    for (int i = 0; i < meanX.length; i++) {
      double mx = meanX[i];
      double my = meanY[i];
      double varianceX = squareX[i] - mx * mx;
      double varianceY = squareY[i] - my * my;
      double covariance = both[i] - mx * my;
      sum +=
          ((2 * mx * my + C1) * (2 * covariance + C2))
              / ((mx * mx + my * my + C1) * (varianceX + varianceY + C2));
    }
    return sum / meanX.length;
  }

  private static void requireSameSize(Picture a, Picture b) {
    if (!a.sameSize(b)) {
      throw new IllegalArgumentException(
          a.width()
              + "x"
              + a.height()
              + " and "
              + b.width()
              + "x"
              + b.height()
              + ": must be equal");
    }
  }

  private static double[] luma(Picture picture) {
    int[] rgb = picture.rgb();
    double[] luma = new double[rgb.length];
    for (int i = 0; i < rgb.length; i++) {
      int red = (rgb[i] >> 16) & 0xFF;
      int green = (rgb[i] >> 8) & 0xFF;
      int blue = rgb[i] & 0xFF;
      luma[i] = .299 * red + .587 * green + .114 * blue;
    }
    return luma;
  }

  private static double[] product(double[] x, double[] y) {
    double[] product = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      product[i] = x[i] * y[i];
    }
    return product;
  }

  /** Weighted means of the windows that lie wholly inside; first along rows, then along columns. */
  private static double[] blurred(double[] values, int width) {
    int height = values.length / width;
    int outWidth = width - WINDOW + 1;
    int outHeight = height - WINDOW + 1;
    double[] rows = new double[outWidth * height];
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < outWidth; x++) {
        double sum = 0;
        for (int k = 0; k < WINDOW; k++) {
          sum += WEIGHTS[k] * values[y * width + x + k];
        }
        rows[y * outWidth + x] = sum;
      }
    }
    double[] out = new double[outWidth * outHeight];
    for (int y = 0; y < outHeight; y++) {
      for (int x = 0; x < outWidth; x++) {
        double sum = 0;
        for (int k = 0; k < WINDOW; k++) {
          sum += WEIGHTS[k] * rows[(y + k) * outWidth + x];
        }
        out[y * outWidth + x] = sum;
      }
    }
    return out;
  }

  /**
   * Cosine of two vectors.
   *
   * @return null when they have other lengths or one is zero
   */
  static @Nullable Double cosine(float[] a, float[] b) {
    if (a.length != b.length) {
      return null;
    }
    double dot = 0;
    double squareA = 0;
    double squareB = 0;
    for (int i = 0; i < a.length; i++) {
      dot += (double) a[i] * b[i];
      squareA += (double) a[i] * a[i];
      squareB += (double) b[i] * b[i];
    }
    return squareA == 0 || squareB == 0 ? null : dot / Math.sqrt(squareA * squareB);
  }
}

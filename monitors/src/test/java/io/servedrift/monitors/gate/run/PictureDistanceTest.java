package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import org.junit.jupiter.api.Test;

class PictureDistanceTest {
  private static Picture picture(boolean changed) {
    int width = 24;
    int height = 20;
    int[] rgb = new int[width * height];
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        int red = (x * 7 + y * 3) % 256;
        int green = (x * x + y * 5) % 256;
        int blue = (x * y) % 256;
        if (changed) {
          red = Math.min(255, red + ((x + y) % 5) * 4);
          green = Math.max(0, green - ((x * 3 + y) % 7) * 3);
          blue = blue * 9 / 10;
        }
        rgb[y * width + x] = red << 16 | green << 8 | blue;
      }
    }
    return new Picture(width, height, rgb);
  }

  private static Picture grey(int value) {
    int[] rgb = new int[16 * 16];
    java.util.Arrays.fill(rgb, value << 16 | value << 8 | value);
    return new Picture(16, 16, rgb);
  }

  /** Reference by numpy, window by window in two dimensions, variances as central moments. */
  @Test
  void agreesWithTheReference() {
    assertThat(PictureDistance.psnrDb(picture(false), picture(true)))
        .isCloseTo(27.70934345977166, offset(1e-9));
    assertThat(PictureDistance.ssim(picture(false), picture(true)))
        .isCloseTo(0.9872419183468549, offset(1e-9));
  }

  /** Flat pictures leave only the luminance term, (2ab + C1)/(a^2 + b^2 + C1). */
  @Test
  void comparesFlatPicturesByLuminanceAlone() {
    double c1 = 6.5025;
    assertThat(PictureDistance.ssim(grey(100), grey(120)))
        .isCloseTo((2 * 100 * 120 + c1) / (100 * 100 + 120 * 120 + c1), offset(1e-9));
    // 10 log10(255^2 / 20^2)
    assertThat(PictureDistance.psnrDb(grey(100), grey(120))).isCloseTo(22.11, offset(.005));
  }

  @Test
  void findsNoDistanceOfAPictureFromItself() {
    assertThat(PictureDistance.psnrDb(picture(true), picture(true)))
        .isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(PictureDistance.ssim(picture(true), picture(true))).isCloseTo(1, offset(1e-12));
  }

  @Test
  void saysNothing_whenThePictureIsSmallerThanTheWindow() {
    Picture small = new Picture(10, 20, new int[200]);
    assertThat(PictureDistance.ssim(small, small)).isNull();
  }

  @Test
  void refusesOtherSizes() {
    assertThatThrownBy(() -> PictureDistance.psnrDb(grey(1), picture(true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16x16 and 24x20");
  }

  @Test
  void measuresTheAngleOfEmbeddings() {
    assertThat(PictureDistance.cosine(new float[] {3, 4}, new float[] {4, 3}))
        .isCloseTo(24.0 / 25, offset(1e-12));
    assertThat(PictureDistance.cosine(new float[] {0, 0}, new float[] {1, 0})).isNull();
    assertThat(PictureDistance.cosine(new float[] {1}, new float[] {1, 0})).isNull();
  }

  @Test
  void tellsPicturesApartByPixelsAndSize() {
    assertThat(picture(true).digest()).isEqualTo(picture(true).digest());
    assertThat(picture(true).digest()).isNotEqualTo(picture(false).digest());
    assertThat(new Picture(2, 8, new int[16]).digest())
        .isNotEqualTo(new Picture(4, 4, new int[16]).digest());
  }
}

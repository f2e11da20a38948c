package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.serving.generation.ImageOutput;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Random;
import javax.imageio.ImageIO;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class PngEncoderTest {

  @Property(tries = 50)
  void isReadBackPixelForPixel(
      @ForAll @IntRange(min = 1, max = 70) int width,
      @ForAll @IntRange(min = 1, max = 70) int height,
      @ForAll long seed)
      throws IOException {
    byte[] rgb = new byte[width * height * 3];
    new Random(seed).nextBytes(rgb);

    byte[] png = PngEncoder.encode(new ImageOutput(width, height, rgb));

    BufferedImage read = ImageIO.read(new ByteArrayInputStream(png));
    assertThat(read.getWidth()).isEqualTo(width);
    assertThat(read.getHeight()).isEqualTo(height);
    for (int i = 0; i < width * height; i++) {
      int expected =
          0xff000000
              | (rgb[3 * i] & 0xff) << 16
              | (rgb[3 * i + 1] & 0xff) << 8
              | (rgb[3 * i + 2] & 0xff);
      assertThat(read.getRGB(i % width, i / width)).isEqualTo(expected);
    }
    assertThat(PngEncoder.encode(new ImageOutput(width, height, rgb.clone()))).isEqualTo(png);
  }
}

package io.servedrift.serving.score;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.serving.generation.ImageOutput;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClipPreprocessorTest {

  private static ClipPreprocessor toSize(int size) {
    return new ClipPreprocessor(
        new ImageSettings(size, new float[] {0, 0, 0}, new float[] {1, 1, 1}));
  }

  @ParameterizedTest
  @ValueSource(strings = {"64x64", "64x48", "101x67", "30x43", "150x64"})
  void givesPillowsBytes_whenResizedAndCut(String name) {
    byte[] square = toSize(64).square(Fixtures.image(name + ".png"));

    assertThat(square).isEqualTo(Fixtures.image(name + "-to-64.png").rgb());
  }

  @Test
  void givesPillowsBytes_whenEnlargedToRealClipsSize() {
    byte[] square = toSize(224).square(Fixtures.image("101x67.png"));

    byte[] part = new byte[64 * 64 * 3];
    for (int y = 0; y < 64; y++) {
      System.arraycopy(square, ((60 + y) * 224 + 80) * 3, part, y * 64 * 3, 64 * 3);
    }
    assertThat(part).isEqualTo(Fixtures.image("101x67-to-224-part.png").rgb());
  }

  @Test
  void givesTorchsFloats_whenNormalised() {
    JsonNode expected = Fixtures.expected().path("normalised");
    ClipPreprocessor preprocessor =
        new ClipPreprocessor(
            new ImageSettings(64, floats(expected.path("mean")), floats(expected.path("std"))));
    float[] pixels = new float[2 + 3 * 64 * 64];
    preprocessor.prepare(Fixtures.image(expected.path("image").asText()), pixels, 2);

    assertThat(expected.path("at")).hasSize(9);
    for (JsonNode at : expected.path("at")) {
      int index = (at.get(0).asInt() * 64 + at.get(1).asInt()) * 64 + at.get(2).asInt();
      assertThat(pixels[2 + index]).as(at.toString()).isEqualTo(at.get(3).floatValue());
    }
    assertThat(pixels[0]).isZero();
    assertThat(pixels[1]).isZero();
  }

  @Property(tries = 200)
  void keepsOneColour_whateverTheSize(
      @ForAll @IntRange(min = 1, max = 90) int width,
      @ForAll @IntRange(min = 1, max = 90) int height,
      @ForAll byte value) {
    byte[] rgb = new byte[3 * width * height];
    Arrays.fill(rgb, value);

    byte[] square = toSize(16).square(new ImageOutput(width, height, rgb));

    byte[] plain = new byte[3 * 16 * 16];
    Arrays.fill(plain, value);
    assertThat(square).isEqualTo(plain);
  }

  private static float[] floats(JsonNode array) {
    float[] values = new float[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).floatValue();
    }
    return values;
  }
}

package io.servedrift.serving.score;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.serving.generation.ImageOutput;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import javax.imageio.ImageIO;

/** What {@code src/test/python/make_scorer_fixtures.py} wrote: torch's and Pillow's values. */
public final class Fixtures {

  private Fixtures() {}

  public static Path path(String name) {
    try {
      return Path.of(
          Objects.requireNonNull(Fixtures.class.getResource("/scorer/" + name), name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An RGB picture of the fixtures. */
  public static ImageOutput image(String name) {
    try {
      BufferedImage image = ImageIO.read(path(name).toFile());
      byte[] rgb = new byte[3 * image.getWidth() * image.getHeight()];
      for (int i = 0; i < rgb.length; i++) {
        int pixel = i / 3;
        int x = pixel % image.getWidth();
        int y = pixel / image.getWidth();
        rgb[i] = (byte) (image.getRGB(x, y) >> (16 - 8 * (i % 3)));
      }
      return new ImageOutput(image.getWidth(), image.getHeight(), rgb);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] bytes(String name) {
    try {
      return Files.readAllBytes(path(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static JsonNode expected() {
    try {
      return new ObjectMapper().readTree(path("expected.json").toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

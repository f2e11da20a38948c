package io.servedrift.serving.score.http;

import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.score.ScoreInput;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * Unpacks PNG and JPEG to RGB bytes as Pillow's {@code open(...).convert("RGB")} does: samples as
 * they are stored, colour profiles, gamma and orientation ignored, alpha dropped, gray tripled.
 * Sides are read from the header and checked before any pixel is unpacked. Stateless.
 */
final class ImageDecoder {

  private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  private static final byte[] JPEG = {(byte) 0xFF, (byte) 0xD8, (byte) 0xFF};

  private ImageDecoder() {}

  /**
   * Unpacks an image.
   *
   * @param file the PNG or JPEG
   * @param maxPixels most pixels it may have, after the other images of the post
   * @param param the field to name in an error
   */
  static ImageOutput decode(byte[] file, long maxPixels, String param) throws ApiException {
    ImageReader reader = ImageIO.getImageReadersByFormatName(format(file, param)).next();
    try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
      // Metadata is not read: text chunks unpack to any size.
      reader.setInput(in, true, true);
      checkSides(reader.getWidth(0), reader.getHeight(0), maxPixels, param);
      return rgb(reader.read(0));
    } catch (IOException | RuntimeException broken) {
      // The readers throw about anything at broken files; what they say helps nobody.
      throw ApiException.invalid(param, "cannot be decoded; must be a whole RGB or gray image");
    } finally {
      reader.dispose();
    }
  }

  private static String format(byte[] file, String param) throws ApiException {
    if (startsWith(file, PNG)) {
      return "png";
    }
    if (startsWith(file, JPEG)) {
      return "jpeg";
    }
    throw ApiException.invalid(param, "not an image known here; must be PNG or JPEG");
  }

  private static boolean startsWith(byte[] file, byte[] magic) {
    return file.length >= magic.length
        && Arrays.equals(file, 0, magic.length, magic, 0, magic.length);
  }

  private static void checkSides(int width, int height, long maxPixels, String param)
      throws ApiException {
    if (width > ScoreInput.MAX_SIDE || height > ScoreInput.MAX_SIDE) {
      throw ApiException.invalid(
          param, width + "x" + height + "; sides must be at most " + ScoreInput.MAX_SIDE);
    }
    if ((long) width * height > maxPixels) {
      throw ApiException.invalid(
          param,
          width
              + "x"
              + height
              + " pixels; must be at most "
              + maxPixels
              + ", what is left for this post");
    }
  }

  private static ImageOutput rgb(BufferedImage image) {
    int width = image.getWidth();
    int height = image.getHeight();
    byte[] rgb = new byte[3 * width * height];
    if (image.getColorModel() instanceof ComponentColorModel model
        && (model.getNumColorComponents() == 1 || model.getNumColorComponents() == 3)) {
      copySamples(image.getRaster(), model, rgb);
    } else {
      int[] row = new int[width];
      for (int y = 0; y < height; y++) {
        image.getRGB(0, y, width, 1, row, 0, width);
        for (int i = 0; i < 3 * width; i++) {
          rgb[3 * y * width + i] = (byte) (row[i / 3] >> (16 - 8 * (i % 3)));
        }
      }
    }
    return new ImageOutput(width, height, rgb);
  }

  /** Java's own conversion would take gray for linear light and brighten it. */
  private static void copySamples(Raster raster, ComponentColorModel model, byte[] rgb) {
    int width = raster.getWidth();
    int bands = raster.getNumBands();
    boolean gray = model.getNumColorComponents() == 1;
    int shift = model.getComponentSize(0) - Byte.SIZE;
    int[] row = new int[width * bands];
    for (int y = 0; y < raster.getHeight(); y++) {
      raster.getPixels(0, y, width, 1, row);
      for (int i = 0; i < 3 * width; i++) {
        int sample = row[i / 3 * bands + (gray ? 0 : i % 3)];
        rgb[3 * y * width + i] = (byte) (sample >> shift);
      }
    }
  }
}

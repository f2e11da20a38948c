package io.servedrift.monitors.gate.run;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/**
 * Pixels of an image, without its file: two files with other metadata can be the same picture.
 * Immutable by convention: nobody writes into the array.
 *
 * @param width in pixels
 * @param height in pixels
 * @param rgb {@code 0xRRGGBB}, row by row
 */
@SuppressWarnings("ArrayRecordComponent")
record Picture(int width, int height, int[] rgb) {
  /** Of a picture; 8192 by 8192. */
  static final long MAX_PIXELS = 1L << 26;

  private static final int OPAQUE = 0xFFFFFF;

  /**
   * Decodes PNG, JPEG or what else the Java platform reads. Alpha is dropped.
   *
   * @throws IOException when it is no image, is broken, or has more pixels than allowed, which its
   *     header tells before anything is unpacked
   */
  static Picture decode(byte[] file) throws IOException {
    try (ImageInputStream in = ImageIO.createImageInputStream(new ByteArrayInputStream(file))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
      if (!readers.hasNext()) {
        throw new IOException("no image that can be read here");
      }
      ImageReader reader = readers.next();
      try {
        reader.setInput(in, true, true);
        long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
        if (pixels > MAX_PIXELS) {
          throw new IOException(pixels + " pixels: must be at most " + MAX_PIXELS);
        }
        return of(reader.read(0));
      } catch (RuntimeException e) {
        // What the platform's readers throw on some broken files.
        throw new IOException("a broken image", e);
      } finally {
        reader.dispose();
      }
    }
  }

  private static Picture of(BufferedImage image) {
    int width = image.getWidth();
    int height = image.getHeight();
    int[] rgb = image.getRGB(0, 0, width, height, null, 0, width);
    for (int i = 0; i < rgb.length; i++) {
      rgb[i] &= OPAQUE;
    }
    return new Picture(width, height, rgb);
  }

  /** SHA-256 over size and pixels. */
  String digest() {
    MessageDigest digest = Digests.sha256();
    digest.update(ByteBuffer.allocate(8).putInt(width).putInt(height).flip());
    byte[] row = new byte[3 * width];
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        int pixel = rgb[y * width + x];
        row[3 * x] = (byte) (pixel >> 16);
        row[3 * x + 1] = (byte) (pixel >> 8);
        row[3 * x + 2] = (byte) pixel;
      }
      digest.update(row);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  boolean sameSize(Picture other) {
    return width == other.width && height == other.height;
  }
}

package io.servedrift.ingest.gateway;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/**
 * The difference hash of a picture: 64 bits that say of 8 x 8 places whether it gets brighter to
 * the right (Krawetz 2013, "Kind of Like That"). Equal pictures have equal hashes, alike ones
 * differ in few bits, pictures of something else in about half of them.
 */
final class ImageHash {

  private static final int SIDE = 8;
  private static final int MAX_PIXELS = 16_777_216;

  private ImageHash() {}

  /**
   * The hash of a PNG or JPEG.
   *
   * @throws IOException when it is no such image or has more than 16,777,216 pixels
   */
  static long of(byte[] image) throws IOException {
    BufferedImage small = shrunk(read(image));
    long hash = 0;
    for (int y = 0; y < SIDE; y++) {
      for (int x = 0; x < SIDE; x++) {
        boolean brighter = brightness(small, x + 1, y) > brightness(small, x, y);
        hash = hash << 1 | (brighter ? 1 : 0);
      }
    }
    return hash;
  }

  /** In how many of 64 bits two hashes differ. */
  static int distance(long one, long other) {
    return Long.bitCount(one ^ other);
  }

  /** Looks at the size before anything is unpacked. */
  private static BufferedImage read(byte[] image) throws IOException {
    try (ImageInputStream in = ImageIO.createImageInputStream(new ByteArrayInputStream(image))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
      if (!readers.hasNext()) {
        throw new IOException("no PNG or JPEG");
      }
      ImageReader reader = readers.next();
      try {
        reader.setInput(in);
        if ((long) reader.getWidth(0) * reader.getHeight(0) > MAX_PIXELS) {
          throw new IOException("more than " + MAX_PIXELS + " pixels");
        }
        return reader.read(0);
      } finally {
        reader.dispose();
      }
    } catch (RuntimeException broken) {
      throw new IOException("no readable image", broken);
    }
  }

  private static BufferedImage shrunk(BufferedImage image) {
    BufferedImage current = image;
    // Halving keeps every pixel's weight; one large step of bilinear scaling would skip most.
    while (current.getWidth() > 4 * SIDE && current.getHeight() > 4 * SIDE) {
      current = scaled(current, current.getWidth() / 2, current.getHeight() / 2);
    }
    return scaled(current, SIDE + 1, SIDE);
  }

  private static BufferedImage scaled(BufferedImage image, int width, int height) {
    BufferedImage made = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = made.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    graphics.drawImage(image, 0, 0, width, height, null);
    graphics.dispose();
    return made;
  }

  /** Rec. 601 luma, times 1000. */
  private static int brightness(BufferedImage image, int x, int y) {
    int rgb = image.getRGB(x, y);
    return 299 * (rgb >> 16 & 255) + 587 * (rgb >> 8 & 255) + 114 * (rgb & 255);
  }
}

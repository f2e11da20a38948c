package io.servedrift.serving.node;

import io.servedrift.serving.generation.ImageOutput;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes PNG files (W3C, Portable Network Graphics, third edition): 8 bits per channel, RGB, not
 * interlaced. Equal images give equal bytes, so the digest of the file is one of the image.
 */
final class PngEncoder {

  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  private static final byte BIT_DEPTH = 8;
  private static final byte TRUE_COLOUR = 2;

  /** Filter type 1, "Sub": each byte less the one of the same channel to its left. */
  private static final byte FILTER_SUB = 1;

  private static final int CHANNELS = 3;

  private PngEncoder() {}

  /** The image as a PNG file. */
  static byte[] encode(ImageOutput image) {
    ByteArrayOutputStream file = new ByteArrayOutputStream(image.rgb().length / 2 + 128);
    file.writeBytes(SIGNATURE);
    ByteBuffer header = ByteBuffer.allocate(13);
    header.putInt(image.width()).putInt(image.height()).put(BIT_DEPTH).put(TRUE_COLOUR);
    chunk(
        file, "IHDR", header.array()); // the three zero bytes left: deflate, filters, no interlace
    chunk(file, "IDAT", deflated(filtered(image)));
    chunk(file, "IEND", new byte[0]);
    return file.toByteArray();
  }

  private static byte[] filtered(ImageOutput image) {
    int row = image.width() * CHANNELS;
    byte[] rgb = image.rgb();
    byte[] lines = new byte[image.height() * (row + 1)];
    int to = 0;
    for (int y = 0; y < image.height(); y++) {
      lines[to++] = FILTER_SUB;
      int from = y * row;
      for (int x = 0; x < row; x++) {
        int left = x < CHANNELS ? 0 : rgb[from + x - CHANNELS];
        lines[to++] = (byte) (rgb[from + x] - left);
      }
    }
    return lines;
  }

  private static byte[] deflated(byte[] bytes) {
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(bytes);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 2 + 64);
      byte[] part = new byte[8 * 1024];
      while (!deflater.finished()) {
        out.write(part, 0, deflater.deflate(part));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static void chunk(ByteArrayOutputStream file, String type, byte[] data) {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    CRC32 crc = new CRC32();
    crc.update(name);
    crc.update(data);
    file.writeBytes(ByteBuffer.allocate(4).putInt(data.length).array());
    file.writeBytes(name);
    file.writeBytes(data);
    file.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
  }
}

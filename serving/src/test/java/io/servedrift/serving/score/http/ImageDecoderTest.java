package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.score.Fixtures;
import java.awt.image.BufferedImage;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageDecoderTest {

  private static final int ROOM = 1 << 20;

  /** The second is what Pillow makes of the first with {@code convert("RGB")}. */
  @ParameterizedTest
  @CsvSource({
    "101x67.png, 101x67.png",
    "gray.png, gray-rgb.png",
    "palette.png, palette-rgb.png",
    "alpha.png, 101x67.png",
    "photo.jpg, photo-decoded.png"
  })
  void givesPillowsBytes(String file, String expected) throws ApiException {
    ImageOutput image = ImageDecoder.decode(Fixtures.bytes(file), ROOM, "image");

    ImageOutput wanted = Fixtures.image(expected);
    assertThat(image.width()).isEqualTo(wanted.width());
    assertThat(image.height()).isEqualTo(wanted.height());
    assertThat(image.rgb()).isEqualTo(wanted.rgb());
  }

  @Test
  void takesTheUpperByte_whenSamplesHaveSixteenBits() throws IOException, ApiException {
    BufferedImage deep = new BufferedImage(2, 1, BufferedImage.TYPE_USHORT_GRAY);
    WritableRaster raster = deep.getRaster();
    raster.setSample(0, 0, 0, 0x1234);
    raster.setSample(1, 0, 0, 0xFFFF);
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    ImageIO.write(deep, "png", png);

    assertThat(ImageDecoder.decode(png.toByteArray(), ROOM, "image").rgb())
        .containsExactly(0x12, 0x12, 0x12, 0xFF, 0xFF, 0xFF);
  }

  @Test
  void refusesByHeader_whenThereAreTooManyPixels() {
    byte[] bomb = header(10_000, 10_000);

    assertThatThrownBy(() -> ImageDecoder.decode(bomb, 1 << 24, "items[3].image"))
        .isInstanceOf(ApiException.class)
        .hasMessage(
            "items[3].image: 10000x10000 pixels; must be at most 16777216, what is left for this post");
  }

  @Test
  void refusesByHeader_whenASideIsTooLong() {
    assertThatThrownBy(() -> ImageDecoder.decode(header(2_000_000_000, 1), Long.MAX_VALUE, "image"))
        .hasMessage("image: 2000000000x1; sides must be at most 16384");
  }

  @Test
  void refuses_whenNeitherPngNorJpeg() {
    assertThatThrownBy(
            () -> ImageDecoder.decode("GIF89a".getBytes(StandardCharsets.US_ASCII), ROOM, "image"))
        .hasMessage("image: not an image known here; must be PNG or JPEG");
    assertThatThrownBy(() -> ImageDecoder.decode(new byte[0], ROOM, "image"))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void refuses_whenCutOff() {
    byte[] png = Fixtures.bytes("101x67.png");

    assertThatThrownBy(() -> ImageDecoder.decode(Arrays.copyOf(png, 300), ROOM, "image"))
        .hasMessage("image: cannot be decoded; must be a whole RGB or gray image");
  }

  @Property(tries = 300)
  void neverThrowsAnythingElse_whenBytesAreDamaged(
      @ForAll boolean jpeg, @ForAll @IntRange(min = 2, max = 2500) int at, @ForAll byte value) {
    byte[] file = Fixtures.bytes(jpeg ? "photo.jpg" : "64x64.png");
    file[at % file.length] = value;
    try {
      ImageOutput image = ImageDecoder.decode(file, ROOM, "image");
      assertThat(image.rgb()).hasSize(3 * image.width() * image.height());
    } catch (ApiException e) {
      assertThat(e.status()).isEqualTo(400);
      assertThat(e).hasMessageStartingWith("image: ");
    }
  }

  /** A PNG that promises a size and has no pixels: what it would unpack to does not matter. */
  private static byte[] header(int width, int height) {
    ByteBuffer png = ByteBuffer.allocate(33);
    png.put(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
    png.putInt(13).put(new byte[] {'I', 'H', 'D', 'R'}).putInt(width).putInt(height);
    png.put(new byte[] {8, 2, 0, 0, 0});
    CRC32 crc = new CRC32();
    crc.update(png.array(), 12, 17);
    return png.putInt((int) crc.getValue()).array();
  }
}

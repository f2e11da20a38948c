package io.servedrift.serving.engine;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import io.servedrift.serving.generation.ImageOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Latent to pixels, one image at a time. Used by one thread at a time. */
final class Decoder implements AutoCloseable {

  private final @Nullable TorchModule module;
  private final PipelineManifest.Latent latent;
  private final NDManager manager;

  private Decoder(@Nullable TorchModule module, PipelineManifest.Latent latent, Device device) {
    this.module = module;
    this.latent = latent;
    this.manager = NDManager.newBaseManager(device, "PyTorch");
  }

  static Decoder load(PipelineDirectory directory, Precision precision, Device device)
      throws IOException {
    Optional<Path> file = directory.file(Component.DECODER, precision);
    TorchModule module = file.isPresent() ? TorchModule.load(file.get(), device) : null;
    return new Decoder(module, directory.manifest().latent(), device);
  }

  /**
   * Decodes a latent.
   *
   * @param values {@code [C, h, w]}, row by row
   * @param width of the image
   * @param height of the image
   */
  ImageOutput decode(float[] values, int width, int height) {
    return new ImageOutput(width, height, rgb(pixels(values, width, height), width * height));
  }

  /** {@code [3, height, width]} in -1..1, row by row. */
  private float[] pixels(float[] values, int width, int height) {
    if (module == null) {
      return values;
    }
    float[] scaled = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      scaled[i] = (float) (values[i] / latent.scaling());
    }
    Shape in =
        new Shape(1, latent.channels(), height / latent.downscale(), width / latent.downscale());
    Shape out = new Shape(1, 3, height, width);
    try (NDManager step = manager.newSubManager()) {
      NDArray image = module.run(step, step.create(scaled, in));
      if (!image.getShape().equals(out)) {
        throw new IllegalStateException(
            "the decoder made " + image.getShape() + ": must be " + out);
      }
      return image.toFloatArray();
    }
  }

  /** Planes in -1..1 to interleaved bytes: {@code round(255 (x + 1) / 2)}, cut to 0..255. */
  private static byte[] rgb(float[] planes, int pixels) {
    byte[] rgb = new byte[3 * pixels];
    for (int channel = 0; channel < 3; channel++) {
      for (int i = 0; i < pixels; i++) {
        float value = planes[channel * pixels + i];
        if (!Float.isFinite(value)) {
          throw new IllegalStateException("a pixel is not finite");
        }
        rgb[3 * i + channel] = (byte) Math.round(255 * Math.min(1, Math.max(0, (value + 1.0) / 2)));
      }
    }
    return rgb;
  }

  /** Arrays that it holds on the device between two calls. */
  int arrays() {
    return manager.getManagedArrays().size() + (module == null ? 0 : module.arrays());
  }

  @Override
  public void close() {
    if (module != null) {
      module.close();
    }
    manager.close();
  }
}

package io.servedrift.serving.engine;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs the denoiser on a batch in which each request has its own timestep; guidance doubles the
 * batch, prompts first. Used by one thread at a time.
 */
final class Denoiser implements AutoCloseable {

  private final TorchModule module;
  private final ReducedDenoiser reduced;
  private final Faults faults;
  private final int channels;
  private final int downscale;
  private final NDManager manager;
  private @Nullable ConditioningBatch last;

  private Denoiser(
      TorchModule module,
      ReducedDenoiser reduced,
      Device device,
      PipelineManifest.Latent latent,
      Faults faults) {
    this.module = module;
    this.reduced = reduced;
    this.faults = faults;
    this.channels = latent.channels();
    this.downscale = latent.downscale();
    this.manager = NDManager.newBaseManager(device, "PyTorch");
  }

  static Denoiser load(
      PipelineDirectory directory, Precision precision, Device device, Faults faults)
      throws IOException {
    ReducedDenoiser reduced = ReducedDenoiser.of(directory, precision, device, faults);
    PaddingWarning.watch(directory.manifest(), faults);
    try {
      TorchModule module =
          TorchModule.load(directory.file(Component.DENOISER, precision).orElseThrow(), device);
      return new Denoiser(module, reduced, device, directory.manifest().latent(), faults);
    } catch (IOException | RuntimeException e) {
      reduced.close();
      throw e;
    }
  }

  /** Gives each request of the batch the prediction for its latent; all have one image size. */
  void predict(List<TorchGeneration> batch) {
    TorchGeneration first = batch.get(0);
    boolean guided = first.negative() != null;
    int rows = guided ? 2 * batch.size() : batch.size();
    int size = first.latent().length;
    float[] latents = new float[rows * size];
    float[] timesteps = new float[rows];
    for (int row = 0; row < rows; row++) {
      TorchGeneration generation = batch.get(row % batch.size());
      System.arraycopy(generation.latent(), 0, latents, row * size, size);
      timesteps[row] = generation.timestep();
    }
    float[] output = run(batch, latents, timesteps);
    for (int i = 0; i < batch.size(); i++) {
      float[] prompted = Arrays.copyOfRange(output, i * size, (i + 1) * size);
      if (guided) {
        guide(prompted, output, (batch.size() + i) * size, batch.get(i).request().guidanceScale());
      }
      batch.get(i).predicted(prompted);
    }
  }

  private float[] run(List<TorchGeneration> batch, float[] latents, float[] timesteps) {
    Set<Fault> active = faults.active();
    ConditioningBatch conditioning = conditioning(batch, active);
    int height = batch.get(0).request().height() / downscale;
    int width = batch.get(0).request().width() / downscale;
    Shape shape = new Shape(timesteps.length, channels, height, width);
    TorchModule other = lower(batch.size(), active);
    try (NDManager step = manager.newSubManager()) {
      NDArray output =
          (other == null ? module : other)
              .run(
                  step,
                  step.create(latents, shape),
                  step.create(timesteps),
                  conditioning.conditioning(),
                  conditioning.mask());
      if (!output.getShape().equals(shape)) {
        throw new IllegalStateException(
            "the denoiser made " + output.getShape() + ": must be " + shape);
      }
      float[] values = output.toFloatArray();
      if (other != null) {
        toWholeNumbers(values);
      }
      return values;
    }
  }

  /** As int8 without a scale: what dynamic quantisation alone loses shows in pixels only. */
  private static void toWholeNumbers(float[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) Math.rint(values[i]);
    }
  }

  /**
   * Classifier-free guidance: {@code u + w (c - u)} (Ho and Salimans 2022, eq. 6, where their w is
   * one less).
   */
  private static void guide(float[] prompted, float[] output, int offset, double scale) {
    for (int i = 0; i < prompted.length; i++) {
      double kept = output[offset + i];
      prompted[i] = (float) (kept + scale * (prompted[i] - kept));
    }
  }

  private ConditioningBatch conditioning(List<TorchGeneration> batch, Set<Fault> active) {
    ConditioningBatch present = last;
    if (present != null && present.isFor(batch, active)) {
      return present;
    }
    if (present != null) {
      last = null;
      present.close();
    }
    ConditioningBatch made = new ConditioningBatch(manager, batch, active);
    last = made;
    return made;
  }

  /** The module that a large batch runs instead, by {@link Fault#LARGE_BATCH_PRECISION}. */
  private @Nullable TorchModule lower(int batchSize, Set<Fault> active) {
    return batchSize >= ConditioningBatch.LARGE && active.contains(Fault.LARGE_BATCH_PRECISION)
        ? reduced.module()
        : null;
  }

  /** Arrays that it holds on the device between two calls. */
  int arrays() {
    ConditioningBatch present = last;
    return manager.getManagedArrays().size()
        + module.arrays()
        + (present == null ? 0 : present.arrays());
  }

  @Override
  public void close() {
    module.close();
    reduced.close();
    manager.close();
  }
}

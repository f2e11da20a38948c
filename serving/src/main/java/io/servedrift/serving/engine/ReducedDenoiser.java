package io.servedrift.serving.engine;

import ai.djl.Device;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The denoiser that {@link Fault#LARGE_BATCH_PRECISION} runs instead: of the lowest precision that
 * is below the usual one. Loaded when the fault is on at the start or is switched on, by the thread
 * that does so: a step never waits for it. Thread-safe.
 */
final class ReducedDenoiser implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ReducedDenoiser.class);
  private static final List<Precision> LOWEST_FIRST = List.of(Precision.INT8, Precision.BF16);

  private final PipelineDirectory directory;
  private final Precision usual;
  private final Device device;
  private volatile @Nullable TorchModule module;
  private boolean closed;

  private ReducedDenoiser(PipelineDirectory directory, Precision usual, Device device) {
    this.directory = directory;
    this.usual = usual;
    this.device = device;
  }

  /**
   * Loads it, if the fault is on, and from now on when it is switched on.
   *
   * @param precision that was asked for; the denoiser may have no file of it
   * @throws IOException when the fault is on and the file is not the manifest's or cannot be loaded
   */
  static ReducedDenoiser of(
      PipelineDirectory directory, Precision precision, Device device, Faults faults)
      throws IOException {
    boolean own = directory.manifest().has(Component.DENOISER, precision);
    ReducedDenoiser reduced =
        new ReducedDenoiser(directory, own ? precision : Precision.FP32, device);
    faults.addListener(
        (fault, on) -> {
          if (fault == Fault.LARGE_BATCH_PRECISION && on) {
            reduced.loadOrWarn();
          }
        });
    if (faults.on(Fault.LARGE_BATCH_PRECISION)) {
      try {
        reduced.load();
      } catch (IOException e) {
        reduced.close();
        throw e;
      }
    }
    return reduced;
  }

  /** The module; {@code null} when the fault was never on, or there is none. */
  @Nullable TorchModule module() {
    return module;
  }

  private void loadOrWarn() {
    try {
      load();
    } catch (IOException e) {
      log.warn("fault {} has no effect: {}", Fault.LARGE_BATCH_PRECISION.word(), e.getMessage());
    }
  }

  private synchronized void load() throws IOException {
    if (closed || module != null) {
      return;
    }
    Optional<Precision> lower = lower();
    if (lower.isEmpty()) {
      log.warn(
          "fault {} has no effect: the denoiser has no precision below {} on {}",
          Fault.LARGE_BATCH_PRECISION.word(),
          usual.word(),
          device);
      return;
    }
    module =
        TorchModule.load(directory.checkedFile(Component.DENOISER, lower.orElseThrow()), device);
  }

  /** Dynamic quantisation runs on the CPU only. */
  private Optional<Precision> lower() {
    return LOWEST_FIRST.stream()
        .filter(precision -> precision.compareTo(usual) > 0)
        .filter(precision -> precision != Precision.INT8 || !device.isGpu())
        .filter(precision -> directory.manifest().has(Component.DENOISER, precision))
        .findFirst();
  }

  /** Frees it; later changes of the fault load nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    TorchModule loaded = module;
    if (loaded != null) {
      loaded.close();
    }
  }
}

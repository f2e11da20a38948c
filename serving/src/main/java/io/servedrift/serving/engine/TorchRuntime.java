package io.servedrift.serving.engine;

import ai.djl.Device;
import ai.djl.engine.Engine;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The PyTorch engine of this process. Its native library reads the number of threads once, when the
 * first model or array is made, so {@link #start} has to come before that; without it the first use
 * starts it with one thread. Thread-safe.
 */
public final class TorchRuntime {

  private static final String ENGINE = "PyTorch";
  private static final Pattern DEVICE = Pattern.compile("auto|cpu|gpu|gpu:[0-9]{1,2}");
  private static int threads;

  private TorchRuntime() {}

  /**
   * Starts the engine without network, with so many threads for one operation; again with the same
   * number it does nothing.
   *
   * @param count at least 1
   * @throws IllegalStateException when it runs with another number already
   */
  public static synchronized void start(int count) {
    if (count < 1 || count > 1024) {
      throw new IllegalArgumentException("threads=" + count + ": must be between 1 and 1024");
    }
    if (threads != 0 && threads != count) {
      throw new IllegalStateException(
          "threads=" + count + ": the engine of this process runs with " + threads + " already");
    }
    if (threads == 0) {
      stayOffline();
      System.setProperty("ai.djl.pytorch.num_threads", Integer.toString(count));
      System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
      // The optimiser profiles a module's first calls and then runs other kernels: the first images
      // of a node would differ from later ones in their last bits, and take longer.
      System.setProperty("ai.djl.pytorch.graph_optimizer", "false");
      Engine.getEngine(ENGINE);
      threads = count;
    }
  }

  /**
   * Keeps DJL from looking for native libraries on the network, also where the engine is not used.
   */
  static void stayOffline() {
    System.setProperty("ai.djl.offline", "true");
  }

  /** The engine; with one thread when nobody said how many. */
  private static synchronized Engine engine() {
    if (threads == 0) {
      start(1);
    }
    return Engine.getEngine(ENGINE);
  }

  /** Version of the engine's native library. */
  public static String version() {
    return engine().getVersion();
  }

  /**
   * A device by its word.
   *
   * @param word {@code cpu}, {@code gpu}, {@code gpu:1}, ..., or {@code auto}: the first GPU, if
   *     the engine sees one, else the CPU
   * @throws IllegalArgumentException when it is no such word or there is no such GPU
   */
  public static Device device(String word) {
    String name = word.toLowerCase(Locale.ROOT);
    if (!DEVICE.matcher(name).matches()) {
      throw new IllegalArgumentException("device=" + word + ": must be auto, cpu, gpu or gpu:N");
    }
    int gpus = engine().getGpuCount();
    if (name.equals("cpu") || (name.equals("auto") && gpus == 0)) {
      return Device.cpu();
    }
    int index = name.startsWith("gpu:") ? Integer.parseInt(name.substring(4)) : 0;
    if (index >= gpus) {
      throw new IllegalArgumentException("device=" + word + ": the engine sees " + gpus + " GPUs");
    }
    return Device.gpu(index);
  }
}

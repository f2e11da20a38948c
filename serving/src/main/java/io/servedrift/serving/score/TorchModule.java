package io.servedrift.serving.score;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.translate.NoopTranslator;
import ai.djl.translate.TranslateException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** A TorchScript module from rows to rows. Not thread-safe. */
final class TorchModule implements AutoCloseable {

  private static final String ENGINE = "PyTorch";

  private final String name;
  private final Model model;
  private final Predictor<NDList, NDList> predictor;

  private TorchModule(String name, Model model) {
    this.name = name;
    this.model = model;
    this.predictor = model.newPredictor(new NoopTranslator());
  }

  /**
   * Loads a file whose digest was checked.
   *
   * @throws IOException when it cannot be read
   * @throws IllegalArgumentException when it is no TorchScript archive
   */
  static TorchModule load(Path directory, String file, Device device) throws IOException {
    Model model = Model.newInstance(file, device, ENGINE);
    try {
      model.load(directory, file);
      return new TorchModule(file, model);
    } catch (MalformedModelException e) {
      model.close();
      throw new IllegalArgumentException(
          directory.resolve(file) + " cannot be loaded: must be a TorchScript archive", e);
    } catch (IOException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  /** Where inputs are made; to be closed by the caller. */
  NDManager newManager() {
    return model.getNDManager().newSubManager();
  }

  /**
   * Runs the module.
   *
   * @param inputs of equal first dimension
   * @param rows that dimension
   * @param width values per row that must come out
   * @return the rows
   * @throws IllegalStateException when the module fails or gives another shape
   */
  float[][] rows(NDList inputs, int rows, int width) {
    float[] flat;
    try (NDList outputs = predictor.predict(inputs)) {
      NDArray output = outputs.singletonOrThrow();
      long[] shape = output.getShape().getShape();
      if (!Arrays.equals(shape, new long[] {rows, width})) {
        throw new IllegalStateException(
            name + " gave " + Arrays.toString(shape) + ": must be [" + rows + ", " + width + "]");
      }
      flat = output.toFloatArray();
    } catch (TranslateException e) {
      // The text of the cause may quote inputs; its class says enough for a log.
      throw new IllegalStateException(name + " failed", e);
    }
    float[][] result = new float[rows][];
    for (int i = 0; i < rows; i++) {
      result[i] = Arrays.copyOfRange(flat, i * width, (i + 1) * width);
    }
    return result;
  }

  @Override
  public void close() {
    predictor.close();
    model.close();
  }
}

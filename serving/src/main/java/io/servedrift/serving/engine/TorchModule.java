package io.servedrift.serving.engine;

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

/** A TorchScript module of tensors to one tensor. Used by one thread at a time. */
final class TorchModule implements AutoCloseable {

  private final Model model;
  private final Predictor<NDList, NDList> predictor;

  private TorchModule(Model model) {
    this.model = model;
    this.predictor = model.newPredictor(new NoopTranslator());
  }

  /** Loads a file whose content was checked; TorchScript may hold code. */
  static TorchModule load(Path file, Device device) throws IOException {
    String name = String.valueOf(file.getFileName());
    Model model = Model.newInstance(name, device, "PyTorch");
    try {
      model.load(file.toAbsolutePath().getParent(), name);
      return new TorchModule(model);
    } catch (IOException | MalformedModelException | RuntimeException e) {
      model.close();
      throw new IOException(name + ": cannot be loaded by the engine: " + e.getMessage(), e);
    }
  }

  /** Runs it; the result belongs to the manager. */
  NDArray run(NDManager manager, NDArray... inputs) {
    try {
      NDArray output = predictor.predict(new NDList(inputs)).singletonOrThrow();
      output.attach(manager);
      return output;
    } catch (TranslateException e) {
      throw new IllegalStateException(model.getName() + " failed: " + e.getCause(), e);
    }
  }

  /** Arrays that it holds on the device between two calls, its weights aside. */
  int arrays() {
    return model.getNDManager().getManagedArrays().size();
  }

  @Override
  public void close() {
    predictor.close();
    model.close();
  }
}

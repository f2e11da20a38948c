package io.servedrift.serving.node;

import io.servedrift.serving.cache.CacheStatistics;
import io.servedrift.serving.engine.EngineSettings;
import io.servedrift.serving.engine.InvalidPipelineException;
import io.servedrift.serving.engine.PipelineManifest;
import io.servedrift.serving.engine.Precision;
import io.servedrift.serving.engine.PromptTokenizer;
import io.servedrift.serving.engine.TorchBackend;
import io.servedrift.serving.engine.TorchRuntime;
import io.servedrift.serving.fault.Faults;
import java.io.IOException;
import java.nio.file.Path;

/** The PyTorch engine as the node sees it. Thread-safe. */
public final class TorchEngine implements EngineControls, AutoCloseable {

  /** Share of the entries that a storm drops at once. */
  private static final double MOST = 0.9;

  private static final String CPU = "cpu";

  private final TorchBackend backend;
  private final PromptTokenizer tokenizer;

  private TorchEngine(TorchBackend backend, PromptTokenizer tokenizer) {
    this.backend = backend;
    this.tokenizer = tokenizer;
  }

  /**
   * Loads a model; slow.
   *
   * @param faults that it obeys, also when they change
   * @throws InvalidPipelineException with every problem of the directory
   * @throws IOException when the engine cannot load it
   * @throws IllegalArgumentException when a setting does not fit the machine or the model
   */
  public static TorchEngine load(EngineSettings settings, Faults faults)
      throws InvalidPipelineException, IOException {
    TorchBackend backend = TorchBackend.load(settings, faults);
    PipelineManifest manifest = backend.manifest();
    boolean loaded = false;
    try {
      PromptTokenizer tokenizer =
          PromptTokenizer.load(
              settings.model().resolve(manifest.tokenizer()), manifest.maxTokens());
      loaded = true;
      return new TorchEngine(backend, tokenizer);
    } finally {
      if (!loaded) {
        backend.close();
      }
    }
  }

  /** Its sides, as {@link ServingNode} takes them; to be closed by {@link #close}. */
  public ServingNode.Engine parts() {
    return new ServingNode.Engine(backend, this, tokenizer::count, this);
  }

  @Override
  public ModelCard model() {
    PipelineManifest manifest = backend.manifest();
    return new ModelCard(
        manifest.name(),
        manifest.revision(),
        manifest.weightsDigest(),
        manifest.shapes().stream()
            .map(shape -> new ModelCard.Size(shape.width(), shape.height()))
            .toList(),
        manifest.maxTokens(),
        manifest.defaults().steps(),
        manifest.defaults().guidanceScale());
  }

  @Override
  public EngineCard engine() {
    EngineSettings settings = backend.settings();
    String precision = settings.precision().word();
    return new EngineCard(
        TorchRuntime.version(),
        hardware(backend.device()),
        1,
        backend.device().equals(CPU) ? settings.threads() : null,
        precision,
        precision,
        settings.precision() == Precision.INT8 ? "dynamic" : null,
        backend.sampler().word(),
        settings.conditioningCacheBytes(),
        settings.reuseThreshold());
  }

  /** What computes, of a device's word ({@code cpu}, {@code gpu}, {@code gpu:1}). */
  static String hardware(String device) {
    return device.split(":", 2)[0];
  }

  @Override
  public CacheStatistics cache() {
    return backend.conditioningCache();
  }

  @Override
  public int flushCache() {
    return backend.flushConditioningCache();
  }

  @Override
  public void evictMost() {
    backend.evictConditioning(MOST);
  }

  @Override
  public void reloadWeights(Path directory) throws IOException {
    try {
      backend.reload(directory);
    } catch (InvalidPipelineException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    backend.close();
    tokenizer.close();
  }
}

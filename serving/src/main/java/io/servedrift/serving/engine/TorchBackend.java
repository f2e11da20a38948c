package io.servedrift.serving.engine;

import ai.djl.Device;
import io.servedrift.serving.cache.CacheStatistics;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Diffusion with TorchScript modules on DJL's PyTorch engine. A request's image depends on the
 * request, the model and the settings; on its neighbours only as far as the kernels' arithmetic
 * does, which is measured, see the module's README.
 *
 * <p>{@link #begin}, {@link #step}, {@link #decode} and {@link #close} belong to one thread at a
 * time. The operations on the cache, {@link #manifest} and {@link #reload} may be called by any
 * thread meanwhile.
 */
public final class TorchBackend implements DiffusionBackend {

  private final EngineSettings settings;
  private final Device device;
  private final Conditioner conditioner;
  private final Denoiser denoiser;
  private final Decoder decoder;
  private final NoiseSchedule schedule;
  private final SamplerKind sampler;
  private volatile PipelineManifest manifest;

  private TorchBackend(
      EngineSettings settings,
      Device device,
      PipelineManifest manifest,
      Conditioner conditioner,
      Denoiser denoiser,
      Decoder decoder) {
    this.settings = settings;
    this.device = device;
    this.manifest = manifest;
    this.conditioner = conditioner;
    this.denoiser = denoiser;
    this.decoder = decoder;
    this.schedule = NoiseSchedule.of(manifest.schedule());
    this.sampler = settings.sampler() == null ? manifest.defaults().sampler() : settings.sampler();
  }

  /**
   * Checks a pipeline directory and loads it.
   *
   * @param faults looked at in every call
   * @throws InvalidPipelineException with every problem of the directory
   * @throws IOException when the engine cannot load a module
   * @throws IllegalArgumentException when a setting does not fit the machine or the model
   */
  public static TorchBackend load(EngineSettings settings, Faults faults)
      throws InvalidPipelineException, IOException {
    TorchRuntime.start(settings.threads());
    Device device = TorchRuntime.device(settings.device());
    PipelineDirectory directory = PipelineDirectory.read(settings.model());
    check(settings, device, directory.manifest());
    LoadedPipeline loaded = LoadedPipeline.load(directory, settings.precision(), device, faults);
    Conditioner conditioner =
        new Conditioner(loaded.encoder(), device, settings.conditioningCacheBytes(), faults);
    return new TorchBackend(
        settings, device, directory.manifest(), conditioner, loaded.denoiser(), loaded.decoder());
  }

  private static void check(EngineSettings settings, Device device, PipelineManifest manifest) {
    if (!manifest.has(settings.precision())) {
      throw new IllegalArgumentException(
          "precision=" + settings.precision().word() + ": the pipeline has no file of it");
    }
    if (settings.precision() == Precision.INT8 && device.isGpu()) {
      throw new IllegalArgumentException(
          "precision=int8: dynamic quantisation runs on the CPU only, device is " + device);
    }
    SamplerKind sampler = settings.sampler();
    if (sampler != null && !manifest.samplers().contains(sampler)) {
      throw new IllegalArgumentException(
          "sampler="
              + sampler.word()
              + ": the pipeline allows "
              + manifest.samplers().stream().map(SamplerKind::word).sorted().toList());
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException when the pipeline cannot make such an image; the message does
   *     not quote the prompt
   */
  @Override
  public Generation begin(ImageRequest request, RequestRecorder recorder) {
    check(request);
    long evictions = conditioner.cache().statistics().evictions();
    NoiseLevel[] path = schedule.path(request.steps());
    PipelineManifest.Latent latent = manifest.latent();
    int size =
        latent.channels()
            * (request.height() / latent.downscale())
            * (request.width() / latent.downscale());
    long started = System.nanoTime();
    Conditioned prompt = prompt(request, recorder);
    Conditioned negative = negative(request, recorder, prompt);
    recorder.addStage("text_encode", since(started));
    return new TorchGeneration(
        request,
        recorder,
        path,
        sampler.start(path, manifest.schedule().prediction()),
        new StepReuse(settings.reuseThreshold()),
        prompt,
        negative,
        evictions,
        SeededNoise.normal(request.seed(), size));
  }

  private void check(ImageRequest request) {
    PipelineManifest.ImageSize size =
        new PipelineManifest.ImageSize(request.width(), request.height());
    if (!manifest.shapes().contains(size)) {
      throw new IllegalArgumentException(
          "size=" + size + ": the pipeline makes " + manifest.shapes());
    }
    if (!Double.isFinite(request.guidanceScale())) {
      throw new IllegalArgumentException(
          "guidanceScale=" + request.guidanceScale() + ": must be a finite number");
    }
    if (!request.adapters().isEmpty()) {
      throw new IllegalArgumentException(
          "adapters=" + request.adapters() + ": the pipeline has none");
    }
  }

  private Conditioned prompt(ImageRequest request, RequestRecorder recorder) {
    Conditioned prompt = conditioner.of(request.prompt(), request.useCache());
    recorder.conditioningCache(prompt.outcome());
    if (prompt.hit()) {
      recorder.cacheEntryAge(prompt.lease().age());
    }
    return prompt;
  }

  /** {@code null} without guidance; gives the prompt's conditioning back when it fails. */
  private @Nullable Conditioned negative(
      ImageRequest request, RequestRecorder recorder, Conditioned prompt) {
    if (!request.guided()) {
      return null;
    }
    try {
      String text = request.negativePrompt();
      if (text == null || text.isEmpty()) {
        return conditioner.unconditional();
      }
      Conditioned negative = conditioner.of(text, request.useCache());
      recorder.negativeCache(negative.outcome());
      if (negative.hit() && !prompt.hit()) {
        recorder.cacheEntryAge(negative.lease().age());
      }
      return negative;
    } catch (RuntimeException e) {
      prompt.close();
      throw e;
    }
  }

  @Override
  public void step(List<Generation> batch) {
    List<TorchGeneration> all = new ArrayList<>();
    List<TorchGeneration> computing = new ArrayList<>();
    for (Generation each : batch) {
      TorchGeneration generation = (TorchGeneration) each;
      boolean reuses = generation.reusesOutput();
      generation.recorder().denoiseStep(reuses);
      all.add(generation);
      if (!reuses) {
        computing.add(generation);
      }
    }
    if (!computing.isEmpty()) {
      denoiser.predict(computing);
    }
    all.forEach(TorchGeneration::advance);
  }

  @Override
  public ImageOutput decode(Generation generation) {
    TorchGeneration finished = (TorchGeneration) generation;
    RequestRecorder recorder = finished.recorder();
    recorder.evictions(
        (int) (conditioner.cache().statistics().evictions() - finished.evictionsBefore()));
    long started = System.nanoTime();
    ImageOutput image =
        decoder.decode(finished.latent(), finished.request().width(), finished.request().height());
    recorder.addStage("decode", since(started));
    return image;
  }

  private static Duration since(long startedNanos) {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  /**
   * A copy of the latent as it is now, {@code [C, h, w]} row by row: to measure how far two runs of
   * a request are apart, step by step.
   */
  public float[] latent(Generation generation) {
    return ((TorchGeneration) generation).latent().clone();
  }

  /** The model as it is now; another after {@link #reload}. */
  public PipelineManifest manifest() {
    return manifest;
  }

  /** The settings it was loaded with. */
  public EngineSettings settings() {
    return settings;
  }

  /** The sampler in use. */
  public SamplerKind sampler() {
    return sampler;
  }

  /** Where it runs: {@code cpu} or {@code gpu:N}. */
  public String device() {
    return device.isGpu() ? "gpu:" + device.getDeviceId() : "cpu";
  }

  /** What the conditioning cache holds and did. */
  public CacheStatistics conditioningCache() {
    return conditioner.cache().statistics();
  }

  /**
   * Empties the conditioning cache.
   *
   * @return how many entries were dropped
   */
  public int flushConditioningCache() {
    return conditioner.cache().flush();
  }

  /**
   * Evicts the least recently used share of the conditioning cache, as lack of memory would.
   *
   * @param share 0 to 1
   * @return how many entries were dropped
   */
  public int evictConditioning(double share) {
    return conditioner.cache().evict(share);
  }

  /**
   * Replaces the text encoder by that of another directory, which must agree with the present one
   * in everything else. Requests that began keep their conditioning. Empties the conditioning
   * cache, unless {@link Fault#STALE_CACHE_AFTER_WEIGHTS} is on.
   *
   * @return the model from now on
   * @throws InvalidPipelineException with every problem of the directory
   * @throws IOException when the engine cannot load the module
   * @throws IllegalArgumentException when more than the text encoder differs
   */
  public synchronized PipelineManifest reload(Path model)
      throws InvalidPipelineException, IOException {
    PipelineDirectory directory = PipelineDirectory.read(model);
    manifest.requireSameButTextEncoder(directory.manifest());
    conditioner.replace(TextEncoder.load(directory, settings.precision(), device));
    manifest = directory.manifest();
    return manifest;
  }

  /** Arrays on the device between two calls; constant while the caches stay as they are. */
  int arrays() {
    return conditioner.arrays() + denoiser.arrays() + decoder.arrays();
  }

  @Override
  public void close() {
    denoiser.close();
    decoder.close();
    conditioner.close();
  }
}

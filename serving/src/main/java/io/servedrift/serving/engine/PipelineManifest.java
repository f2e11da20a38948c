package io.servedrift.serving.engine;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code pipeline.json} says of a text-to-image pipeline. Immutable.
 *
 * @param name of the model
 * @param revision of the model
 * @param weightsDigest {@code sha256:} and the digest over the sorted lines {@code "name sha256\n"}
 *     of the fp32 files; precision variants hold the same weights and do not change it
 * @param files the TorchScript file of each component and precision
 * @param sha256 hex digest of every file
 * @param tokenizer name of the {@code tokenizer.json}
 * @param maxTokens the most tokens of a prompt, special tokens included
 * @param padToMaxTokens for denoisers that were trained on prompts padded to {@code maxTokens} and
 *     attend to the padding (Stable Diffusion): the text encoder is told by its mask which tokens
 *     are padding, the denoiser attends to all of its output
 * @param latent what is diffused
 * @param shapes the image sizes that can be made
 * @param schedule the noise schedule of the training
 * @param samplers samplers that the model may be used with
 * @param defaults what a request gets that does not say
 */
public record PipelineManifest(
    String name,
    String revision,
    String weightsDigest,
    Map<Component, Map<Precision, String>> files,
    Map<String, String> sha256,
    String tokenizer,
    int maxTokens,
    boolean padToMaxTokens,
    Latent latent,
    List<ImageSize> shapes,
    Schedule schedule,
    Set<SamplerKind> samplers,
    Defaults defaults) {

  /**
   * What is diffused; pixels are a latent of 3 channels, downscale 1 and scaling 1.
   *
   * @param channels of the latent
   * @param downscale image pixels per latent position, in each direction
   * @param scaling the decoder gets the latent divided by it
   */
  public record Latent(int channels, int downscale, double scaling) {}

  /**
   * An image size in pixels.
   *
   * @param width pixels
   * @param height pixels
   */
  public record ImageSize(int width, int height) {
    @Override
    public String toString() {
      return width + "x" + height;
    }
  }

  /**
   * The noise schedule of the training.
   *
   * @param trainTimesteps number of timesteps
   * @param betas form of the schedule
   * @param betaStart first beta; not used by the cosine
   * @param betaEnd last beta; not used by the cosine
   * @param prediction what the denoiser predicts
   */
  public record Schedule(
      int trainTimesteps,
      BetaSchedule betas,
      double betaStart,
      double betaEnd,
      Prediction prediction) {}

  /**
   * What a request gets that does not say.
   *
   * @param sampler how the latent is led
   * @param steps denoising steps
   * @param guidanceScale weight of the prompt; 1 is without guidance
   */
  public record Defaults(SamplerKind sampler, int steps, double guidanceScale) {}

  public PipelineManifest {
    files = Map.copyOf(files);
    sha256 = Map.copyOf(sha256);
    shapes = List.copyOf(shapes);
    samplers = Set.copyOf(samplers);
  }

  /** The file of a component at a precision; without a variant of its own the fp32 file. */
  public Optional<String> file(Component component, Precision precision) {
    Map<Precision, String> variants = files.getOrDefault(component, Map.of());
    return Optional.ofNullable(variants.get(precision))
        .or(() -> Optional.ofNullable(variants.get(Precision.FP32)));
  }

  /** Whether any component has a variant of its own at a precision. */
  public boolean has(Precision precision) {
    return files.values().stream().anyMatch(variants -> variants.containsKey(precision));
  }

  /** Whether a component has a variant of its own at a precision. */
  boolean has(Component component, Precision precision) {
    return files.getOrDefault(component, Map.of()).containsKey(precision);
  }

  /**
   * Checks that another pipeline differs in its text encoder and revision at most.
   *
   * @throws IllegalArgumentException when more differs
   */
  void requireSameButTextEncoder(PipelineManifest other) {
    for (Component component : List.of(Component.DENOISER, Component.DECODER)) {
      if (!digests(component).equals(other.digests(component))) {
        throw new IllegalArgumentException(
            component.word() + ": must be that of the loaded model; only the text encoder reloads");
      }
    }
    requireSame("name", name, other.name);
    requireSame("latent", latent, other.latent);
    requireSame("shapes", shapes, other.shapes);
    requireSame("schedule", schedule, other.schedule);
    requireSame("samplers", samplers, other.samplers);
    requireSame("default", defaults, other.defaults);
    requireSame("max_tokens", maxTokens, other.maxTokens);
    requireSame("pad_to_max_tokens", padToMaxTokens, other.padToMaxTokens);
    requireSame("tokenizer", sha256.get(tokenizer), other.sha256.get(other.tokenizer));
  }

  private static void requireSame(String field, @Nullable Object mine, @Nullable Object others) {
    if (!Objects.equals(mine, others)) {
      throw new IllegalArgumentException(
          field + "=" + others + ": must be that of the loaded model, " + mine);
    }
  }

  private Map<Precision, String> digests(Component component) {
    Map<Precision, String> digests = new EnumMap<>(Precision.class);
    files
        .getOrDefault(component, Map.of())
        .forEach((precision, file) -> digests.put(precision, sha256.getOrDefault(file, "")));
    return digests;
  }
}

package io.servedrift.serving.node;

import java.util.List;

/**
 * What the API says and checks about the model that is loaded.
 *
 * @param name the model's name, as in the API's {@code model}
 * @param revision of the weights
 * @param weightsDigest {@code sha256:...} over the weights, the same in every precision
 * @param sizes image sizes that it makes, the usual one first
 * @param maxPromptTokens longest prompt it reads; more is cut by the tokenizer
 * @param defaultSteps denoising steps when a call names none
 * @param defaultGuidanceScale guidance when a call names none
 */
public record ModelCard(
    String name,
    String revision,
    String weightsDigest,
    List<Size> sizes,
    int maxPromptTokens,
    int defaultSteps,
    double defaultGuidanceScale) {

  public ModelCard {
    sizes = List.copyOf(sizes);
    if (sizes.isEmpty()) {
      throw new IllegalArgumentException("model " + name + ": must make at least one size");
    }
  }

  /**
   * Width and height of an image.
   *
   * @param width pixels
   * @param height pixels
   */
  public record Size(int width, int height) {
    /** As the API writes it, {@code 64x64}. */
    @Override
    public String toString() {
      return width + "x" + height;
    }
  }
}

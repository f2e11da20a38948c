package io.servedrift.monitors.gate;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint is at one moment. What is null could not be read.
 *
 * @param side which of the two
 * @param url its address, without secrets
 * @param configId fingerprint of {@code config}
 * @param config the resolved configuration
 * @param modelId fingerprint of {@code model}
 * @param model name, revision, weights digest
 * @param profile what it can do
 * @param problems why something could not be read, one sentence each
 */
public record EndpointFacts(
    Side side,
    String url,
    @Nullable String configId,
    @Nullable JsonNode config,
    @Nullable String modelId,
    @Nullable JsonNode model,
    EndpointProfile profile,
    List<String> problems) {
  public EndpointFacts {
    config = present(config);
    model = present(model);
    problems = List.copyOf(problems);
  }

  /** JSON that was read again says null where nothing is known. */
  private static @Nullable JsonNode present(@Nullable JsonNode node) {
    return node == null || node.isNull() || node.isMissingNode() ? null : node;
  }

  /** Digest of the weights; null when not known. */
  public @Nullable String weightsDigest() {
    JsonNode digest = model == null ? null : model.get("weights_digest");
    return digest == null || !digest.isTextual() || digest.textValue().isBlank()
        ? null
        : digest.textValue();
  }

  /** Whether the configuration could be recorded. */
  public boolean recorded() {
    return config != null && configId != null;
  }
}

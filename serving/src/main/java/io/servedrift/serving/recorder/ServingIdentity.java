package io.servedrift.serving.recorder;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What all requests of a serving process have in common.
 *
 * @param deployment the logical service
 * @param node the serving process; {@code null} when it has no name
 * @param configId fingerprint of the configuration in force, or {@code "unknown"}
 * @param modelId fingerprint of the model, or {@code "unknown"}
 * @param observed what the node watches
 */
public record ServingIdentity(
    String deployment,
    @Nullable String node,
    String configId,
    String modelId,
    Set<Observed> observed) {

  public ServingIdentity {
    observed = Set.copyOf(observed);
  }
}

package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Modality;
import org.jspecify.annotations.Nullable;

/**
 * What the operator of an endpoint declares about it, for what it does not tell itself. Immutable
 * by convention: nobody writes into the trees.
 *
 * @param where file it was read from, null when nothing was declared
 * @param profile what it can do
 * @param config its configuration, null when it tells that itself
 * @param model its model with {@code weights_digest}, null likewise
 * @param modelName name to ask for
 * @param always members of every call
 * @param recompute members of calls that must not use a cache
 * @param flushPath posted to empty the cache
 */
public record Declaration(
    @Nullable String where,
    EndpointProfile profile,
    @Nullable JsonNode config,
    @Nullable JsonNode model,
    @Nullable String modelName,
    @Nullable ObjectNode always,
    @Nullable ObjectNode recompute,
    @Nullable String flushPath) {

  /** Nothing is declared: nothing is promised. */
  public static Declaration none(Modality modality) {
    return new Declaration(
        null,
        new EndpointProfile(modality, true, true, false, false, false, false, false, null),
        null,
        null,
        null,
        null,
        null,
        null);
  }
}

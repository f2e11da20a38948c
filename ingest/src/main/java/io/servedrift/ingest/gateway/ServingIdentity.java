package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is known of the configuration and the model behind the gateway. Thread-safe. */
interface ServingIdentity {

  /** Nothing is known but the model's name, which requests and answers give. */
  ServingIdentity UNKNOWN = () -> null;

  /**
   * The configuration at this moment, null while it is not known.
   *
   * @param config the {@code config} object of the contract
   * @param model the {@code model} object of the contract; empty when only answers name it
   */
  record Known(ObjectNode config, ObjectNode model) {}

  /** What is known now. */
  @Nullable Known now();
}

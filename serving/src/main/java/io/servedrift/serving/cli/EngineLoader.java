package io.servedrift.serving.cli;

import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.node.ServingNode;
import java.io.IOException;

/** Loads a model. */
@FunctionalInterface
interface EngineLoader {

  /**
   * Loads a model; slow.
   *
   * @param faults that the engine obeys, also when they change
   * @throws IOException when the directory cannot be used; says what is wrong
   */
  ServingNode.Engine load(EngineOptions options, Faults faults) throws IOException;
}

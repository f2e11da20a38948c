package io.servedrift.serving.cli;

import io.servedrift.serving.engine.EngineSettings;
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
   * @throws IllegalArgumentException when a setting does not fit the machine or the model
   */
  ServingNode.Engine load(EngineSettings settings, Faults faults) throws IOException;
}

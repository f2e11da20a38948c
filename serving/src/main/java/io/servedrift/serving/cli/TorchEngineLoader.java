package io.servedrift.serving.cli;

import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.node.ServingNode;
import java.io.IOException;

/** tmp */
final class TorchEngineLoader implements EngineLoader {
  @Override
  public ServingNode.Engine load(EngineOptions options, Faults faults) throws IOException {
    throw new IOException("none");
  }
}

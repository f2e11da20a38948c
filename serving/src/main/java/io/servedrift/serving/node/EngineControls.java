package io.servedrift.serving.node;

import io.servedrift.serving.cache.CacheStatistics;
import java.io.IOException;
import java.nio.file.Path;

/** What the node asks of the engine beside images. Thread-safe. */
public interface EngineControls {

  /** The model that is loaded now. */
  ModelCard model();

  /** How the engine computes. */
  EngineCard engine();

  /** What the conditioning cache did since the start. */
  CacheStatistics cache();

  /** Empties the conditioning cache; returns how many entries it held. */
  int flushCache();

  /** Evicts most entries of the conditioning cache, as an eviction storm does. */
  void evictMost();

  /**
   * Loads the text encoder's weights anew.
   *
   * @param directory a model directory of the same shapes
   * @throws IOException when it cannot be read or does not fit; what was loaded stays
   */
  void reloadWeights(Path directory) throws IOException;
}

package io.servedrift.monitors.cli;

import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.ImageApi;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Wrong weights of the text encoder go live, are taken back, and leave what they made in the cache.
 * Immutable.
 *
 * @param files of the model
 * @param folder for a copy of it
 */
record WeightRollback(ServingFiles files, Path folder) {

  /** The wrong weights go live. */
  void rollOut(ImageApi api) throws IOException, InterruptedException {
    Path wrong = folder.resolve("off-by-one");
    files.copyOffByOne(wrong);
    api.reloadWeights(wrong);
  }

  /** The right ones come back; the fault comes first, as a reload empties the cache without it. */
  void takeBack(ImageApi api) throws IOException, InterruptedException {
    api.fault(DemoFault.STALE_CACHE_AFTER_WEIGHTS);
    api.reloadWeights(files.pipeline());
  }
}

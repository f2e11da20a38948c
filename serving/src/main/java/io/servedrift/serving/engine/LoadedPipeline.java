package io.servedrift.serving.engine;

import ai.djl.Device;
import io.servedrift.serving.fault.Faults;
import java.io.IOException;

/** The modules of a pipeline on their device. */
record LoadedPipeline(TextEncoder encoder, Denoiser denoiser, Decoder decoder) {

  /** Loads all modules, or none when one fails. */
  static LoadedPipeline load(
      PipelineDirectory directory, Precision precision, Device device, Faults faults)
      throws IOException {
    TextEncoder encoder = TextEncoder.load(directory, precision, device);
    try {
      Decoder decoder = Decoder.load(directory, precision, device);
      try {
        return new LoadedPipeline(
            encoder, Denoiser.load(directory, precision, device, faults), decoder);
      } catch (IOException | RuntimeException e) {
        decoder.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      encoder.close();
      throw e;
    }
  }
}

package io.servedrift.monitors.ledger;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Why each axis of a configuration belongs to a score, in a sentence. */
final class AxisReasons {
  private static final Map<String, String> CONFIG =
      Map.ofEntries(
          Map.entry("runtime.name", "another runtime has other kernels, samplers and defaults"),
          Map.entry("runtime.version", "a patch release can change kernels and defaults"),
          Map.entry(
              "runtime.libraries.cuda", "kernels and their order of summation change with it"),
          Map.entry(
              "runtime.libraries.cudnn", "chooses convolution algorithms, which round differently"),
          Map.entry("runtime.libraries.tensorrt", "fuses layers and picks the precision of each"),
          Map.entry("runtime.libraries.driver", "just-in-time compiled kernels come from it"),
          Map.entry("runtime.libraries.torch", "attention and random numbers come from it"),
          Map.entry(
              "orchestrator.name", "routes requests, and so decides which share a batch or cache"),
          Map.entry("orchestrator.version", "its routing and its defaults change with it"),
          Map.entry("precision.weights", "fewer bits move outputs; a bf16 score bounds an fp8 one"),
          Map.entry("precision.activations", "outliers are lost in 8 bits, prompt by prompt"),
          Map.entry("precision.kv_cache", "8 bits in the cache hurt long prompts most"),
          Map.entry("precision.method", "calibration and layers left out differ between methods"),
          Map.entry("sampling.temperature", "a score at 0 says little about a service at 0.7"),
          Map.entry("sampling.top_p", "cuts the tail from which rare answers come"),
          Map.entry("sampling.top_k", "the same, by number"),
          Map.entry(
              "sampling.repetition_penalty", "changes every token after the first repetition"),
          Map.entry(
              "sampling.sampler", "the order of a diffusion solver changes images at equal steps"),
          Map.entry("sampling.guidance_scale", "trades prompt fidelity against variety"),
          Map.entry("sampling.steps", "fewer steps are faster and coarser"),
          Map.entry("sampling.seed_policy", "fixed seeds hide the spread that users see"),
          Map.entry("constrained_decoding.mode", "masks tokens; validity rises and content moves"),
          Map.entry("constrained_decoding.schema_hash", "another schema forbids other tokens"),
          Map.entry("batching.mode", "in a batch requests are padded, masked and summed together"),
          Map.entry("batching.max_batch_size", "faults of batching grow with the size"),
          Map.entry("batching.delay_ms", "waiting makes batches larger and latencies longer"),
          Map.entry("batching.max_running", "decides between queueing and preemption"),
          Map.entry("cache.prefix_reuse", "reused keys and values can be stale or rounded"),
          Map.entry("cache.conditioning", "a cached text embedding can belong to another model"),
          Map.entry("cache.denoise", "skipped denoising steps are approximations"),
          Map.entry("cache.eviction_policy", "decides which requests hit"),
          Map.entry("cache.capacity", "decides how many requests hit"),
          Map.entry(
              "hardware.gpu", "another chip has other kernels and another order of summation"),
          Map.entry("hardware.count", "splits tensors, and seeds can be drawn per device"),
          Map.entry("hardware.interconnect", "moves latency, above all under load"),
          Map.entry(
              "hardware.parallelism", "tensor, sequence and pipeline splits round differently"),
          Map.entry("diffusion.attention_backend", "approximate kernels change images"),
          Map.entry("diffusion.offload", "moves latency, and can change the precision of a part"),
          Map.entry(
              "diffusion.compile", "fused kernels round differently; the first request is slow"),
          Map.entry("extra", "whatever else of your stack moves outputs or latency"));
  private static final Map<String, String> MODEL =
      Map.of(
          "name", "which model it is",
          "revision", "which of its checkpoints",
          "weights_digest", "proof that the weights are the same, whatever they are called",
          "extra", "adapters merged in, fine-tunes, anything else of the weights");

  private AxisReasons() {}

  /** By path of the axis, sorted. */
  static SortedMap<String, String> config() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(CONFIG));
  }

  /** By path of the axis, sorted. */
  static SortedMap<String, String> model() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(MODEL));
  }
}

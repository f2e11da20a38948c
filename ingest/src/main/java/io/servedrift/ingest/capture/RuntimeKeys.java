package io.servedrift.ingest.capture;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a runtime's arguments stand in the contract's {@code config} and {@code model}. What
 * changes outputs or latency and has no axis of its own goes to {@code extra}.
 */
enum RuntimeKeys {
  /** SGLang for language models. */
  SGLANG(
      "sglang",
      Map.ofEntries(
          Map.entry("version", "runtime.version"),
          Map.entry("dtype", "precision.weights"),
          Map.entry("quantization", "precision.method"),
          Map.entry("kv_cache_dtype", "precision.kv_cache"),
          Map.entry("max_running_requests", "batching.max_running"),
          Map.entry("radix_eviction_policy", "cache.eviction_policy"),
          Map.entry("tp_size", "hardware.parallelism.tensor"),
          Map.entry("pp_size", "hardware.parallelism.pipeline"),
          Map.entry("dp_size", "hardware.parallelism.data"),
          Map.entry("ep_size", "hardware.parallelism.expert")),
      List.of(
          "attention_backend",
          "prefill_attention_backend",
          "decode_attention_backend",
          "sampling_backend",
          "grammar_backend",
          "moe_runner_backend",
          "fp8_gemm_runner_backend",
          "chunked_prefill_size",
          "enable_mixed_chunk",
          "schedule_policy",
          "schedule_conservativeness",
          "mem_fraction_static",
          "page_size",
          "enable_hierarchical_cache",
          "enable_lmcache",
          "disable_cuda_graph",
          "cuda_graph_max_bs",
          "cuda_graph_bs",
          "disable_cuda_graph_padding",
          "enable_torch_compile",
          "enable_lora",
          "max_loras_per_batch",
          "lora_backend",
          "enable_deterministic_inference",
          "disable_overlap_schedule",
          "sampling_defaults",
          "preferred_sampling_params",
          "disaggregation_mode",
          "enable_symm_mem"),
      List.of("hicache_", "speculative_")),

  /** SGLang for image and video models. */
  SGLANG_DIFFUSION(
      "sglang-diffusion",
      Map.ofEntries(
          Map.entry("version", "runtime.version"),
          Map.entry("dit_precision", "precision.weights"),
          Map.entry("quantization", "precision.method"),
          Map.entry("batching_mode", "batching.mode"),
          Map.entry("batching_max_size", "batching.max_batch_size"),
          Map.entry("batching_delay_ms", "batching.delay_ms"),
          Map.entry("cache_dit_config", "cache.denoise.config"),
          Map.entry("cache_dit_env", "cache.denoise.environment"),
          Map.entry("num_gpus", "hardware.count"),
          Map.entry("tp_size", "hardware.parallelism.tensor"),
          Map.entry("sp_degree", "hardware.parallelism.sequence"),
          Map.entry("ulysses_degree", "hardware.parallelism.ulysses"),
          Map.entry("ring_degree", "hardware.parallelism.ring"),
          Map.entry("dp_size", "hardware.parallelism.data"),
          Map.entry("enable_cfg_parallel", "hardware.parallelism.cfg"),
          Map.entry("attention_backend", "diffusion.attention_backend"),
          Map.entry("dit_cpu_offload", "diffusion.offload.dit"),
          Map.entry("text_encoder_cpu_offload", "diffusion.offload.text_encoder"),
          Map.entry("image_encoder_cpu_offload", "diffusion.offload.image_encoder"),
          Map.entry("vae_cpu_offload", "diffusion.offload.vae"),
          Map.entry("dit_layerwise_offload", "diffusion.offload.layerwise"),
          Map.entry("enable_torch_compile", "diffusion.compile")),
      List.of(
          "backend",
          "model_variant",
          "pipeline_class",
          "pipeline_class_name",
          "pipeline_name",
          "task_type",
          "transformer_weights_path",
          "component_paths",
          "attention_backend_config",
          "component_attention_backends",
          "performance_mode",
          "layerwise_offload_components",
          "vae_precision",
          "vae_path",
          "lora_path",
          "lora_nickname",
          "lora_scale",
          "lora_target_modules",
          "batching_config",
          "disable_autocast",
          "boundary_ratio"),
      List.of("hsdp_", "nunchaku_")),

  /** vLLM, and vLLM-Omni. */
  VLLM(
      "vllm",
      Map.ofEntries(
          Map.entry("version", "runtime.version"),
          Map.entry("dtype", "precision.weights"),
          Map.entry("quantization", "precision.method"),
          Map.entry("kv_cache_dtype", "precision.kv_cache"),
          Map.entry("cache_dtype", "precision.kv_cache"),
          Map.entry("max_num_seqs", "batching.max_running"),
          Map.entry("enable_prefix_caching", "cache.prefix_reuse"),
          Map.entry("tensor_parallel_size", "hardware.parallelism.tensor"),
          Map.entry("pipeline_parallel_size", "hardware.parallelism.pipeline"),
          Map.entry("data_parallel_size", "hardware.parallelism.data")),
      List.of(
          "max_seq_len",
          "max_model_len",
          "chunked_prefill_enabled",
          "enable_chunked_prefill",
          "max_num_batched_tokens",
          "enforce_eager",
          "speculative_config",
          "compilation_config",
          "disable_custom_all_reduce",
          "structured_outputs_config",
          "guided_decoding_backend",
          "decoding_config",
          "rope_scaling",
          "enable_lora",
          "max_loras",
          "max_lora_rank",
          "gpu_memory_utilization",
          "block_size",
          "scheduling_policy",
          "use_async_output_proc",
          "tokenizer_mode",
          "load_format"),
      List.of());

  /** Members that name the model, best first. */
  static final List<String> MODEL_NAMES = List.of("served_model_name", "model_path", "model");

  /** Short forms of flags on a command line. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "tp", "tp_size",
          "dp", "dp_size",
          "pp", "pp_size",
          "ep", "ep_size",
          "tensor_parallel", "tensor_parallel_size");

  private final String label;
  private final Map<String, String> paths;
  private final Set<String> extra;
  private final List<String> extraPrefixes;

  RuntimeKeys(
      String label, Map<String, String> paths, List<String> extra, List<String> extraPrefixes) {
    this.label = label;
    this.paths = new HashMap<>(paths);
    this.extra = new HashSet<>(extra);
    this.extraPrefixes = extraPrefixes;
  }

  /** How the runtime is called in {@code runtime.name}. */
  String label() {
    return label;
  }

  /** Path in {@code config} of an argument; null when it does not count. */
  @Nullable String path(String argument) {
    String path = paths.get(argument);
    if (path != null) {
      return path;
    }
    return extra.contains(argument) || extraPrefixes.stream().anyMatch(argument::startsWith)
        ? "extra." + argument
        : null;
  }

  /** The full name of an argument that a command line may shorten. */
  static String fullName(String flag) {
    return ALIASES.getOrDefault(flag, flag);
  }

  /** The runtime whose arguments these are. */
  static RuntimeKeys of(Set<String> arguments) {
    if (arguments.contains("tensor_parallel_size")
        || arguments.contains("max_num_seqs")
        || arguments.contains("enforce_eager")
        || arguments.contains("enable_prefix_caching")) {
      return VLLM;
    }
    boolean diffusion =
        List.of("num_gpus", "dit_precision", "batching_mode", "cache_dit_env", "task_type").stream()
            .anyMatch(arguments::contains);
    return diffusion ? SGLANG_DIFFUSION : SGLANG;
  }
}

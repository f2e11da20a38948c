package io.servedrift.ingest.adapters;

/** The formats that have an adapter. */
public enum AdapterFormat {
  /** SGLang's file of requests, {@code --export-metrics-to-file}. */
  SGLANG_METRICS("sglang-metrics", true),
  /** The log of an SGLang server: request log in JSON or text, scheduler, arguments. */
  SGLANG_LOG("sglang-log", true),
  /** The same of SGLang Diffusion, with {@code performance.log} where it is given too. */
  SGLANG_DIFFUSION_LOG("sglang-diffusion-log", true),
  /** SGLang Diffusion's {@code performance.log} alone. */
  SGLANG_PERF_LOG("sglang-perf-log", true),
  /** Responses of vLLM, and its spans. */
  VLLM("vllm", true),
  /** CloudEvents of KServe's logger. */
  KSERVE("kserve", false),
  /** Spans and evaluation results of OpenTelemetry. */
  OTLP("otlp", false);

  private final String label;
  private final boolean deploymentNeeded;

  AdapterFormat(String label, boolean deploymentNeeded) {
    this.label = label;
    this.deploymentNeeded = deploymentNeeded;
  }

  /** The name used on the command line. */
  public String label() {
    return label;
  }

  /** Whether its records never say which deployment they are of. */
  public boolean isDeploymentNeeded() {
    return deploymentNeeded;
  }

  /**
   * Whether a record tells its request alone, or finds its partner by an id, so that the order of
   * records does not matter. Lines of a server's log mean something only one after the other.
   */
  public boolean isOrderFree() {
    return this != SGLANG_LOG && this != SGLANG_DIFFUSION_LOG;
  }

  /**
   * An adapter for one run.
   *
   * @throws IllegalArgumentException when the deployment is needed and not given
   */
  public Adapter open(AdapterSettings settings) {
    if (deploymentNeeded && settings.deployment().isEmpty()) {
      throw new IllegalArgumentException(
          label + ": the records name no deployment, so it must be given");
    }
    return switch (this) {
      case SGLANG_METRICS -> new SglangMetrics(settings);
      case SGLANG_LOG -> new ServerLog(settings, false);
      case SGLANG_DIFFUSION_LOG -> new ServerLog(settings, true);
      case SGLANG_PERF_LOG -> new PerfLog(settings);
      case VLLM -> new VllmResponses(settings);
      case KSERVE -> new KserveEvents(settings);
      case OTLP -> new Otlp(settings);
    };
  }
}

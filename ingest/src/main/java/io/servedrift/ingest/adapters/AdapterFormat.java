package io.servedrift.ingest.adapters;

import java.util.function.Function;

/** The formats that have an adapter. */
public enum AdapterFormat {
  /** SGLang's file of requests, {@code --export-metrics-to-file}. */
  SGLANG_METRICS("sglang-metrics", true, SglangMetrics::new),
  /** The log of an SGLang server: request log in JSON or text, scheduler, arguments. */
  SGLANG_LOG("sglang-log", true, settings -> new ServerLog(settings, false)),
  /** The same of SGLang Diffusion, with {@code performance.log} where it is given too. */
  SGLANG_DIFFUSION_LOG("sglang-diffusion-log", true, settings -> new ServerLog(settings, true)),
  /** SGLang Diffusion's {@code performance.log} alone. */
  SGLANG_PERF_LOG("sglang-perf-log", true, PerfLog::new),
  /** Responses of vLLM, and its spans. */
  VLLM("vllm", true, VllmResponses::new),
  /** CloudEvents of KServe's logger. */
  KSERVE("kserve", false, KserveEvents::new),
  /** Spans and evaluation results of OpenTelemetry. */
  OTLP("otlp", false, Otlp::new);

  private final String label;
  private final boolean deploymentNeeded;
  private final Function<AdapterSettings, Adapter> maker;

  AdapterFormat(String label, boolean deploymentNeeded, Function<AdapterSettings, Adapter> maker) {
    this.label = label;
    this.deploymentNeeded = deploymentNeeded;
    this.maker = maker;
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
   * An adapter for one run.
   *
   * @throws IllegalArgumentException when the deployment is needed and not given
   */
  public Adapter open(AdapterSettings settings) {
    if (deploymentNeeded && settings.deployment().isEmpty()) {
      throw new IllegalArgumentException(
          label + ": the records name no deployment, so it must be given");
    }
    return maker.apply(settings);
  }
}

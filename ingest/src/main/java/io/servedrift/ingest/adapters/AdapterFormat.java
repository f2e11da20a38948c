package io.servedrift.ingest.adapters;

import java.util.function.Function;

/** The formats that have an adapter. */
public enum AdapterFormat {
  /** SGLang's file of requests, {@code --export-metrics-to-file}. */
  SGLANG_METRICS("sglang-metrics", true, SglangMetrics::new);

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

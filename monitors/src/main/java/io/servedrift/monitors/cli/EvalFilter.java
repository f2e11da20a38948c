package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.LedgerEntry;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which scores; the same options wherever several are shown. */
final class EvalFilter implements Predicate<LedgerEntry> {
  @Option(names = "--name", paramLabel = "NAME", description = "Only this evaluation.")
  private @Nullable String name;

  @Option(names = "--metric", paramLabel = "NAME", description = "Only this metric.")
  private @Nullable String metric;

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      description = "Only scores of this deployment.")
  private @Nullable String deployment;

  @Option(names = "--config-id", paramLabel = "ID", description = "Only on this configuration.")
  private @Nullable String configId;

  @Option(names = "--model-id", paramLabel = "ID", description = "Only of this model.")
  private @Nullable String modelId;

  @Override
  public boolean test(LedgerEntry entry) {
    return matches(name, entry.result().getName())
        && matches(metric, entry.result().getMetric())
        && matches(deployment, entry.result().getDeployment())
        && matches(configId, entry.result().getConfigId())
        && matches(modelId, entry.result().getModelId());
  }

  private static boolean matches(@Nullable String wanted, @Nullable String actual) {
    return wanted == null || wanted.equals(actual);
  }
}

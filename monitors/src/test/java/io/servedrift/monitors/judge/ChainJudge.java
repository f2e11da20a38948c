package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Severity;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A judge whose findings tell every step that it ever took of a deployment, and their order: each
 * step is chained to those before it by a hash, and each is a finding.
 */
public final class ChainJudge implements StepTaker {
  private final Map<String, String> chains = new TreeMap<>();
  private final Consumer<Finding> findings;

  /** Makes them. */
  public static final StepTaker.Maker MAKER = (findings, tally) -> new ChainJudge(findings);

  public ChainJudge(Consumer<Finding> findings) {
    this.findings = findings;
  }

  @Override
  public void pane(MergedPane pane) {
    chain(pane.deployment(), pane.kind().name(), pane.encode());
  }

  @Override
  public void event(ServingEvent event) {
    chain(event.getDeployment(), "EVENT", EventCodec.encode(event));
  }

  @Override
  public void decision(Decision decision) {
    chain(decision.getDeployment(), "DECISION", EventCodec.encode(decision));
  }

  @Override
  public void eval(EvalResult eval) {
    chain(eval.getDeployment(), "EVAL", EventCodec.encode(eval));
  }

  private void chain(String deployment, String what, byte[] content) {
    String before = chains.getOrDefault(deployment, "");
    String now =
        Content.id((before + what + Content.id(content)).getBytes(StandardCharsets.UTF_8))
            .substring(0, 16);
    chains.put(deployment, now);
    findings.accept(
        Finding.newBuilder()
            .setFindingId(now)
            .setDeployment(deployment)
            .setModelId("m1")
            .setConfigId("c1")
            .setMetric(what)
            .setStatistic("mean")
            .setDirection("worse")
            .setOnsetAt(Instant.EPOCH)
            .setDetectedAt(Instant.EPOCH)
            .setState(FindingState.OPEN)
            .setSeverity(Severity.INFO)
            .setIncidentId(now)
            .setPolicyHash("none")
            .setBody("{}")
            .build());
  }

  @Override
  public byte[] checkpoint(String deployment) {
    String chain = chains.get(deployment);
    if (chain == null) {
      throw new IllegalArgumentException(
          "deployment=" + deployment + ": must be one of " + chains.keySet());
    }
    return chain.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void restore(String deployment, byte[] checkpoint) {
    chains.put(deployment, new String(checkpoint, StandardCharsets.UTF_8));
  }

  @Override
  public void forget(String deployment) {
    chains.remove(deployment);
  }
}

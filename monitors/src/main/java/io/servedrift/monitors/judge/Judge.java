package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Judges the deployments of one task. Everything comes in the order that {@link JudgeSequencer}
 * makes, so the findings are a function of the records and not of the order in which topics were
 * read. Not thread-safe.
 */
public final class Judge implements StepTaker {
  private static final int CHECKPOINT_FORMAT = 4;

  /** Room for formats; each pace has its own. */
  private static final int PACE_FORMATS = 100;

  private final JudgeParts parts;
  private final SortedMap<String, DeploymentJudge> deployments = new TreeMap<>();

  /**
   * Told what is held of the series; nothing is decided by it. What it throws is counted as {@code
   * audience_failures} and goes no further.
   */
  public interface Audience {
    /**
     * What is held of the series of a deployment after a pane.
     *
     * @param standings asked for only where they are shown, and only during the call
     */
    default void judged(String deployment, Supplier<List<SeriesStanding>> standings) {}

    /** Nothing is held of a deployment any more. */
    default void forgotten(String deployment) {}
  }

  /** What comes out, in order. */
  public interface Output extends Audience {
    /** A finding that opened, changed its verdict, or closed. */
    void finding(Finding finding);
  }

  /**
   * A judge without history.
   *
   * @param axes what is known of configurations, for the text of findings only
   */
  public Judge(
      Policy policy,
      PaneSettings settings,
      MetricLayouts layouts,
      ConfigAxes axes,
      Output output,
      Tally tally) {
    Pace pace = new Pace(policy.minute());
    parts = new JudgeParts(policy, policy.hash(), pace, settings, layouts, axes, output, tally);
  }

  /** Makes judges of one policy. */
  public static StepTaker.Maker maker(
      Policy policy, PaneSettings settings, MetricLayouts layouts, ConfigAxes axes) {
    return maker(policy, settings, layouts, axes, new Audience() {});
  }

  /**
   * Makes judges of one policy.
   *
   * @param audience told after every pane, by several threads; what is found does not depend on it
   */
  public static StepTaker.Maker maker(
      Policy policy,
      PaneSettings settings,
      MetricLayouts layouts,
      ConfigAxes axes,
      Audience audience) {
    return (findings, tally) ->
        new Judge(policy, settings, layouts, axes, output(findings, audience), tally);
  }

  private static Output output(Consumer<Finding> findings, Audience audience) {
    return new Output() {
      @Override
      public void finding(Finding finding) {
        findings.accept(finding);
      }

      @Override
      public void judged(String deployment, Supplier<List<SeriesStanding>> standings) {
        audience.judged(deployment, standings);
      }

      @Override
      public void forgotten(String deployment) {
        audience.forgotten(deployment);
      }
    };
  }

  private DeploymentJudge of(String deployment) {
    return deployments.computeIfAbsent(deployment, name -> new DeploymentJudge(name, parts));
  }

  /** Takes the next pane of a deployment. */
  @Override
  public void pane(MergedPane pane) {
    DeploymentJudge judge = of(pane.deployment());
    judge.pane(parts.pace().judged(pane));
    tell(() -> parts.output().judged(pane.deployment(), judge::standings));
  }

  /** Nothing is decided by the audience, so its errors cost no state: they are counted. */
  private void tell(Runnable audience) {
    try {
      audience.run();
    } catch (RuntimeException e) {
      parts.tally().count("audience_failures");
    }
  }

  /** Takes a serving event. */
  @Override
  public void event(ServingEvent event) {
    of(event.getDeployment()).event(parts.pace().judged(event));
  }

  /** Takes a decision of a person or a gate. */
  @Override
  public void decision(Decision decision) {
    of(decision.getDeployment()).decision(parts.pace().judged(decision));
  }

  @Override
  public void eval(EvalResult eval) {
    of(JudgeStep.Happening.deploymentOf(eval)).eval(parts.pace().judged(eval));
  }

  /** The deployments that have a state. A copy. */
  public SortedSet<String> deployments() {
    return new TreeSet<>(deployments.keySet());
  }

  /**
   * Everything that is known of a deployment. Equal states give equal bytes.
   *
   * @throws IllegalArgumentException when nothing is known of it
   */
  @Override
  public byte[] checkpoint(String deployment) {
    DeploymentJudge judge = deployments.get(deployment);
    if (judge == null) {
      throw new IllegalArgumentException(
          "deployment=" + deployment + ": must be one of " + deployments.keySet());
    }
    Content.Writer out = new Content.Writer();
    out.count(format());
    judge.write(out);
    return out.bytes();
  }

  /**
   * Goes on from a checkpoint in place of what is known of the deployment.
   *
   * @throws IllegalArgumentException when the bytes are not of a checkpoint, or of another format
   */
  @Override
  public void restore(String deployment, byte[] checkpoint) {
    Content.Reader in = new Content.Reader(checkpoint);
    int format = in.count();
    if (format != format()) {
      throw new IllegalArgumentException(
          "checkpoint format " + format + ": must be " + format() + ", of the policy's minute");
    }
    DeploymentJudge restored = DeploymentJudge.read(deployment, parts, in);
    in.end();
    deployments.put(deployment, restored);
  }

  /** A state of another minute has other times in it. */
  private int format() {
    return CHECKPOINT_FORMAT + PACE_FORMATS * (parts.pace().factor() - 1);
  }

  @Override
  public void forget(String deployment) {
    deployments.remove(deployment);
    tell(() -> parts.output().forgotten(deployment));
  }
}

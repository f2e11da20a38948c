package io.servedrift.monitors.gate.testkit;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.GateJudge;
import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.run.Declaration;
import io.servedrift.monitors.gate.run.EndpointAccess;
import io.servedrift.monitors.gate.run.GatePrompt;
import io.servedrift.monitors.gate.run.GateRunner;
import io.servedrift.monitors.gate.run.RunEstimate;
import io.servedrift.monitors.gate.run.RunInput;
import io.servedrift.monitors.gate.run.RunListener;
import io.servedrift.monitors.gate.run.RunOptions;
import io.servedrift.monitors.gate.run.Timeline;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A whole gate on endpoints of the tests, short and with wide margins. Not thread-safe. */
public final class GateTrial {
  /** 59 of 60 must be alike to say at 95 % that 95 % are; all of 64 are where nothing is wrong. */
  private static final int PROMPTS = 64;

  /** Of a release the margins would be smaller, and the blocks longer. */
  private static final String POLICY =
      """
      minimum_pairs: 40
      outputs: {identical_share: 0.9}
      scores: {json_valid: {margin: 0.1, stratum_margin: 0.2}}
      load: {p99_margin: 0.5, levels: "1", least_requests: 368, blocks: 4, block: 3s, warm_up: 500ms}
      """;

  private final Path folder;
  private final LocalServer old;
  private final LocalServer fresh;
  private final TestScorer scorer;
  private int prompts = PROMPTS;
  private @Nullable List<GatePrompt> given;
  private Set<CheckName> checks = EnumSet.allOf(CheckName.class);
  private @Nullable SwitchedAddress switched;

  /**
   * A trial of two endpoints.
   *
   * @param folder for the journal
   */
  public GateTrial(Path folder, LocalServer old, LocalServer fresh, TestScorer scorer) {
    this.folder = folder;
    this.old = old;
    this.fresh = fresh;
    this.scorer = scorer;
  }

  /** With fewer prompts. */
  public GateTrial prompts(int number) {
    prompts = number;
    return this;
  }

  /** With these prompts. */
  public GateTrial prompts(List<GatePrompt> some) {
    given = some;
    prompts = some.size();
    return this;
  }

  /** With the arms of some checks only. */
  public GateTrial only(CheckName... some) {
    checks = EnumSet.copyOf(List.of(some));
    return this;
  }

  /** With a way back by command. */
  public GateTrial switched(SwitchedAddress address) {
    switched = address;
    return this;
  }

  /** Runs it. */
  public Evidence evidence() throws Exception {
    RunListener silent =
        new RunListener() {
          @Override
          public void said(String line) {}

          @Override
          public void progress(long done, long total) {}

          @Override
          public void estimated(RunEstimate estimate) {}
        };
    Evidence measured =
        new GateRunner(input(), folder, Timeline.of(Clock.systemUTC()), silent, () -> false)
            .run()
            .evidence();
    return withToldLatencies(measured);
  }

  /**
   * Puts the latency that the endpoint decided in place of the measured one, in arms that are
   * judged by it: a busy machine must not decide what these tests say.
   */
  private static Evidence withToldLatencies(Evidence measured) {
    List<Answer> answers = measured.answers().stream().map(GateTrial::withToldLatency).toList();
    return new Evidence(
        measured.modality(),
        measured.oldBefore(),
        measured.newBefore(),
        measured.oldAfter(),
        measured.newAfter(),
        measured.settings(),
        answers,
        measured.distances(),
        measured.rollback(),
        measured.traffic(),
        measured.readiness());
  }

  private static Answer withToldLatency(Answer answer) {
    Double told = answer.served().computeSeconds();
    if (!answer.arm().regime().load() || told == null) {
      return answer;
    }
    Answer.Timing timing = answer.timing();
    return new Answer(
        answer.arm(),
        answer.block(),
        answer.load(),
        answer.prompt(),
        answer.status(),
        answer.error(),
        new Answer.Timing(
            timing.scheduledAtMicros(),
            timing.sentAtMicros(),
            told,
            told,
            timing.firstTokenSeconds()),
        answer.output(),
        answer.scores(),
        answer.scorers(),
        answer.served());
  }

  /** Runs it and judges. */
  public GateResult result() throws Exception {
    return GateJudge.judge(evidence(), GatePolicy.parse(POLICY, "trial"));
  }

  private RunInput input() {
    GatePolicy policy = GatePolicy.parse(POLICY, "trial");
    return new RunInput(
        access(old.url()),
        access(fresh.url()),
        Declaration.none(Modality.IMAGE),
        Declaration.none(Modality.IMAGE),
        asked(),
        access(scorer.url()),
        null,
        switched == null ? null : access(switched.url()),
        switched == null ? null : switched.command(),
        facts -> Readiness.notLookedAt(),
        new RunOptions(
            1,
            prompts,
            List.of(8),
            0,
            60.0,
            policy.load().loads(),
            (int) policy.load().blocks(),
            Duration.ofMillis(Math.round(1000 * policy.load().blockSeconds())),
            Duration.ofMillis(Math.round(1000 * policy.load().warmUpSeconds())),
            40,
            Duration.ofSeconds(20),
            checks));
  }

  private static EndpointAccess access(String url) {
    return new EndpointAccess(URI.create(url), null, null, Duration.ofSeconds(10), 1 << 20);
  }

  private List<GatePrompt> asked() {
    if (given != null) {
      return given;
    }
    List<GatePrompt> asked = new ArrayList<>();
    for (int i = 0; i < prompts; i++) {
      asked.add(GatePrompt.plain(i, "a picture of thing " + i));
    }
    return asked;
  }
}

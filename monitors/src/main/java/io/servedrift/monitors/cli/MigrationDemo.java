package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.demo.LoadWave;
import io.servedrift.monitors.demo.ScenePrompts;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The story of a migration with a real node: one request at a time without a cache, then the same
 * weights behind shared batches and a conditioning cache, with three times the clients when it is
 * busy, and with something wrong. Every number that is told was measured. Used once; not
 * thread-safe.
 */
final class MigrationDemo {
  private static final String NODE = "node-0";

  /** Beside it for the test, so that the live series of the node stay its own. */
  private static final String OTHER_NODE = "node-1";

  private static final int STEPS = 6;
  private static final int CLIENTS = 6;
  private static final LoadWave ACT_ONE = LoadWave.steady(CLIENTS);
  private static final Duration WAVE = Duration.ofSeconds(14);
  private static final Duration BUSY = Duration.ofSeconds(3);

  /**
   * What ran before can be compared with from 20 means on; a mean gathers 20 scores and ends with a
   * pane.
   */
  private static final int MEANS = 20;

  private static final int SCORES_OF_A_MEAN = 20;
  private static final Duration WARM_UP_AND_PANES = Duration.ofSeconds(6 + 2 * MEANS);
  private static final Duration LONGEST_ACT_ONE = Duration.ofMinutes(4);

  private final DemoSession session;
  private final DemoOptions options;
  private final DemoPrinter printer;
  private final ScenePrompts prompts;
  private final LoadWave loadOfActTwo;
  private final VerdictWatch verdict;
  private boolean decided;

  /** Prepares; the session stays the caller's. */
  MigrationDemo(DemoSession session, DemoLinks links) {
    this.session = session;
    options = session.options();
    printer = session.printer();
    prompts = new ScenePrompts(options.seed(), options.fault().popularShare());
    loadOfActTwo = new LoadWave(options.fault().quietClients(), 3 * CLIENTS, WAVE, BUSY);
    verdict = new VerdictWatch(session, links);
  }

  /** Plays until the end that the options say, or a signal. */
  ExitCode run() throws IOException, InterruptedException {
    ExitCode stopped = session.begin();
    if (stopped != null) {
      return stopped;
    }
    DemoSession.Act one = session.new Act(ACT_ONE, options.seed());
    try (DemoNode node = session.start("act-one", NODE, DemoNode.single())) {
      if (node == null) {
        return session.interrupted();
      }
      printer.act(
          "Act one: one request at a time, no cache",
          List.of(
              CLIENTS
                  + " clients; "
                  + STEPS
                  + " denoising steps an image; page and API: "
                  + session.monitor().address(),
              "weights " + node.weights() + ", configuration " + node.configId()));
      stopped = play(one, node, () -> learned(one));
    }
    return stopped == null
        ? migrated(new VerdictWatch.Before(one.numbers(), one.numbers()))
        : stopped;
  }

  private ExitCode migrated(VerdictWatch.Before before) throws IOException, InterruptedException {
    publishDeploy();
    DemoSession.Act two = session.new Act(loadOfActTwo, options.seed() + 1);
    ExitCode stopped;
    try (DemoNode node = session.start("act-two", NODE, DemoNode.batching(options.fault()))) {
      if (node == null) {
        return session.interrupted();
      }
      printer.act(
          "Act two: the same weights, shared batches and a conditioning cache",
          List.of(
              loadOfActTwo.busy()
                  + " clients when it is busy, "
                  + loadOfActTwo.quiet()
                  + " when it is quiet; fault: "
                  + options.fault().word(),
              "weights " + node.weights() + ", configuration " + node.configId()));
      stopped = play(two, node, () -> judged(two, before, node));
      Finding told = verdict.told();
      if (stopped == null && told != null && options.test()) {
        stopped = decide(told, node);
        if (stopped != null) {
          return stopped;
        }
      }
      if (stopped == null && !options.exitAfterVerdict()) {
        decided = true;
        printer.say("the clients go on until a signal");
        stopped = play(two, node, () -> judged(two, before, node));
      }
    }
    return session.ended(stopped, verdict::exit);
  }

  private @Nullable ExitCode play(DemoSession.Act act, DemoNode node, DemoSession.Over over)
      throws IOException, InterruptedException {
    return act.play(
        List.of(node),
        random -> node.api().image(prompts.draw(random), STEPS, random.nextLong(1L << 31)),
        over);
  }

  /** Whether the first act has given enough to compare the second one with. */
  private static boolean learned(DemoSession.Act act) {
    Duration since = act.elapsed();
    long images = Math.max(1, act.numbers().images());
    Duration gathering = since.multipliedBy(MEANS * SCORES_OF_A_MEAN).dividedBy(images);
    return since.compareTo(LONGEST_ACT_ONE) >= 0
        || since.compareTo(WARM_UP_AND_PANES.plus(gathering)) >= 0;
  }

  /** Tells of the verdict when it comes or becomes more; whether the story is over. */
  private boolean judged(DemoSession.Act act, VerdictWatch.Before before, DemoNode node) {
    verdict.look(act, before, node.weights());
    boolean pause = options.test() && !decided && verdict.told() != null;
    return verdict.waitedFor(act) && (options.exitAfterVerdict() || pause);
  }

  /** Act three; what to exit with when it was stopped, else null. */
  private @Nullable ExitCode decide(Finding finding, DemoNode now)
      throws IOException, InterruptedException {
    JsonNode body = JsonOutput.parse(finding.getBody());
    if (body == null) {
      throw new IllegalStateException("finding " + finding.getFindingId() + ": no JSON");
    }
    try (DemoNode before = session.start("act-three-old", OTHER_NODE, DemoNode.single());
        DemoScorer scorer =
            before == null
                ? null
                : DemoScorer.start(
                    session.files(),
                    session.folder().resolve("act-three-scorer.log"),
                    session.signal())) {
      if (before == null || scorer == null) {
        return session.interrupted();
      }
      ThirdAct three = new ThirdAct(session.folder(), session.clock(), printer, session::over);
      ThirdAct.Sides sides = new ThirdAct.Sides(before.address(), now.address(), scorer.address());
      boolean whole = three.play(sides, prompts, STEPS, options.seed(), body);
      return whole ? null : session.stopped(Duration.ZERO);
    }
  }

  /** The rollout, as a pipeline would say it. */
  private void publishDeploy() {
    ServingEvent deploy =
        ServingEvent.newBuilder()
            .setEventId("deploy-" + UUID.randomUUID())
            .setAt(session.clock().instant().truncatedTo(ChronoUnit.MICROS))
            .setDeployment(DemoSession.DEPLOYMENT)
            .setNode(null)
            .setKind(ServingEventKind.DEPLOY)
            .setAttributes(Map.of("ref", "shared batches and conditioning cache"))
            .build();
    if (!session.monitor().publisher().offer(deploy)) {
      printer.say("the deploy event could not be published");
    }
  }
}

package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.Load;
import io.servedrift.monitors.demo.LoadTide;
import io.servedrift.monitors.demo.LoadWave;
import io.servedrift.monitors.demo.ScenePrompts;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Severity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The story of a service that changes nothing: shared batches and a conditioning cache serve well,
 * and then something breaks that no new configuration brought. Without a fault it goes on under a
 * load that comes and goes, which is to be found as nothing or as load. Used once; not thread-safe.
 */
final class ServiceDemo {
  private static final int STEPS = 6;

  /** So even that what is slow stands out of what a burst makes slow. */
  private static final LoadWave EVEN =
      new LoadWave(3, 6, Duration.ofSeconds(14), Duration.ofSeconds(5));

  /** Bursts on a day of 20 minutes; each day's load is new to a baseline of minutes. */
  private static final LoadTide VARIED =
      new LoadTide(
          new LoadWave(2, 12, Duration.ofSeconds(14), Duration.ofSeconds(3)),
          4,
          Duration.ofMinutes(20));

  /**
   * What compilers need until a request takes as long as it will: learned from that, a baseline
   * would call slow what is normal.
   */
  private static final Duration WARM_UP = Duration.ofSeconds(60);

  /** Warm-up of the policy, and twice the least that is learned from. */
  private static final Duration ACT_ONE = Duration.ofSeconds(90);

  /** Long enough that most popular prompts are asked for, and too short to be judged. */
  private static final Duration ROLLOUT = Duration.ofSeconds(16);

  private final DemoSession session;
  private final DemoOptions options;
  private final DemoPrinter printer;
  private final ScenePrompts prompts;
  private final WeightRollback rollback;
  private final VerdictWatch verdict;

  /** Prepares; the session stays the caller's. */
  ServiceDemo(DemoSession session, DemoLinks links) {
    this.session = session;
    options = session.options();
    printer = session.printer();
    prompts = new ScenePrompts(options.seed(), options.fault().popularShare());
    rollback = new WeightRollback(session.files(), session.folder());
    verdict = new VerdictWatch(session, links);
  }

  /** Plays until the end that the options say, or a signal. */
  ExitCode run() throws IOException, InterruptedException {
    if (options.fault() == DemoFault.STALE_CACHE_AFTER_WEIGHTS) {
      session.files().requireOffByOne();
    }
    ExitCode stopped = session.begin();
    if (stopped != null) {
      return stopped;
    }
    List<DemoNode> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < options.fault().nodes(); i++) {
        DemoNode node = session.start("node-" + i, "node-" + i, DemoNode.batching(DemoFault.NONE));
        if (node == null) {
          return session.interrupted();
        }
        nodes.add(node);
      }
      stopped = warmUp(nodes);
      if (stopped != null) {
        return stopped;
      }
      return options.fault() == DemoFault.NONE ? quiet(nodes) : broken(nodes);
    } finally {
      close(nodes);
    }
  }

  /** All of them, also when one cannot be closed. */
  private static void close(List<DemoNode> nodes) {
    RuntimeException failure = null;
    for (DemoNode node : nodes) {
      try {
        node.close();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable ExitCode warmUp(List<DemoNode> nodes) throws IOException, InterruptedException {
    printer.act("Warm-up: test traffic, which stays out of the series", List.of());
    DemoSession.Act act = session.new Act(EVEN, options.seed() - 1);
    return act.play(
        nodes,
        random ->
            any(nodes, random)
                .api()
                .syntheticImage(prompts.draw(random), STEPS, random.nextLong(1L << 31)),
        () -> act.elapsed().compareTo(WARM_UP) >= 0);
  }

  private ExitCode quiet(List<DemoNode> nodes) throws IOException, InterruptedException {
    DemoSession.Act act = session.new Act(VARIED, options.seed());
    FindingLog found = new FindingLog();
    tellAct("Shared batches and a conditioning cache, no fault", VARIED, nodes);
    boolean soon = options.exitAfterVerdict() && options.duration() == null;
    ExitCode stopped =
        play(
            act,
            nodes,
            () -> {
              look(found);
              return soon && act.elapsed().compareTo(VerdictWatch.LONGEST_WAIT) >= 0;
            });
    look(found);
    tellFindings(act, found);
    return session.ended(stopped, () -> found.exit(act.elapsed().compareTo(ACT_ONE) >= 0));
  }

  private void look(FindingLog found) {
    List<Finding> graver = found.see(session.monitor().readModel().findings());
    if (!graver.isEmpty()) {
      printer.tell("A page or a ticket without a fault", FindingTable.lines(bodies(graver)));
    }
  }

  private ExitCode broken(List<DemoNode> nodes) throws IOException, InterruptedException {
    DemoSession.Act one = session.new Act(EVEN, options.seed());
    tellAct("Act one: shared batches and a conditioning cache", EVEN, nodes);
    ExitCode stopped = play(one, nodes, () -> one.elapsed().compareTo(ACT_ONE) >= 0);
    if (stopped != null) {
      return stopped;
    }
    DemoNode faulty = nodes.get(nodes.size() - 1);
    if (options.fault() == DemoFault.STALE_CACHE_AFTER_WEIGHTS) {
      stopped = rollBack(faulty, nodes);
      if (stopped != null) {
        return stopped;
      }
    } else {
      faulty.api().fault(options.fault());
    }
    verdict.faultBegins();
    DemoSession.Act two = session.new Act(EVEN, options.seed() + 1);
    printer.act(
        "Act two: the same configuration, and something breaks",
        List.of(
            "fault: "
                + options.fault().word()
                + (nodes.size() > 1 ? ", on one of " + nodes.size() + " nodes" : ""),
            "no third act, as there is no other configuration to test against",
            options.exitAfterVerdict()
                ? "ends with the verdict"
                : "goes on until a signal or the end of --duration"));
    VerdictWatch.Before before = new VerdictWatch.Before(one.numbers(), one.whenBusy());
    stopped =
        play(
            two,
            nodes,
            () -> {
              verdict.look(two, before, faulty.weights());
              return options.exitAfterVerdict() && verdict.waitedFor(two);
            });
    return session.ended(stopped, verdict::exit);
  }

  /** Wrong weights go live, are taken back, and leave what they made in the cache. */
  private @Nullable ExitCode rollBack(DemoNode node, List<DemoNode> nodes)
      throws IOException, InterruptedException {
    rollback.rollOut(node.api());
    printer.act(
        "Between the acts: other weights of the text encoder, and back",
        List.of("weights " + node.api().serverInfo().at("/model/weights_digest").asText()));
    DemoSession.Act between = session.new Act(EVEN, options.seed() + 2);
    ExitCode stopped = play(between, nodes, () -> between.elapsed().compareTo(ROLLOUT) >= 0);
    if (stopped == null) {
      rollback.takeBack(node.api());
    }
    return stopped;
  }

  private void tellAct(String heading, Load load, List<DemoNode> nodes) {
    DemoNode first = nodes.get(0);
    printer.act(
        heading,
        List.of(
            "up to "
                + load.most()
                + " clients; "
                + STEPS
                + " denoising steps an image; nodes: "
                + nodes.size()
                + "; page and API: "
                + session.monitor().address(),
            "weights " + first.weights() + ", configuration " + first.configId()));
  }

  private @Nullable ExitCode play(DemoSession.Act act, List<DemoNode> nodes, DemoSession.Over over)
      throws IOException, InterruptedException {
    return act.play(
        nodes,
        random ->
            any(nodes, random).api().image(prompts.draw(random), STEPS, random.nextLong(1L << 31)),
        over);
  }

  private static DemoNode any(List<DemoNode> nodes, RandomGenerator random) {
    return nodes.get(nodes.size() == 1 ? 0 : random.nextInt(nodes.size()));
  }

  /** All that was found; of a time without a fault that is to be no page and no ticket. */
  private void tellFindings(DemoSession.Act act, FindingLog found) {
    List<String> lines = new ArrayList<>();
    lines.add("clients: " + DemoPrinter.text(act.numbers(), act.elapsed()));
    for (Severity severity : List.of(Severity.PAGE, Severity.TICKET, Severity.INFO)) {
      lines.add(severity.name().toLowerCase(Locale.ROOT) + ": " + found.count(severity));
    }
    lines.addAll(FindingTable.lines(bodies(found.latest())));
    printer.tell("What was found, each counted as the most that it was", lines);
  }

  private static List<JsonNode> bodies(List<Finding> findings) {
    return findings.stream()
        .map(one -> JsonOutput.parse(one.getBody()))
        .filter(Objects::nonNull)
        .toList();
  }
}

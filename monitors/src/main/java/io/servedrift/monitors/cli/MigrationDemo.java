package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.alert.AlertPreview;
import io.servedrift.monitors.demo.ClosedLoop;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.DemoPolicy;
import io.servedrift.monitors.demo.LoadNumbers;
import io.servedrift.monitors.demo.LoadWave;
import io.servedrift.monitors.demo.ScenePrompts;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The story of a migration with a real node: one request at a time without a cache, then the same
 * weights behind shared batches and a conditioning cache, with three times the clients when it is
 * busy, and with something wrong. Every number that is told was measured. Used once; not
 * thread-safe.
 */
final class MigrationDemo {
  private static final String DEPLOYMENT = "image-gen";
  private static final String NODE = "node-0";

  /** Beside it for the test, so that the live series of the node stay its own. */
  private static final String OTHER_NODE = "node-1";

  private static final int STEPS = 6;
  private static final int CLIENTS = 6;
  private static final LoadWave ACT_ONE = LoadWave.steady(CLIENTS);
  private static final LoadWave ACT_TWO =
      new LoadWave(CLIENTS / 2, 3 * CLIENTS, Duration.ofSeconds(14), Duration.ofSeconds(3));

  /**
   * What ran before can be compared with from 20 means on; a mean gathers 20 scores and ends with a
   * pane.
   */
  private static final int MEANS = 20;

  private static final int SCORES_OF_A_MEAN = 20;
  private static final Duration WARM_UP_AND_PANES = Duration.ofSeconds(6 + 2 * MEANS);
  private static final Duration LONGEST_ACT_ONE = Duration.ofMinutes(4);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration TABLE = Duration.ofSeconds(10);

  private final MonitorProcess monitor;
  private final BrokerConnection broker;
  private final ServingFiles files;
  private final Path folder;
  private final DemoLinks links;
  private final Options options;
  private final Clock clock;
  private final StopSignal signal;
  private final DemoPrinter printer;
  private final ScenePrompts prompts;
  private final @Nullable Instant end;
  private Instant began = Instant.EPOCH;
  private @Nullable Finding told;
  private boolean decided;

  /**
   * What the command line says.
   *
   * @param seed of the prompts and clients
   * @param fault of the second act
   * @param exitAfterVerdict whether the verdict, and the test of it, is the end
   * @param test whether a verdict is followed by the test that decides it
   * @param duration when the end is at the latest, null for a signal
   */
  record Options(
      long seed,
      DemoFault fault,
      boolean exitAfterVerdict,
      boolean test,
      @Nullable Duration duration) {}

  /**
   * Prepares; the parts stay the caller's.
   *
   * @param folder for logs and the key of the prompts' hashes
   */
  MigrationDemo(
      MonitorProcess monitor,
      BrokerConnection broker,
      ServingFiles files,
      Path folder,
      DemoLinks links,
      Options options,
      Clock clock,
      StopSignal signal,
      DemoPrinter printer) {
    this.monitor = monitor;
    this.broker = broker;
    this.files = files;
    this.folder = folder;
    this.links = links;
    this.options = options;
    this.clock = clock;
    this.signal = signal;
    this.printer = printer;
    prompts = new ScenePrompts(options.seed());
    end = options.duration() == null ? null : clock.instant().plus(options.duration());
  }

  /** Plays until the end that the options say, or a signal. */
  ExitCode run() throws IOException, InterruptedException {
    ExitCode stopped = awaitMonitor();
    if (stopped != null) {
      return stopped;
    }
    began = clock.instant();
    printer.tell("The policy of this demonstration", DemoPolicy.yaml().lines().toList());
    Files.writeString(key(), HexFormat.of().formatHex(SecureRandom.getSeed(32)));
    Act one = new Act(ACT_ONE, options.seed());
    try (DemoNode node = start("act-one", NODE, DemoNode.single())) {
      if (node == null) {
        return interrupted();
      }
      printer.act(
          "Act one: one request at a time, no cache",
          List.of(
              CLIENTS
                  + " clients; "
                  + STEPS
                  + " denoising steps an image; page and API: "
                  + monitor.address(),
              "weights " + node.weights() + ", configuration " + node.configId()));
      stopped = one.play(node, this::learned);
    }
    return stopped == null ? migrated(one.numbers()) : stopped;
  }

  private ExitCode migrated(LoadNumbers before) throws IOException, InterruptedException {
    publishDeploy();
    Act two = new Act(ACT_TWO, options.seed() + 1);
    ExitCode stopped;
    try (DemoNode node = start("act-two", NODE, DemoNode.batching(options.fault()))) {
      if (node == null) {
        return interrupted();
      }
      printer.act(
          "Act two: the same weights, shared batches and a conditioning cache",
          List.of(
              ACT_TWO.busy()
                  + " clients when it is busy, "
                  + ACT_TWO.quiet()
                  + " when it is quiet; fault: "
                  + options.fault().word(),
              "weights " + node.weights() + ", configuration " + node.configId()));
      stopped = two.play(node, act -> judged(act, before, node));
      if (stopped == null && told != null && options.test()) {
        stopped = decide(told, node);
      }
      if (stopped == null && !options.exitAfterVerdict()) {
        decided = true;
        printer.say("the clients go on until a signal");
        stopped = two.play(node, act -> judged(act, before, node));
      }
    }
    if (stopped != null) {
      return stopped;
    }
    printer.say(told == null ? "no verdict within " + LONGEST_WAIT.toMinutes() + " minutes" : "");
    return told == null ? ExitCode.INSUFFICIENT : ExitCode.DONE;
  }

  /** Whether the first act has given enough to compare the second one with. */
  private boolean learned(Act act) {
    Duration since = act.elapsed();
    long images = Math.max(1, act.numbers().images());
    Duration gathering = since.multipliedBy(MEANS * SCORES_OF_A_MEAN).dividedBy(images);
    return since.compareTo(LONGEST_ACT_ONE) >= 0
        || since.compareTo(WARM_UP_AND_PANES.plus(gathering)) >= 0;
  }

  /** Tells of the verdict when it comes or becomes more; whether the story is over. */
  private boolean judged(Act act, LoadNumbers before, DemoNode node) {
    Optional<Finding> found = DemoVerdict.of(monitor.readModel().findings(), options.fault());
    boolean more =
        found.isPresent() && (told == null || found.get().getSeverity() != told.getSeverity());
    if (more) {
      told = found.get();
      tell(told, act, before, node);
    }
    boolean pause = options.test() && !decided;
    return (told != null && (options.exitAfterVerdict() || pause))
        || (options.exitAfterVerdict() && act.elapsed().compareTo(LONGEST_WAIT) >= 0);
  }

  /** Act three; what to exit with when it was stopped, else null. */
  private @Nullable ExitCode decide(Finding finding, DemoNode now)
      throws IOException, InterruptedException {
    JsonNode body = JsonOutput.parse(finding.getBody());
    if (body == null) {
      throw new IllegalStateException("finding " + finding.getFindingId() + ": no JSON");
    }
    try (DemoNode before = start("act-three-old", OTHER_NODE, DemoNode.single());
        DemoScorer scorer =
            before == null
                ? null
                : DemoScorer.start(files, folder.resolve("act-three-scorer.log"), signal)) {
      if (before == null || scorer == null) {
        return interrupted();
      }
      ThirdAct three = new ThirdAct(folder, clock, printer, this::over);
      ThirdAct.Sides sides = new ThirdAct.Sides(before.address(), now.address(), scorer.address());
      boolean whole = three.play(sides, prompts, STEPS, options.seed(), body);
      return whole ? null : stopped(Duration.ZERO);
    }
  }

  /** Whether a signal came or the time is over. */
  private boolean over() {
    return signal.isStopped() || (end != null && !clock.instant().isBefore(end));
  }

  private void tell(Finding finding, Act act, LoadNumbers before, DemoNode node) {
    LoadNumbers now = act.numbers();
    printer.table(monitor.readModel(), TABLE);
    printer.tell(
        "What clients saw, act one -> act two",
        List.of(
            DemoPrinter.moved("mean latency", before.mean(), now.mean()),
            DemoPrinter.moved("p99 latency", before.p99(), now.p99()),
            DemoPrinter.moved("p99 when busy", before.p99(), act.whenBusy().p99())));
    printer.finding(finding, act.elapsed(), node.weights());
    printer.tell(
        "The alert, as Alertmanager gets it",
        AlertPreview.of(List.of(finding), links.ofAlert(), clock.instant()).lines().toList());
    printer.tell("Where to look", links.lines(finding.getFindingId(), began, clock.instant()));
  }

  private @Nullable ExitCode awaitMonitor() throws InterruptedException {
    Instant latest = clock.instant().plus(PATIENCE);
    while (!monitor.ready()) {
      requireMonitor();
      ExitCode stopped = stopped(LOOK);
      if (stopped != null) {
        return stopped;
      }
      if (clock.instant().isAfter(latest)) {
        throw new CommandFailure(
            ExitCode.UNREACHABLE, "the monitor was not ready within " + PATIENCE, null);
      }
    }
    return null;
  }

  private void requireMonitor() {
    Throwable failure = monitor.failure();
    if (failure != null) {
      throw new CommandFailure(
          ExitCode.INTERNAL_ERROR, "the topology stopped: " + failure, failure);
    }
  }

  /** Waits; what to exit with when a signal came or the time is over, else null. */
  private @Nullable ExitCode stopped(Duration wait) throws InterruptedException {
    ExitCode code = signal.await(wait);
    if (code == null && end != null && !clock.instant().isBefore(end)) {
      return options.exitAfterVerdict() ? ExitCode.INSUFFICIENT : ExitCode.DONE;
    }
    return code;
  }

  /** After a signal: what it says to exit with. */
  private ExitCode interrupted() throws InterruptedException {
    ExitCode code = signal.await(Duration.ZERO);
    return code == null ? ExitCode.INTERRUPTED : code;
  }

  private Path key() {
    return folder.resolve("prompt-hash.key");
  }

  /** Null when a signal came first. */
  private @Nullable DemoNode start(String act, String name, List<String> ofAct)
      throws IOException, InterruptedException {
    Path log = folder.resolve(act + ".log");
    printer.say("starting the serving node");
    List<String> common =
        new ArrayList<>(
            List.of("--bootstrap-servers", broker.bootstrapServers(), "--deployment", DEPLOYMENT));
    // Where a shared batch is worth most without a GPU.
    common.addAll(List.of("--precision", "bf16"));
    common.addAll(List.of("--node", name, "--prompt-hash-key-file", key().toString()));
    return DemoNode.start(files, common, ofAct, log, signal);
  }

  /** The rollout, as a pipeline would say it. */
  private void publishDeploy() {
    ServingEvent deploy =
        ServingEvent.newBuilder()
            .setEventId("deploy-" + UUID.randomUUID())
            .setAt(clock.instant().truncatedTo(ChronoUnit.MICROS))
            .setDeployment(DEPLOYMENT)
            .setNode(null)
            .setKind(ServingEventKind.DEPLOY)
            .setAttributes(Map.of("ref", "shared batches and conditioning cache"))
            .build();
    if (!monitor.publisher().offer(deploy)) {
      printer.say("the deploy event could not be published");
    }
  }

  /** Clients under a load, and how long they have been asking. */
  private final class Act {
    private final LoadWave wave;
    private final long seed;
    private @Nullable ClosedLoop clients;

    Act(LoadWave wave, long seed) {
      this.wave = wave;
      this.seed = seed;
    }

    /** Lets clients ask until it is over: null; else what to exit with. */
    @Nullable ExitCode play(DemoNode node, Predicate<Act> over)
        throws IOException, InterruptedException {
      try (ClosedLoop loop =
          ClosedLoop.start(
              wave,
              seed,
              random -> node.api().image(prompts.draw(random), STEPS, random.nextLong(1L << 31)))) {
        clients = loop;
        while (true) {
          ExitCode stopped = stopped(LOOK);
          if (stopped != null) {
            return stopped;
          }
          requireMonitor();
          node.requireAlive();
          if (printer.due(loop.elapsed())) {
            printer.progress(loop.elapsed(), loop.numbers());
          }
          if (over.test(this)) {
            return null;
          }
        }
      }
    }

    Duration elapsed() {
      return clients == null ? Duration.ZERO : clients.elapsed();
    }

    LoadNumbers whenBusy() {
      return clients == null ? new LoadNumbers(List.of(), 0, null) : clients.whenBusy();
    }

    LoadNumbers numbers() {
      return clients == null ? new LoadNumbers(List.of(), 0, null) : clients.numbers();
    }
  }
}

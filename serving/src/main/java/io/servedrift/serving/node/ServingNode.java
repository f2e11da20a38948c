package io.servedrift.serving.node;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.schemas.PromptHash;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.fault.RepeatedFault;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.scheduler.BatchScheduler;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node without its HTTP side: scheduler, journal, clock and the completion of requests.
 * Engine and publisher are given and stay the caller's, to be closed after the node. Thread-safe.
 */
public final class ServingNode implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ServingNode.class);

  /** Encoding an image takes a millisecond; answers are written elsewhere. */
  private static final int FINISHING_THREADS = 4;

  private static final Duration FINISHING = Duration.ofSeconds(5);

  /** How long {@link #close} takes beyond the drain time at most. */
  public static final Duration LONGEST_STOP = BatchScheduler.LONGEST_STOP.plus(FINISHING);

  private static final Duration EVICTION_STORM_EVERY = Duration.ofMillis(500);

  private final NodeSettings settings;
  private final NodeState state;
  private final NodeAdministration administration;
  private final ImageService images;
  private final ExecutorService finishing;
  private final NodePulse pulse;
  private final RepeatedFault evictionStorm;

  private ServingNode(
      NodeSettings settings,
      Engine engine,
      SchedulerLimits limits,
      Faults faults,
      Outlets outlets) {
    this.settings = settings;
    BatchScheduler scheduler = BatchScheduler.start(engine.backend(), limits, faults);
    EngineControls controls = engine.controls();
    EventJournal journal =
        new EventJournal(
            outlets.sink(),
            settings.deployment(),
            settings.node(),
            new ResolvedConfiguration(
                settings.version(), controls.model(), controls.engine(), limits),
            InstantSource.system());
    state =
        new NodeState(
            settings.version(),
            settings.deployment(),
            settings.node(),
            journal,
            controls,
            scheduler,
            faults,
            outlets.published());
    administration =
        new NodeAdministration(settings.version(), controls, scheduler, faults, journal);
    finishing = Executors.newFixedThreadPool(FINISHING_THREADS, ServingNode::finishingThread);
    images =
        new ImageService(
            scheduler,
            journal,
            outlets.sink(),
            outlets.hash(),
            new PromptLengths(engine.promptTokens(), () -> controls.model().maxPromptTokens()),
            outlets.finishedImages(),
            finishing);
    pulse =
        new NodePulse(
            journal,
            () -> controls.cache().evictions(),
            () -> scheduler.statistics().preemptions(),
            System::nanoTime);
    evictionStorm =
        new RepeatedFault(faults, Fault.EVICTION_STORM, EVICTION_STORM_EVERY, controls::evictMost);
  }

  /**
   * The engine, from its three sides.
   *
   * @param backend makes images
   * @param controls is administrated
   * @param promptTokens length of a prompt in tokens; thread-safe
   * @param resources to be closed by the caller when the node is closed
   */
  public record Engine(
      DiffusionBackend backend,
      EngineControls controls,
      ToIntFunction<String> promptTokens,
      AutoCloseable resources) {}

  /**
   * Where results go beside the client.
   *
   * @param sink takes the events
   * @param published what became of them
   * @param hash hashes prompts for them
   * @param finishedImages is handed each image
   */
  public record Outlets(
      EventSink sink,
      Supplier<PublisherMetrics> published,
      PromptHash hash,
      FinishedImages finishedImages) {}

  /** Starts the node and publishes that it runs. */
  public static ServingNode start(
      NodeSettings settings,
      Engine engine,
      SchedulerLimits limits,
      Faults faults,
      Outlets outlets) {
    ServingNode node = new ServingNode(settings, engine, limits, faults, outlets);
    node.state.journal().started();
    node.administration.publishFaults();
    node.pulse.start(settings.heartbeat());
    return node;
  }

  /** Takes calls. */
  public ImageService images() {
    return images;
  }

  /** Changes the node. */
  public NodeAdministration administration() {
    return administration;
  }

  /** Shows the node. */
  public NodeState state() {
    return state;
  }

  /**
   * Takes no new calls, lets those it has end within the drain time, gives up the rest, and
   * publishes that the node stopped. Answers are handed to the server then, which writes them.
   */
  @Override
  public void close() {
    evictionStorm.close();
    boolean drained = state.scheduler().shutdown(settings.drain());
    if (!drained) {
      LOG.warn("not every request ended within {}; the rest was given up", settings.drain());
    }
    finishing.shutdown();
    try {
      if (!finishing.awaitTermination(FINISHING.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("an image could not be encoded in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pulse.close();
    state.journal().stopped(drained ? "drained" : "drain_timeout");
  }

  private static Thread finishingThread(Runnable task) {
    Thread thread = new Thread(task, "node-finishing");
    thread.setDaemon(true);
    return thread;
  }
}

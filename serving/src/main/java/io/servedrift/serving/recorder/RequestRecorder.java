package io.servedrift.serving.recorder;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.Output;
import io.servedrift.schemas.avro.PrefixCache;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Scheduling;
import io.servedrift.schemas.avro.Workload;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects what happens to one request and makes its event at the end. Made when the request
 * arrives; told by whoever notices: the batcher each step, a cache its outcome, the scheduler a
 * preemption.
 *
 * <p>The clock is read once, at arrival; everything else is measured on the monotonic timer, so
 * that {@code finished_at - arrived_at} is the latency even when the clock is set meanwhile. Lists
 * that the schema bounds are cut, sizes and counts go on. What comes after the end is ignored: a
 * late callback of an engine is no error. Never keeps prompts or outputs, only what it is given for
 * the event.
 *
 * <p>Thread-safe: API, batcher and engine threads may all report.
 */
public final class RequestRecorder {

  private static final int MAX_STAGES = 32;
  private static final int MAX_SCORES = 64;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Supplier<ServingIdentity> inForce;
  private final String requestId;
  private final LongSupplier nanoTime;
  private final Instant arrivedAt;
  private final long arrivedNanos;

  private final BatchRecord batch = new BatchRecord();
  private final CacheRecord cache = new CacheRecord();
  private final Map<String, Long> stageNanos = new LinkedHashMap<>();
  private final Map<String, Double> scores = new LinkedHashMap<>();
  private final Map<String, String> scorers = new LinkedHashMap<>();
  private @Nullable ServingIdentity identity;
  private boolean synthetic;
  private @Nullable Workload workload;
  private @Nullable Output output;
  private @Nullable Long admittedNanos;
  private @Nullable Long firstTokenNanos;
  private @Nullable Long preemptedSinceNanos;
  private @Nullable Integer priority;
  private long preemptedNanos;
  private long computeNanos;
  private int preemptions;
  private int stalledSteps;
  private boolean finished;

  /** A request arrives now at a process whose identity does not change. */
  public RequestRecorder(ServingIdentity identity, String requestId) {
    this(() -> identity, requestId);
  }

  /**
   * A request arrives now.
   *
   * @param inForce what is in force, read when the request is admitted first, or at its end when it
   *     never was; must not block
   */
  public RequestRecorder(Supplier<ServingIdentity> inForce, String requestId) {
    this(inForce, requestId, InstantSource.system(), System::nanoTime);
  }

  /**
   * A request arrives now, by the given clocks.
   *
   * @param inForce what is in force, read when the request is admitted first, or at its end when it
   *     never was; must not block
   * @param clock read once, for {@code arrived_at}
   * @param nanoTime monotonic timer, as {@link System#nanoTime()}
   */
  public RequestRecorder(
      Supplier<ServingIdentity> inForce,
      String requestId,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.inForce = inForce;
    this.requestId = requestId;
    this.nanoTime = nanoTime;
    this.arrivedAt = clock.instant().truncatedTo(ChronoUnit.MICROS);
    this.arrivedNanos = nanoTime.getAsLong();
  }

  /** Time since the request arrived. */
  public Duration age() {
    return Duration.ofNanos(elapsed());
  }

  /** The request is gate or test traffic. */
  public synchronized void synthetic() {
    synthetic = true;
  }

  /** What was asked for; without prompt text. */
  public synchronized void workload(Workload asked) {
    workload = asked;
  }

  /** The scheduler's priority of the request. */
  public synchronized void priority(int value) {
    priority = value;
  }

  /**
   * The request leaves the queue, under the configuration in force now; only the first admission
   * counts.
   *
   * @param running requests running on the node now
   * @param waiting requests waiting on the node now
   */
  public synchronized void admitted(int running, int waiting) {
    if (admittedNanos == null && !finished) {
      identity = inForce.get();
      admittedNanos = elapsed();
      batch.admitted(running, waiting);
    }
  }

  /** The first token of the answer is ready; only the first call counts. */
  public synchronized void firstToken() {
    if (firstTokenNanos == null) {
      firstTokenNanos = elapsed();
    }
  }

  /** Begins a stage of the pipeline, which ends when the returned stage is closed. */
  public Stage stage(String name) {
    return new Stage(name, nanoTime.getAsLong());
  }

  /** Adds time to a stage, for engines that measure themselves. */
  public synchronized void addStage(String name, Duration spent) {
    addStage(name, spent, 1);
  }

  /**
   * Adds time to a stage in which an engine worked for several requests at once.
   *
   * @param sharers requests that it worked for, this one included; each is charged an equal part of
   *     the time
   */
  public synchronized void addStage(String name, Duration spent, int sharers) {
    computeNanos += Math.max(0, spent.toNanos()) / sharers;
    if (stageNanos.containsKey(name) || stageNanos.size() < MAX_STAGES) {
      stageNanos.merge(name, Math.max(0, spent.toNanos()), Long::sum);
    }
  }

  /**
   * Seconds of the engine that this request was charged so far: its stages, of which those that
   * were shared count by its part.
   */
  public synchronized double computeSeconds() {
    return computeNanos / NANOS_PER_SECOND;
  }

  /** The engine ran one step of this request in a batch of the given size, itself included. */
  public synchronized void step(int batchSize) {
    if (!finished) {
      batch.step(batchSize);
    }
  }

  /** A request that was in the batch already when this one was admitted. */
  public synchronized void neighbour(String id, Collection<String> adapters) {
    if (!finished) {
      batch.neighbour(id, adapters, false);
    }
  }

  /** A request joined the batch while this one ran. */
  public synchronized void neighbourJoined(String id, Collection<String> adapters) {
    if (!finished) {
      batch.neighbour(id, adapters, true);
    }
  }

  /** A request left the batch while this one ran. */
  public synchronized void neighbourLeft() {
    if (!finished) {
      batch.left();
    }
  }

  /** Whether any cache served this request; for nodes that cannot say more. */
  public synchronized void cacheHit(boolean hit) {
    cache.hit = hit;
  }

  /** What the text-conditioning cache did. */
  public synchronized void conditioningCache(CacheOutcome outcome) {
    cache.conditioning = outcome;
  }

  /** What the negative-prompt cache did. */
  public synchronized void negativeCache(CacheOutcome outcome) {
    cache.negative = outcome;
  }

  /** What the adapter-weight cache did. */
  public synchronized void adapterCache(CacheOutcome outcome) {
    cache.adapter = outcome;
  }

  /** Prompt tokens found by tier of the prefix cache. */
  public synchronized void prefixCache(int device, int host, int storage) {
    cache.prefix = new PrefixCache(device, host, storage);
  }

  /** One denoising step, taken from the cache or computed. */
  public synchronized void denoiseStep(boolean cached) {
    if (!finished) {
      cache.denoiseStep(cached);
    }
  }

  /** Age of the cache entry that was hit. */
  public synchronized void cacheEntryAge(Duration age) {
    cache.entryAgeSeconds = age.toNanos() / NANOS_PER_SECOND;
  }

  /** Entries evicted from the caches while the request ran. */
  public synchronized void evictions(int count) {
    cache.evictions = count;
  }

  /** The scheduler took the request off the engine. */
  public synchronized void preempted() {
    if (!finished && preemptedSinceNanos == null) {
      preemptions++;
      preemptedSinceNanos = elapsed();
    }
  }

  /** The request is back on the engine. */
  public synchronized void resumed() {
    if (!finished && preemptedSinceNanos != null) {
      preemptedNanos += elapsed() - preemptedSinceNanos;
      preemptedSinceNanos = null;
    }
  }

  /** A step of the engine passed this request by. */
  public synchronized void stalledStep() {
    if (!finished) {
      stalledSteps++;
    }
  }

  /**
   * A score of the output.
   *
   * @param name of the score
   * @param value finite
   * @param scorer who scored: {@code name@version}
   */
  public synchronized void score(String name, double value, String scorer) {
    if (Double.isFinite(value) && (scores.containsKey(name) || scores.size() < MAX_SCORES)) {
      scores.put(name, value);
      scorers.put(name, scorer);
    }
  }

  /** Digest and size of the output. */
  public synchronized void output(String sha256, long bytes) {
    output = new Output(sha256, bytes);
  }

  /**
   * The request ends now.
   *
   * @return its event; empty when it had ended before
   */
  public synchronized Optional<RequestEvent> finish(Ending ending) {
    if (finished) {
      return Optional.empty();
    }
    resumed();
    ServingIdentity who = identity();
    finished = true;
    // Latency in whole microseconds, the precision of the times, so that the three agree.
    long latencyMicros = elapsed() / 1_000;
    double latency = latencyMicros / 1e6;
    RequestEvent.Builder event =
        RequestEvent.newBuilder()
            .setRequestId(requestId)
            .setDeployment(who.deployment())
            .setNode(who.node())
            .setSynthetic(synthetic)
            .setConfigId(who.configId())
            .setModelId(who.modelId())
            .setArrivedAt(arrivedAt)
            .setFinishedAt(arrivedAt.plus(latencyMicros, ChronoUnit.MICROS))
            .setStatus(ending.status())
            .setError(ending.error())
            .setFinishReason(ending.finishReason())
            .setLatencySeconds(latency)
            .setTimeToFirstTokenSeconds(seconds(firstTokenNanos, latency))
            .setWorkload(workload)
            .setBatch(batch.toAvro(who.observed().contains(Observed.BATCH_CHANGES)))
            .setCache(cache.toAvro(who.observed().contains(Observed.DENOISE_CACHE)))
            .setScheduling(scheduling(who))
            .setScores(Map.copyOf(scores))
            .setScorers(Map.copyOf(scorers))
            .setOutput(output);
    Double queue = seconds(admittedNanos, latency);
    if (queue != null) {
      event.setQueueSeconds(queue).setInferenceSeconds(latency - queue);
    }
    Map<String, Double> stages = new LinkedHashMap<>();
    stageNanos.forEach((name, nanos) -> stages.put(name, nanos / NANOS_PER_SECOND));
    return Optional.of(event.setStageSeconds(stages).build());
  }

  /**
   * The request ends now and its event goes to the sink, without waiting.
   *
   * @return false when the request had ended before or the sink dropped the event
   */
  public boolean finish(Ending ending, EventSink sink) {
    return finish(ending).filter(sink::offer).isPresent();
  }

  private static @Nullable Double seconds(@Nullable Long nanos, double atMost) {
    return nanos == null ? null : Math.min(nanos / NANOS_PER_SECOND, atMost);
  }

  private @Nullable Scheduling scheduling(ServingIdentity who) {
    boolean observed = who.observed().contains(Observed.SCHEDULING);
    if (!observed && preemptions == 0 && stalledSteps == 0 && priority == null) {
      return null;
    }
    boolean known = observed || preemptions > 0 || stalledSteps > 0;
    return Scheduling.newBuilder()
        .setPreemptions(known ? preemptions : null)
        .setPreemptedSeconds(known ? preemptedNanos / NANOS_PER_SECOND : null)
        .setStalledSteps(known ? stalledSteps : null)
        .setPriority(priority)
        .build();
  }

  private synchronized ServingIdentity identity() {
    ServingIdentity known = identity == null ? inForce.get() : identity;
    identity = known;
    return known;
  }

  private long elapsed() {
    return Math.max(0, nanoTime.getAsLong() - arrivedNanos);
  }

  /** A running stage; to be closed when it ends. Closing twice counts once. Thread-safe. */
  public final class Stage implements AutoCloseable {
    private final String name;
    private final long startedNanos;
    private boolean closed;

    private Stage(String name, long startedNanos) {
      this.name = name;
      this.startedNanos = startedNanos;
    }

    @Override
    public void close() {
      synchronized (RequestRecorder.this) {
        if (!closed) {
          closed = true;
          addStage(name, Duration.ofNanos(nanoTime.getAsLong() - startedNanos));
        }
      }
    }
  }
}

package io.servedrift.monitors.demo;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.DenoiseCache;
import io.servedrift.schemas.avro.Output;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Workload;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Traffic of one image deployment, without end, in event-time order: configurations, requests, late
 * scores and serving events. A discrete-event simulation, not random numbers: requests arrive
 * (Poisson, with a time of day), are routed to the less loaded node of one of two configurations of
 * the same model, and wait, run and share steps there. A single-request pipeline on three nodes
 * takes a quarter of the traffic, a batching and caching runtime on two nodes the rest. Latencies,
 * batch compositions and cache outcomes follow from that; scores come 1 to 20 seconds later, depend
 * a little on the prompt's class and are a little lower where steps were reused.
 *
 * <p>The same seed, start and load give the same events. Not thread-safe.
 */
public final class TrafficModel implements Iterator<SpecificRecord> {
  /** The deployment that all events belong to. */
  public static final String DEPLOYMENT = "image-gen";

  private static final long SECOND = 1_000_000;
  private static final double SERIAL_SHARE = 0.25;
  private static final double REQUESTS_PER_SECOND = 16;
  private static final int SERIAL_NODES = 3;
  private static final int BATCHING_NODES = 2;
  private static final double ERROR_SHARE = 0.004;
  private static final double CANCEL_SHARE = 0.003;
  private static final double CLIP_SHARE = 0.8;
  private static final double AESTHETIC_SHARE = 0.4;
  private static final double FLUSH_EVERY_MICROS = 1200.0 * SECOND;
  private static final String CLIP = "clip-vit-l-14@ab12";
  private static final String AESTHETIC = "laion-v2@1";

  private record Timed(long micros, long order, SpecificRecord event) implements Comparable<Timed> {
    @Override
    public int compareTo(Timed other) {
      int byTime = Long.compare(micros, other.micros);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final SplittableRandom arrivals;
  private final SplittableRandom outcomes;
  private final PromptPool prompts;
  private final double load;
  private final String run;
  private final String modelId = DemoConfigs.modelId();
  private final String serialId = DemoConfigs.configId(DemoConfigs.SERIAL);
  private final String batchingId = DemoConfigs.configId(DemoConfigs.BATCHING);
  private final List<ServingNode> serial = new ArrayList<>();
  private final List<ServingNode> batching = new ArrayList<>();
  private final List<ServingNode> nodes = new ArrayList<>();
  private final PriorityQueue<Timed> ready = new PriorityQueue<>();
  private long order;
  private long requests;
  private long flushes;
  private long nextArrivalMicros;
  private long nextFlushMicros;

  /** Traffic at its normal load, about 16 requests per second. */
  public TrafficModel(long seed, Instant start) {
    this(seed, start, 1);
  }

  /**
   * Traffic from a start on.
   *
   * @param seed decides every random number
   * @param start event time of the first event
   * @param load multiple of the normal traffic, with as many more nodes; 0.1 to 1000
   * @throws IllegalArgumentException when the load is out of range
   */
  public TrafficModel(long seed, Instant start, double load) {
    if (!(load >= 0.1 && load <= 1000)) {
      throw new IllegalArgumentException("traffic load=" + load + ": must be between 0.1 and 1000");
    }
    SplittableRandom root = new SplittableRandom(seed);
    this.arrivals = root.split();
    this.outcomes = root.split();
    this.prompts = new PromptPool(root.nextLong());
    this.load = load;
    // Ids differ between runs: the same broker may see several, and a repeated id is a duplicate.
    this.run = Long.toString(start.toEpochMilli(), 36);
    long startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start);
    int factor = (int) Math.max(1, Math.round(load));
    for (int i = 0; i < SERIAL_NODES * factor; i++) {
      serial.add(new SerialNode("gpu-a" + i, root.split()));
    }
    for (int i = 0; i < BATCHING_NODES * factor; i++) {
      batching.add(new BatchingNode("gpu-b" + i, root.split()));
    }
    nodes.addAll(serial);
    nodes.addAll(batching);
    serial.forEach(node -> announce(node, DemoConfigs.SERIAL, serialId, startMicros));
    batching.forEach(node -> announce(node, DemoConfigs.BATCHING, batchingId, startMicros));
    nextArrivalMicros = startMicros + gap(startMicros);
    nextFlushMicros = startMicros + Math.round(Noise.exponential(FLUSH_EVERY_MICROS, arrivals));
  }

  private void announce(ServingNode node, String config, String configId, long micros) {
    emit(micros, DemoConfigs.record(config, DEPLOYMENT, node.name(), instant(micros)));
    emit(
        micros,
        servingEvent(
            "e-" + run + "-" + node.name(),
            micros,
            node.name(),
            ServingEventKind.NODE_STARTED,
            Map.of("config_id", configId)));
  }

  /** Always true: the traffic has no end. */
  @Override
  public boolean hasNext() {
    return true;
  }

  /** The next event; its event time is not before that of the previous one. */
  @Override
  public SpecificRecord next() {
    while (true) {
      ServingNode node = earliest();
      long happens = Math.min(Math.min(nextArrivalMicros, nextFlushMicros), node.nextMicros());
      Timed head = ready.peek();
      // Whatever happens later can only produce events from then on.
      if (head != null && head.micros() <= happens) {
        ready.remove();
        return head.event();
      }
      if (happens == node.nextMicros()) {
        node.advance().forEach(job -> finish(node, job));
      } else if (happens == nextArrivalMicros) {
        arrive(happens);
      } else {
        flush(happens);
      }
    }
  }

  private ServingNode earliest() {
    ServingNode earliest = nodes.get(0);
    for (ServingNode node : nodes) {
      if (node.nextMicros() < earliest.nextMicros()) {
        earliest = node;
      }
    }
    return earliest;
  }

  private long gap(long micros) {
    // Most traffic in the early afternoon, least at night.
    double hour = (micros / SECOND % 86_400) / 3600.0;
    double day = 1 + 0.3 * StrictMath.cos((hour - 14) / 12 * StrictMath.PI);
    return 1 + Math.round(Noise.exponential(SECOND / (REQUESTS_PER_SECOND * load * day), arrivals));
  }

  private void arrive(long now) {
    nextArrivalMicros = now + gap(now);
    List<ServingNode> group = arrivals.nextDouble() < SERIAL_SHARE ? serial : batching;
    ServingNode node = group.get(0);
    for (ServingNode other : group) {
      if (other.load() < node.load()) {
        node = other;
      }
    }
    double size = arrivals.nextDouble();
    int edge = size < 0.35 ? 512 : size < 0.8 ? 768 : 1024;
    double length = arrivals.nextDouble();
    int steps = length < 0.5 ? 4 : length < 0.88 ? 8 : 20;
    String adapter = arrivals.nextDouble() < 0.1 ? "style-a" : null;
    String id = "r-" + run + "-" + requests++;
    long seed = arrivals.nextLong(1L << 31);
    node.accept(new Job(id, now, prompts.draw(arrivals), edge, steps, seed, adapter), now);
  }

  private void flush(long now) {
    nextFlushMicros = now + Math.round(Noise.exponential(FLUSH_EVERY_MICROS, arrivals));
    ServingNode node = batching.get(arrivals.nextInt(batching.size()));
    if (node instanceof BatchingNode caching) {
      caching.flushCache();
      emit(
          now,
          servingEvent(
              "e-" + run + "-f" + flushes++,
              now,
              node.name(),
              ServingEventKind.CACHE_FLUSH,
              Map.of("reason", "memory")));
    }
  }

  private void finish(ServingNode node, Job job) {
    long inference = job.encodeMicros + job.denoiseMicros + job.decodeMicros;
    long finished = job.startedMicros + inference;
    double fate = outcomes.nextDouble();
    RequestStatus status =
        fate < ERROR_SHARE
            ? RequestStatus.ERROR
            : fate < ERROR_SHARE + CANCEL_SHARE ? RequestStatus.CANCELLED : RequestStatus.OK;
    boolean batched = node instanceof BatchingNode;
    RequestEvent.Builder event =
        RequestEvent.newBuilder()
            .setRequestId(job.id)
            .setDeployment(DEPLOYMENT)
            .setNode(node.name())
            .setConfigId(batched ? batchingId : serialId)
            .setModelId(modelId)
            .setArrivedAt(instant(job.arrivedMicros))
            .setFinishedAt(instant(finished))
            .setStatus(status)
            .setLatencySeconds(seconds(finished - job.arrivedMicros))
            .setQueueSeconds(seconds(job.startedMicros - job.arrivedMicros))
            .setInferenceSeconds(seconds(inference))
            .setStageSeconds(
                Map.of(
                    "text_encode", seconds(job.encodeMicros),
                    "denoise", seconds(job.denoiseMicros),
                    "decode", seconds(job.decodeMicros)))
            .setWorkload(workload(job))
            .setBatch(batch(job))
            .setCache(cache(job, batched));
    if (status == RequestStatus.ERROR) {
      event.setError("out_of_memory");
    } else if (status == RequestStatus.OK) {
      event.setOutput(new Output(null, Math.round(0.16 * job.edge * job.edge)));
    }
    emit(finished, event.build());
    if (status == RequestStatus.OK) {
      score(job, finished);
    }
  }

  private void score(Job job, long finished) {
    double reused = (double) job.cachedSteps / job.steps;
    double clip = job.prompt.clip() - 0.012 * reused + 0.018 * Noise.gaussian(outcomes);
    double aesthetic = job.prompt.aesthetic() - 0.10 * reused + 0.35 * Noise.gaussian(outcomes);
    if (outcomes.nextDouble() < CLIP_SHARE) {
      emitScore(job, finished, "clip", clip, CLIP);
    }
    if (outcomes.nextDouble() < AESTHETIC_SHARE) {
      emitScore(job, finished, "aesthetic", aesthetic, AESTHETIC);
    }
  }

  private void emitScore(Job job, long finished, String name, double value, String scorer) {
    long at = finished + SECOND + outcomes.nextLong(19 * SECOND);
    emit(at, new ScoreEvent(job.id, DEPLOYMENT, name, value, scorer, instant(at)));
  }

  private static Workload workload(Job job) {
    return Workload.newBuilder()
        .setModality("image")
        .setPromptHash(job.prompt.hash())
        .setPromptClass(job.prompt.promptClass())
        .setPromptTokens(job.prompt.tokens())
        .setWidth(job.edge)
        .setHeight(job.edge)
        .setImages(1)
        .setSteps(job.steps)
        .setGuidanceScale(3.5)
        .setSeed(job.seed)
        .setAdapters(job.adapter == null ? List.of() : List.of(job.adapter))
        .build();
  }

  private static BatchComposition batch(Job job) {
    int min = Integer.MAX_VALUE;
    int max = 0;
    long sum = 0;
    long steps = 0;
    for (BatchSegment segment : job.segments) {
      min = Math.min(min, segment.getSize());
      max = Math.max(max, segment.getSize());
      sum += (long) segment.getSize() * segment.getSteps();
      steps += segment.getSteps();
    }
    return BatchComposition.newBuilder()
        .setSizeMin(min)
        .setSizeMean((double) sum / steps)
        .setSizeMax(max)
        .setJoined(job.joined)
        .setLeft(job.left)
        .setNeighbours(List.copyOf(job.neighbours))
        .setRunning(job.running)
        .setWaiting(job.waiting)
        .setSegments(job.segments)
        .build();
  }

  private static CacheUse cache(Job job, boolean caching) {
    CacheUse.Builder cache = CacheUse.newBuilder().setHit(job.cacheHit);
    if (caching) {
      boolean hit = Boolean.TRUE.equals(job.cacheHit);
      cache
          .setConditioning(hit ? CacheOutcome.HIT : CacheOutcome.MISS)
          .setDenoise(new DenoiseCache(job.cachedSteps, job.steps - job.cachedSteps));
    }
    return cache.build();
  }

  private static ServingEvent servingEvent(
      String id,
      long micros,
      @Nullable String node,
      ServingEventKind kind,
      Map<String, String> attributes) {
    return ServingEvent.newBuilder()
        .setEventId(id)
        .setAt(instant(micros))
        .setDeployment(DEPLOYMENT)
        .setNode(node)
        .setKind(kind)
        .setAttributes(attributes)
        .build();
  }

  private void emit(long micros, SpecificRecord event) {
    ready.add(new Timed(micros, order++, event));
  }

  private static double seconds(long micros) {
    return micros / 1e6;
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}

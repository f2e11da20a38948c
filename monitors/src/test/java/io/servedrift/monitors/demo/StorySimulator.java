package io.servedrift.monitors.demo;

import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Scheduling;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;

/**
 * The demonstration without its node: clients that ask again when they have an answer, one request
 * at a time without a cache, then shared batches and a cache. Costs of steps, hits and scores are
 * those of the real node to within the ranges that {@link Settings} names. Seeded; not thread-safe.
 */
public final class StorySimulator {
  /** The windows that the demonstration judges by. */
  public static final PaneSettings PANES =
      new PaneSettings(
          Duration.ofSeconds(2),
          List.of(Duration.ofSeconds(10)),
          Duration.ofSeconds(1),
          Duration.ofSeconds(4),
          Duration.ofMinutes(2),
          Duration.ofSeconds(60),
          10_000,
          200,
          400,
          32);

  static final Instant START = Instant.parse("2026-03-02T10:00:00Z");
  static final String DEPLOYMENT = "images";
  private static final double PERIOD = 14;
  private static final double BUSY = 3;
  private static final double[] OF_SHORTER = {1, .5, .1};
  private static final double SCATTER = .5;
  private static final int MAX_BATCH = 16;
  private static final List<String> CLASSES = List.of("one object", "two objects", "scene");

  /**
   * What is told.
   *
   * @param actOne seconds of the first act
   * @param actTwo seconds of the second act
   * @param clients in the first act; the second has three times as many when it is busy
   * @param quiet clients of the second act when it is not
   * @param stepFixed seconds of a denoising step beside its members
   * @param stepMember seconds of a member
   * @param harm what a batch of mixed lengths does
   * @param loss of a request that it harms most
   */
  public record Settings(
      long seed,
      double actOne,
      double actTwo,
      int clients,
      int quiet,
      double stepFixed,
      double stepMember,
      Harm harm,
      double loss) {}

  /** Whom a batch of mixed lengths harms. */
  public enum Harm {
    /** Hits, when it reached 4 members. */
    LARGE_BATCHES_AND_HITS,
    /**
     * The shorter prompts, by the share of their steps that a longer one shares. An assumption: two
     * objects lose half of what one loses and scenes a tenth; a batch of two costs half of what one
     * of sixteen costs; and the loss of a request scatters by half of what one object loses in the
     * mean.
     */
    SHORTER_PROMPTS
  }

  private record Prompt(int number, int kind, int tokens, double score) {}

  private static final class Job {
    final String id;
    final Prompt prompt;
    final double arrived;
    final int steps;
    double started;
    int left;
    boolean hit;
    int largest;
    int smallest = Integer.MAX_VALUE;
    double sum;
    int joined;
    int gone;
    boolean mixed;
    int outgrown;

    Job(String id, Prompt prompt, double arrived, int steps) {
      this.id = id;
      this.prompt = prompt;
      this.arrived = arrived;
      this.steps = steps;
      this.left = steps;
    }
  }

  private final Settings settings;
  private final SplittableRandom random;
  private final List<SpecificRecord> events = new ArrayList<>();
  private final List<Prompt> pool = new ArrayList<>();
  private final Set<Integer> cached = new HashSet<>();
  private int fresh = 1000;
  private int ids;

  /** Nothing happens before {@link #events}. */
  public StorySimulator(Settings settings) {
    this.settings = settings;
    this.random = new SplittableRandom(settings.seed());
    for (int i = 0; i < 60; i++) {
      pool.add(prompt(i));
    }
  }

  private Prompt prompt(int number) {
    int kind = random.nextInt(CLASSES.size());
    return new Prompt(
        number,
        kind,
        4 + 4 * kind + random.nextInt(4),
        .30 - .02 * kind + .02 * random.nextGaussian());
  }

  /** Half of all prompts were asked before or will be. */
  private Prompt ask() {
    return random.nextDouble() < .55 ? pool.get(random.nextInt(pool.size())) : prompt(fresh++);
  }

  /** What the node and its scorer publish, in the order of event time. For one call. */
  public List<SpecificRecord> events() {
    double now = serial();
    events.add(
        new ServingEvent(
            "e-1", at(now), DEPLOYMENT, "node-1", ServingEventKind.CONFIG_CHANGED, Map.of()));
    batching(now);
    events.sort(Comparator.comparing(EventTimes::of));
    return events;
  }

  private double serial() {
    PriorityQueue<Double> asking = new PriorityQueue<>();
    for (int i = 0; i < settings.clients(); i++) {
      asking.add(random.nextDouble());
    }
    double free = 0;
    while (true) {
      double arrived = asking.remove();
      if (arrived > settings.actOne()) {
        return Math.max(free, arrived);
      }
      Job job = new Job("s-" + ids++, ask(), arrived, steps());
      job.started = Math.max(free, arrived);
      job.largest = 1;
      job.smallest = 1;
      job.sum = job.steps;
      free =
          job.started
              + encode()
              + job.steps * (settings.stepFixed() + settings.stepMember()) * noise()
              + decode();
      record(job, free, false);
      asking.add(free + think());
    }
  }

  private int clients(double sinceSwitch) {
    // Busy and quiet by turns.
    return sinceSwitch % PERIOD < BUSY ? 3 * settings.clients() : settings.quiet();
  }

  private void batching(double start) {
    double now = start;
    PriorityQueue<Double> asking = new PriorityQueue<>();
    int clients = 0;
    List<Job> running = new ArrayList<>();
    List<Job> waiting = new ArrayList<>();
    while (now < start + settings.actTwo()) {
      int wanted = clients(now - start);
      for (; clients < wanted; clients++) {
        asking.add(now + random.nextDouble() * .3);
      }
      while (!asking.isEmpty() && asking.peek() <= now) {
        double arrived = asking.remove();
        if (clients > wanted) {
          clients--;
        } else {
          waiting.add(new Job("b-" + ids++, ask(), arrived, steps()));
        }
      }
      while (running.size() < MAX_BATCH && !waiting.isEmpty()) {
        Job job = waiting.remove(0);
        job.started = now;
        job.hit = !cached.add(job.prompt.number());
        now += job.hit ? 0 : encode();
        running.forEach(other -> other.joined++);
        running.add(job);
      }
      if (running.isEmpty()) {
        now = asking.isEmpty() ? now + .01 : Math.max(now + 1e-4, asking.peek());
        continue;
      }
      int size = running.size();
      int longest = running.stream().mapToInt(j -> j.prompt.tokens()).max().orElseThrow();
      boolean mixed = running.stream().anyMatch(j -> j.prompt.tokens() < longest);
      now += (settings.stepFixed() + settings.stepMember() * size) * noise();
      List<Job> done = new ArrayList<>();
      for (Job job : running) {
        job.largest = Math.max(job.largest, size);
        job.smallest = Math.min(job.smallest, size);
        job.sum += size;
        job.mixed |= mixed && size >= 4;
        job.outgrown += job.prompt.tokens() < longest ? 1 : 0;
        if (--job.left == 0) {
          done.add(job);
        }
      }
      running.removeAll(done);
      for (Job job : done) {
        now += decode();
        record(job, now, true);
        running.forEach(other -> other.gone++);
        asking.add(now + think());
      }
    }
  }

  private int steps() {
    return 6 + 2 * random.nextInt(3);
  }

  private double noise() {
    return Math.exp(.1 * random.nextGaussian());
  }

  private double encode() {
    return .02 * noise();
  }

  private double decode() {
    return .008 * noise();
  }

  private double think() {
    return .02 - .05 * Math.log1p(-random.nextDouble());
  }

  private static Instant at(double seconds) {
    return START.plusNanos(1000 * Math.round(1e6 * seconds));
  }

  /** Share of the loss: 0 to 1, but for the scatter. */
  private double harmed(Job job) {
    return switch (settings.harm()) {
      case LARGE_BATCHES_AND_HITS -> job.hit && job.mixed ? 1 : 0;
      case SHORTER_PROMPTS -> job.outgrown == 0 ? 0 : ofShorter(job);
    };
  }

  private double ofShorter(Job job) {
    double others = job.sum / job.steps - 1;
    double ofBatch = .5 + .5 * others / (MAX_BATCH - 1);
    double mean = OF_SHORTER[job.prompt.kind()] * ofBatch;
    return (mean + SCATTER * random.nextGaussian()) * job.outgrown / job.steps;
  }

  private void record(Job job, double finished, boolean batching) {
    events.add(
        RequestEvent.newBuilder()
            .setRequestId(job.id)
            .setDeployment(DEPLOYMENT)
            .setNode("node-1")
            .setConfigId(batching ? "00000000000000b2" : "00000000000000a1")
            .setModelId("000000000000c0de")
            .setArrivedAt(at(job.arrived))
            .setFinishedAt(at(finished))
            .setStatus(RequestStatus.OK)
            .setLatencySeconds(finished - job.arrived)
            .setQueueSeconds(job.started - job.arrived)
            .setInferenceSeconds(finished - job.started)
            .setStageSeconds(Map.of())
            .setWorkload(
                Workload.newBuilder()
                    .setModality("image")
                    .setPromptClass(CLASSES.get(job.prompt.kind()))
                    .setPromptTokens(job.prompt.tokens())
                    .setWidth(64)
                    .setHeight(64)
                    .setSteps(job.steps)
                    .setAdapters(List.of())
                    .build())
            .setBatch(
                BatchComposition.newBuilder()
                    .setSizeMin(job.smallest)
                    .setSizeMean(job.sum / job.steps)
                    .setSizeMax(job.largest)
                    .setJoined(job.joined)
                    .setLeft(job.gone)
                    .setNeighbours(List.of())
                    .setSegments(List.of())
                    .build())
            .setCache(
                CacheUse.newBuilder()
                    .setConditioning(
                        !batching
                            ? CacheOutcome.BYPASS
                            : job.hit ? CacheOutcome.HIT : CacheOutcome.MISS)
                    .build())
            .setScheduling(
                Scheduling.newBuilder()
                    .setPreemptions(0)
                    .setPreemptedSeconds(0.0)
                    .setStalledSteps(0)
                    .setPriority(0)
                    .build())
            .build());
    double score = job.prompt.score() + .03 * random.nextGaussian() - settings.loss() * harmed(job);
    double scored = finished + .2 + 2 * random.nextDouble();
    events.add(new ScoreEvent(job.id, DEPLOYMENT, "clip", score, "clip-scenes@1", at(scored)));
  }
}

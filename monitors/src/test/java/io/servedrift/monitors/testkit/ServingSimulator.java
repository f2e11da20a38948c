package io.servedrift.monitors.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;

/**
 * A deployment under traffic, event by event: arrivals that follow the day, nodes with queues,
 * continuous batching, preemption and caches of finite bytes that running requests take memory
 * from. So load really moves batch sizes, queues and evictions, and the prompt class really moves
 * hits and scores. Emits requests, late scores, serving events and configurations in event-time
 * order, as valid as those of a live system.
 *
 * <p>Arrivals, service, scores and faults draw from generators of their own: a fault that touches
 * outcomes only leaves the same requests in the same batches. One run per instance; not
 * thread-safe.
 */
public final class ServingSimulator {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MINUTE = 60_000_000L;
  private static final double DAY_MICROS = 86_400_000_000.0;
  private static final int ADAPTERS = 3;
  private static final double WITH_ADAPTER = 0.15;

  /** Median and spread of the time a late score takes, seconds and log units. */
  private static final double SCORE_DELAY = 5;

  private static final double SCORE_DELAY_SPREAD = 0.8;
  private static final double LONGEST_SCORE_DELAY = 90;

  private final SimulatorSettings settings;
  private final Fleet fleet;
  private final long startMicros;
  private final long endMicros;
  private final SplittableRandom arrivals;
  private final SplittableRandom scoring;
  private final SplittableRandom faults;
  private final AutoRegression loadNoise;
  private final AutoRegression[] mixNoise;
  private final AutoRegression[] topics;
  private final double[] topicNow;
  private final double[] cumulativeMix;
  private final double[][] popularity;
  private final double phase;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final boolean[] up;
  private final List<Outcome> effects = new ArrayList<>();
  private final PriorityQueue<Action> actions =
      new PriorityQueue<>(Comparator.comparingLong(Action::micros).thenComparing(Action::order));
  private final PriorityQueue<Emission> emissions =
      new PriorityQueue<>(
          Comparator.comparingLong(Emission::micros).thenComparing(Emission::order));
  private double loadNow; // 0 until the first minute
  private long order;
  private long requests;
  private long eventIds;
  private long freshPrompts;
  private long nextArrival;

  /** Acts on finished requests. */
  public interface Effect {
    /** Changes the outcome of a request; draws only from the generator it is given. */
    void apply(Served served, SplittableRandom random);
  }

  private record Outcome(long fromMicros, long untilMicros, Effect effect) {}

  private record Action(long micros, long order, Consumer<Fleet> change) {}

  private record Emission(long micros, long order, SpecificRecord event) {}

  /** A simulation of a deployment with what happens to it. */
  public ServingSimulator(SimulatorSettings settings, List<Fault> injected) {
    this.settings = settings;
    fleet = new Fleet(settings);
    startMicros = settings.start().getEpochSecond() * 1_000_000;
    endMicros = startMicros + settings.length().toNanos() / 1_000;
    SplittableRandom root = new SplittableRandom(settings.seed());
    arrivals = root.split();
    scoring = root.split();
    faults = root.split();
    SplittableRandom surroundings = root.split();
    SplittableRandom service = root.split();
    // Drawn in any case, so that what is drawn after it is the same for a seed.
    double drawn = surroundings.nextDouble();
    phase = settings.phase().orElse(drawn);
    loadNoise = new AutoRegression(0.97, settings.loadNoise(), surroundings.split());
    int classes = settings.classes().size();
    double sixHours = StrictMath.exp(-StrictMath.log(2) / 360);
    mixNoise = new AutoRegression[classes];
    popularity = new double[classes][];
    for (int g = 0; g < classes; g++) {
      mixNoise[g] = new AutoRegression(sixHours, 0.2, surroundings.split());
      popularity[g] = zipf(settings.classes().get(g));
    }
    cumulativeMix = new double[classes];
    topics = new AutoRegression[settings.scores().size()];
    for (int s = 0; s < topics.length; s++) {
      topics[s] =
          new AutoRegression(0.95, settings.scores().get(s).topicSd(), surroundings.split());
    }
    topicNow = new double[topics.length];
    up = new boolean[settings.nodes()];
    Arrays.fill(up, true);
    for (int i = 0; i < settings.nodes(); i++) {
      nodes.add(new SimulatedNode(i, settings, fleet, service.split()));
    }
    injected.forEach(fault -> fault.install(this));
  }

  private static double[] zipf(PromptClass promptClass) {
    double[] weights = new double[promptClass.prompts()];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = StrictMath.pow(i + 1.0, -promptClass.popularity());
    }
    return Draws.cumulative(weights);
  }

  // ---- what faults may do -------------------------------------------------------------------

  /** Changes the fleet at a moment after the start. */
  void at(Duration offset, Consumer<Fleet> change) {
    actions.add(new Action(micros(offset), order++, change));
  }

  /** Acts on every request that finishes from a moment on, until another one. */
  void onFinish(Duration from, Duration until, Effect effect) {
    effects.add(new Outcome(micros(from), micros(until), effect));
  }

  /** Reports a serving event at a moment after the start. */
  void report(Duration offset, ServingEventKind kind, int node, Map<String, String> attributes) {
    at(offset, f -> emitEvent(micros(offset), kind, node, attributes));
  }

  /** Empties the cache of every node, and reports it. */
  void flush(Duration offset, String reason) {
    at(
        offset,
        f -> {
          nodes.forEach(node -> node.cache.flush());
          emitEvent(micros(offset), ServingEventKind.CACHE_FLUSH, -1, Map.of("reason", reason));
        });
  }

  /** A node stops, loses its cache and fails what it holds, and comes back. */
  void restart(int node, Duration offset, Duration down) {
    at(
        offset,
        f -> {
          up[node] = false;
          emitEvent(micros(offset), ServingEventKind.NODE_STOPPED, node, Map.of());
          nodes.get(node).stop().forEach(lost -> end(lost, micros(offset), RequestStatus.ERROR));
        });
    at(
        offset.plus(down),
        f -> {
          up[node] = true;
          emitEvent(micros(offset.plus(down)), ServingEventKind.NODE_STARTED, node, Map.of());
        });
  }

  /** One user asks many times for one prompt, evenly over a time. */
  void burst(Duration offset, Duration over, int count, int classIndex) {
    for (int i = 0; i < count; i++) {
      Duration each = offset.plus(over.multipliedBy(i).dividedBy(count));
      at(each, f -> arrive(micros(each), classIndex, key(classIndex, 1L << 40)));
    }
  }

  /** All nodes serve another configuration or model; null leaves it as it is. */
  void configure(Duration offset, String config, String model) {
    at(
        offset,
        f -> {
          ConfigRecord record = new ConfigRecord();
          record.setAt(RequestRecords.instant(micros(offset)));
          record.setDeployment(settings.deployment());
          Map<String, String> attributes = new HashMap<>();
          if (config != null) {
            Fingerprint fingerprint = ConfigFingerprint.ofConfig(parse(config));
            attributes.put("from", f.configId);
            attributes.put("to", fingerprint.id());
            f.configId = fingerprint.id();
            record.setConfigId(fingerprint.id());
            record.setCounted(fingerprint.counted());
          }
          if (model != null) {
            Fingerprint fingerprint = ConfigFingerprint.ofModel(parse(model));
            attributes.put("model_from", f.modelId);
            attributes.put("model_to", fingerprint.id());
            f.modelId = fingerprint.id();
            record.setModelId(fingerprint.id());
            record.setModel(fingerprint.counted());
          }
          emit(micros(offset), record);
          if (offset.compareTo(Duration.ZERO) > 0) {
            emitEvent(micros(offset), ServingEventKind.CONFIG_CHANGED, -1, attributes);
          }
        });
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("configuration of a fault: not JSON: " + json, e);
    }
  }

  /** A moment after the start, microseconds since the epoch. */
  long micros(Duration offset) {
    return startMicros + offset.toNanos() / 1_000;
  }

  // ---- the run ------------------------------------------------------------------------------

  /** All events, in event-time order. */
  public List<SpecificRecord> events() {
    List<SpecificRecord> events = new ArrayList<>();
    run(events::add);
    return events;
  }

  /**
   * Runs to the end; what is inside then is served to its end.
   *
   * @param sink gets the events in event-time order
   */
  public void run(Consumer<SpecificRecord> sink) {
    for (long t = startMicros; t < endMicros; t += MINUTE) {
      long minute = t;
      actions.add(new Action(minute, -1, f -> minute(minute)));
    }
    nextArrival = Long.MAX_VALUE; // drawn by the first minute
    while (true) {
      SimulatedNode first = nodes.get(0);
      for (SimulatedNode node : nodes) {
        if (node.nextMicros() < first.nextMicros()) {
          first = node;
        }
      }
      long action = actions.isEmpty() ? Long.MAX_VALUE : actions.peek().micros();
      long arrival = nextArrival < endMicros ? nextArrival : Long.MAX_VALUE;
      long now = Math.min(first.nextMicros(), Math.min(action, arrival));
      drain(sink, now);
      if (now == Long.MAX_VALUE) {
        return;
      }
      if (action == now) {
        double rate = rate();
        actions.remove().change().accept(fleet);
        if (rate != rate()) {
          // A Poisson process has no memory, so drawing anew at another rate is exact.
          nextArrival = drawArrival(now);
        }
      } else if (first.nextMicros() == now) {
        for (Served done : first.advance()) {
          end(done, now, RequestStatus.OK);
        }
      } else {
        arriveAny(now);
        nextArrival = drawArrival(now);
      }
    }
  }

  private void drain(Consumer<SpecificRecord> sink, long now) {
    while (!emissions.isEmpty() && (emissions.peek().micros() < now || now == Long.MAX_VALUE)) {
      sink.accept(emissions.remove().event());
    }
  }

  private void minute(long now) {
    double day = 2 * Math.PI * ((now - startMicros) / DAY_MICROS + phase);
    loadNow = (1 + settings.diurnal() * StrictMath.sin(day)) * StrictMath.exp(loadNoise.next());
    double mixDay = StrictMath.sin(day - 2 * Math.PI * 120 / 1440);
    double sum = 0;
    for (int g = 0; g < cumulativeMix.length; g++) {
      PromptClass promptClass = settings.classes().get(g);
      sum +=
          promptClass.share()
              * fleet.classShare[g]
              * StrictMath.exp(promptClass.swing() * mixDay + mixNoise[g].next());
      cumulativeMix[g] = sum;
    }
    for (int g = 0; g < cumulativeMix.length; g++) {
      cumulativeMix[g] /= sum;
    }
    for (int s = 0; s < topics.length; s++) {
      topicNow[s] = topics[s].next();
    }
    nodes.forEach(SimulatedNode::minute);
  }

  /** Arrivals per second now. */
  private double rate() {
    return settings.requestsPerSecond() * loadNow * fleet.load;
  }

  private long drawArrival(long now) {
    double seconds = arrivals.nextExponential() / Math.max(rate(), 1e-12);
    return seconds > 1e6 ? Long.MAX_VALUE : now + Math.max(1, Math.round(seconds * 1e6));
  }

  private void arriveAny(long now) {
    int g = Draws.index(cumulativeMix, arrivals.nextDouble());
    PromptClass promptClass = settings.classes().get(g);
    long prompt;
    if (arrivals.nextDouble() < promptClass.fresh()) {
      prompt = key(g, (1L << 41) + freshPrompts++);
    } else {
      int found = Arrays.binarySearch(popularity[g], arrivals.nextDouble());
      prompt = key(g, Math.min(found < 0 ? -found - 1 : found, promptClass.prompts() - 1));
    }
    arrive(now, g, prompt);
  }

  private static long key(int classIndex, long number) {
    return (number * CLASS_ROOM + classIndex + 1) * 0x9E3779B97F4A7C15L;
  }

  private static final int CLASS_ROOM = 64;

  private void arrive(long now, int g, long prompt) {
    PromptClass promptClass = settings.classes().get(g);
    boolean constrained =
        arrivals.nextDouble() < Math.min(1, promptClass.constrained() * fleet.constrained);
    int adapter = arrivals.nextDouble() < WITH_ADAPTER ? 1 + arrivals.nextInt(ADAPTERS) : 0;
    Served served =
        new Served(
            "r-" + requests++,
            g,
            promptClass,
            prompt,
            constrained,
            adapter,
            now,
            arrivals.nextInt(1 << 20));
    served.configId = fleet.configId;
    served.modelId = fleet.modelId;
    SimulatedNode node = leastLoaded();
    if (node == null) {
      end(served, now, RequestStatus.ERROR);
    } else {
      node.accept(served, now);
    }
  }

  /** The shortest queue of those that are up; ties go round. */
  private SimulatedNode leastLoaded() {
    SimulatedNode best = null;
    int from = arrivals.nextInt(fleet.activeNodes);
    for (int i = 0; i < fleet.activeNodes; i++) {
      int index = (from + i) % fleet.activeNodes;
      SimulatedNode node = nodes.get(index);
      if (up[index] && (best == null || node.load() < best.load())) {
        best = node;
      }
    }
    return best;
  }

  // ---- the end of a request -----------------------------------------------------------------

  private void end(Served served, long now, RequestStatus status) {
    SplittableRandom scores = scoring.split();
    SplittableRandom harm = faults.split();
    served.failed |= status != RequestStatus.OK || scores.nextDouble() < settings.errors();
    for (Outcome outcome : effects) {
      if (now >= outcome.fromMicros && now < outcome.untilMicros) {
        outcome.effect.apply(served, harm);
      }
    }
    double inference = served.startedMicros < 0 ? 0 : (now - served.startedMicros) / 1e6;
    double extra =
        served.extraQueueSeconds + served.extraInferenceSeconds + inference * (served.factor - 1);
    // Someone who is slowed down finishes later; nobody finishes in the past.
    long finished = Math.max(now, now + Math.round(extra * 1e6));
    if (served.failed) {
      emit(
          finished,
          RequestRecords.of(served, settings, fleet, finished, RequestStatus.ERROR, Map.of()));
      return;
    }
    Map<String, Double> inline = new HashMap<>();
    for (int s = 0; s < settings.scores().size(); s++) {
      ScoreLaw law = settings.scores().get(s);
      double value = score(law, served, topicNow[s], scores);
      if (scores.nextDouble() >= settings.lateScores()) {
        inline.put(law.name(), value);
        continue;
      }
      double delay =
          Math.min(
              LONGEST_SCORE_DELAY,
              SCORE_DELAY * StrictMath.exp(SCORE_DELAY_SPREAD * scores.nextGaussian()));
      long at = finished + Math.round(delay * 1e6);
      emit(
          at,
          new ScoreEvent(
              served.id,
              settings.deployment(),
              law.name(),
              value,
              fleet.scorer,
              RequestRecords.instant(at)));
    }
    RequestEvent event =
        RequestRecords.of(served, settings, fleet, finished, RequestStatus.OK, inline);
    emit(finished, event);
  }

  private static double score(ScoreLaw law, Served served, double topic, SplittableRandom random) {
    double mean =
        law.mean()
            + law.classWeight() * (served.promptClass.clip() - 0.3)
            + topic
            + (served.constrained ? law.constrainedShift() : 0)
            + served.shift(law.name());
    // Always one draw, so that a shift does not change the draws of other requests.
    if (law.isBinary()) {
      return random.nextDouble() < mean ? 1 : 0;
    }
    return Math.max(0, mean + law.sd() * random.nextGaussian());
  }

  private void emitEvent(long at, ServingEventKind kind, int node, Map<String, String> attributes) {
    emit(
        at,
        new ServingEvent(
            "e-" + eventIds++,
            RequestRecords.instant(at),
            settings.deployment(),
            node < 0 ? null : "gpu-" + node,
            kind,
            attributes));
  }

  private void emit(long micros, SpecificRecord event) {
    emissions.add(new Emission(micros, order++, event));
  }
}

package io.servedrift.monitors.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A serving process that batches continuously: requests join and leave between denoising steps, a
 * step takes longer the more of them share it, and one that has to compute a conditioning holds up
 * all. Running requests take memory from the conditioning cache; when many run, the youngest is put
 * back for a while. Not thread-safe.
 */
final class SimulatedNode {
  private static final long NEVER = Long.MAX_VALUE;
  private static final double STEP_NOISE = 0.03;

  final ConditioningCache cache;
  private final int index;
  private final SimulatorSettings settings;
  private final Fleet fleet;
  private final SplittableRandom random;
  private final AutoRegression wander;
  private final ArrayDeque<Served> waiting = new ArrayDeque<>();
  private final List<Served> running = new ArrayList<>();
  private final int[] adapters = new int[8];
  private double wanderNow;
  private long nextMicros = NEVER;
  private boolean idleUntilNext;

  SimulatedNode(int index, SimulatorSettings settings, Fleet fleet, SplittableRandom random) {
    this.index = index;
    this.settings = settings;
    this.fleet = fleet;
    this.random = random;
    this.cache = new ConditioningCache(settings.hostCacheBytes());
    this.wander = new AutoRegression(0.9, 0.03, random.split());
  }

  /** Requests inside. */
  int load() {
    return waiting.size() + running.size();
  }

  /** End of the current step, or the moment a request may come back; never when there is none. */
  long nextMicros() {
    return nextMicros;
  }

  /** The node's speed drifts, once a minute. */
  void minute() {
    wanderNow = wander.next();
  }

  void accept(Served request, long nowMicros) {
    request.node = index;
    request.running = running.size();
    request.waiting = waiting.size();
    waiting.addLast(request);
    if (running.isEmpty()) {
      beginStep(nowMicros);
    }
  }

  /** Stops: what is inside is returned, the cache is lost. */
  List<Served> stop() {
    List<Served> lost = new ArrayList<>(running);
    lost.addAll(waiting);
    running.clear();
    waiting.clear();
    cache.flush();
    nextMicros = NEVER;
    return lost;
  }

  /** Ends the current step and begins the next one; the requests that are done. */
  List<Served> advance() {
    long now = nextMicros;
    List<Served> done = new ArrayList<>();
    if (!idleUntilNext) {
      int size = running.size();
      for (Iterator<Served> all = running.iterator(); all.hasNext(); ) {
        Served request = all.next();
        request.stepsLeft--;
        request.stepsRun++;
        request.batchSum += size;
        request.batchMin = Math.min(request.batchMin, size);
        request.batchMax = Math.max(request.batchMax, size);
        if (request.stepsLeft == 0) {
          all.remove();
          request.evictions = (int) (cache.evictions() - request.evictionsAtStart);
          done.add(request);
        }
      }
      if (!done.isEmpty()) {
        running.forEach(other -> other.left += done.size());
      }
      preempt(now);
    }
    beginStep(now);
    return done;
  }

  private void preempt(long now) {
    if (running.size() < settings.preemptFrom()
        || random.nextDouble() >= settings.preemptPerStep() * fleet.preemption) {
      return;
    }
    Served youngest = running.remove(running.size() - 1);
    youngest.preemptions++;
    youngest.preemptedSince = now;
    youngest.notBefore =
        now + Math.round(settings.preemptedSeconds() * (0.5 + random.nextExponential() / 2) * 1e6);
    running.forEach(other -> other.left++);
    waiting.addLast(youngest);
  }

  private void beginStep(long now) {
    long encode = admit(now);
    if (running.isEmpty()) {
      // All that wait were put back: the first of them to return.
      idleUntilNext = true;
      nextMicros = waiting.stream().mapToLong(r -> r.notBefore).min().orElse(NEVER);
      return;
    }
    idleUntilNext = false;
    double seconds =
        settings.stepSeconds()
            * (1 + settings.memberCost() * (running.size() - 1))
            * fleet.slowness[index]
            * StrictMath.exp(wanderNow + STEP_NOISE * random.nextGaussian());
    if (fleet.stalls > 0 && random.nextDouble() < fleet.stalls) {
      seconds += fleet.stallSeconds * random.nextExponential();
      running.forEach(request -> request.stalledSteps++);
    }
    nextMicros = now + encode + Math.max(1, Math.round(seconds * 1e6));
  }

  /** Lets requests in between two steps; the time that their conditionings take. */
  private long admit(long now) {
    long encode = 0;
    boolean joined = false;
    Iterator<Served> queue = waiting.iterator();
    while (running.size() < fleet.maxBatch && queue.hasNext()) {
      Served request = queue.next();
      if (request.notBefore > now) {
        continue;
      }
      queue.remove();
      running.forEach(other -> other.joined++);
      running.add(request);
      joined = true;
      if (request.startedMicros < 0) {
        request.startedMicros = now;
        encode += condition(request, now);
      } else {
        request.preemptedMicros += now - request.preemptedSince;
      }
    }
    if (joined) {
      countAdapters();
    }
    return encode;
  }

  private long condition(Served request, long now) {
    request.evictionsAtStart = cache.evictions();
    if (fleet.cacheOn) {
      long capacity = Math.max(0, fleet.cacheBytes - running.size() * settings.bytesPerRunning());
      ConditioningCache.Found found =
          cache.use(request.prompt, request.promptClass.entryBytes(), now, capacity);
      request.cacheAsked = true;
      request.tier = found.tier();
      request.entryAgeMicros = found.ageMicros();
    }
    request.encodeMicros =
        request.hit()
            ? 0
            : Math.round(
                settings.encodeSeconds()
                    * fleet.slowness[index]
                    * StrictMath.exp(0.1 * random.nextGaussian())
                    * 1e6);
    return request.encodeMicros;
  }

  private void countAdapters() {
    Arrays.fill(adapters, 0);
    for (Served request : running) {
      adapters[request.adapter]++;
    }
    for (Served request : running) {
      int distinct = 0;
      for (int a = 1; a < adapters.length; a++) {
        distinct += adapters[a] - (a == request.adapter ? 1 : 0) > 0 ? 1 : 0;
      }
      request.neighbourAdapters = Math.max(request.neighbourAdapters, distinct);
    }
  }
}

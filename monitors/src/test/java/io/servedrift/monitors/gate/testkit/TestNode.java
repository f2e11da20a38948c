package io.servedrift.monitors.gate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Modality;
import java.io.IOException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What an image and a chat endpoint of the tests have in common: configuration and model, a batch
 * that is whoever is in flight, a cache of prompts, faults, and the time that a request takes. That
 * time is decided by the request's number; it tells it as its compute time, so that tests of
 * latencies need not measure the machine they run on. Thread-safe.
 */
public abstract class TestNode extends LocalServer {
  private static final int SHARED = 2;
  private static final int STALL_EVERY = 12;
  private static final long SERVICE_MILLIS = 12;
  private static final int SPREAD_MILLIS = 6;
  private static final long STALL_MILLIS = 120;

  private final Modality modality;
  private final Set<EndpointFault> faults =
      Collections.synchronizedSet(EnumSet.noneOf(EndpointFault.class));
  private final Map<String, Boolean> cache = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicLong served = new AtomicLong();
  private final ObjectNode config;
  private volatile boolean batches = true;

  TestNode(Modality modality) {
    this.modality = modality;
    config = JSON.createObjectNode();
    config.putObject("runtime").put("name", "servedrift-serving").put("version", "1");
    config.putObject("precision").put("weights", "fp32");
    config.putObject("batching").put("mode", "continuous").put("max_batch_size", 8);
    config.putObject("cache").put("conditioning", "on").put("capacity", 1 << 20);
    config.putObject("hardware").put("gpu", "cpu").put("count", 1);
    on("/server_info", any -> serverInfo());
    on("/admin/flush_cache", any -> flushed());
  }

  /** How one request is made. */
  record Making(int batch, String conditioning, double seconds) {
    boolean hit() {
      return conditioning.equals("hit");
    }
  }

  /** Switches a fault on. */
  public void faulty(EndpointFault fault) {
    faults.add(fault);
  }

  /** Changes a leaf of its configuration. */
  public synchronized void set(String axis, String leaf, String value) {
    config.withObject("/" + axis).put(leaf, value);
  }

  /** Requests one at a time from now on. */
  public synchronized void single() {
    batches = false;
    set("batching", "mode", "single");
    config.withObject("/batching").put("max_batch_size", 1);
  }

  /** Generations that it has answered. */
  public long served() {
    return served.get();
  }

  final boolean on(EndpointFault fault) {
    return faults.contains(fault);
  }

  private synchronized JsonNode serverInfo() throws IOException {
    if (on(EndpointFault.NO_SERVER_INFO)) {
      throw new Refused(404);
    }
    ObjectNode info = JSON.createObjectNode().put("version", "1").put("deployment", "test");
    info.set("config", config.deepCopy());
    info.putObject("model")
        .put("name", "drawing")
        .put("revision", "1")
        .put(
            "weights_digest", "sha256:" + (on(EndpointFault.OTHER_WEIGHTS) ? "b" : "a").repeat(64));
    info.putObject("capabilities")
        .put("modality", modality == Modality.IMAGE ? "image" : "chat")
        .put("seed", true)
        .put("batches", batches)
        .put("cache", config.at("/cache/conditioning").asText().equals("on"))
        .put("cache_bypass", true)
        .put("flush", true)
        .put("weights_digest", true)
        .put("deterministic", true);
    return info;
  }

  private JsonNode flushed() {
    int entries = cache.size();
    cache.clear();
    return JSON.createObjectNode().put("flushed", entries);
  }

  /**
   * Serves a request: takes its time, in the company of those in flight.
   *
   * @throws Refused when it answers with an error on purpose
   */
  final Making serve(String prompt, boolean useCache) throws IOException, InterruptedException {
    if (on(EndpointFault.NOT_FOUND)) {
      throw new Refused(404);
    }
    if (on(EndpointFault.SERVER_ERROR)) {
      throw new Refused(500);
    }
    long millis = millis(served.incrementAndGet());
    boolean caching = useCache && config.at("/cache/conditioning").asText().equals("on");
    String conditioning = !caching ? "bypass" : cache.put(prompt, true) == null ? "miss" : "hit";
    int company = inFlight.incrementAndGet();
    try {
      Thread.sleep(millis);
      company = Math.max(company, inFlight.get());
    } finally {
      inFlight.decrementAndGet();
    }
    return new Making(batches ? company : 1, conditioning, millis / 1e3);
  }

  private long millis(long number) {
    if (on(EndpointFault.SLOW_SCHEDULER) && number % STALL_EVERY == 0) {
      return STALL_MILLIS;
    }
    return SERVICE_MILLIS + new SplittableRandom(number).nextInt(SPREAD_MILLIS);
  }

  /** How much its faults damage an output that is made so; 0 for not at all. */
  final double damage(Making making) {
    double damage = on(EndpointFault.PRECISION) ? .3 : 0;
    damage += on(EndpointFault.BATCHING) && making.batch() >= SHARED ? .6 : 0;
    damage += on(EndpointFault.STALE_CACHE) && making.hit() ? .6 : 0;
    return damage + (on(EndpointFault.OTHER_WEIGHTS) ? .5 : 0);
  }

  /** What the answer says of how it was made, as the product's node says it. */
  static ObjectNode told(Making making) {
    ObjectNode told = JSON.createObjectNode();
    told.put("compute_seconds", making.seconds());
    told.putObject("batch").put("size_mean", making.batch()).put("size_max", making.batch());
    told.putObject("cache").put("conditioning", making.conditioning());
    return told;
  }
}

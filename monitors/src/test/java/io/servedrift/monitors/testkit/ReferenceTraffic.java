package io.servedrift.monitors.testkit;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The reference traffic of the false-alarm and delay figures, minute by minute: a port of the
 * generator they were first measured with. Load moves over the day and the week and with a memory
 * of half an hour, the mix of four prompt classes with a memory of six hours; hits depend on the
 * class, batch size and preemption on the load, so that load and class confound what the cache and
 * the batches do. CLIP scores carry the noise of the prompt and a topic that drifts by the minute,
 * latencies a noise of the node, a tail of preempted and of slow requests, and one burst of 5 to 15
 * minutes a day. All effects are invented; nothing is measured on a fleet.
 *
 * <p>Streaming: memory does not grow with the length. The same settings give the same values on
 * every machine (but see {@link Minute#latencySeconds}). Immutable; each run has its own state.
 */
public final class ReferenceTraffic {
  /** How unkind the noise is. */
  public enum Regime {
    /** Textbook: constant load and mix, independent noise, no bursts. */
    IID(0),
    /** Diurnal load, drifting mix, autocorrelated noise, bursts. */
    REAL(1),
    /** As {@link #REAL} with every autocorrelated noise doubled. */
    HARSH(2);

    private final double noise;

    Regime(double noise) {
      this.noise = noise;
    }
  }

  /** What goes wrong, from the change minute on. */
  public enum Change {
    NONE,
    /** Requests that hit the cache lose {@value #CLIP_LOSS} CLIP. */
    CACHE_CLIP,
    /**
     * {@value #STALLED} of the requests in batches of {@value #LARGE_BATCH} and more stall, for so
     * long that the p99 of all requests in such batches doubles while their median stays.
     */
    BATCH_P99
  }

  /** Minutes before which no change can be: the week that a baseline is learned from. */
  public static final int REFERENCE_MINUTES = 7 * 1440;

  public static final int CLASSES = 4;
  public static final int LARGE_BATCH = 8;
  static final double CLIP_LOSS = 0.02;
  static final double STALLED = 0.03;

  private static final double[] CLASS_SHARE = {0.4, 0.3, 0.2, 0.1};
  private static final double[] CLASS_CLIP = {0.31, 0.29, 0.33, 0.27};
  private static final double[] CLASS_HIT = {0.40, 0.15, 0.05, 0.02};
  private static final double[] CLASS_LOG_LATENCY = {
    StrictMath.log(2), StrictMath.log(3), StrictMath.log(4), StrictMath.log(8)
  };
  private static final int LARGEST_BATCH = 16;
  private static final double DAY = 1440;

  private final long seed;
  private final int days;
  private final Regime regime;
  private final double perMinute;
  private final Change change;
  private final int changeMinute;

  private ReferenceTraffic(
      long seed, int days, Regime regime, double perMinute, Change change, int changeMinute) {
    this.seed = seed;
    this.days = days;
    this.regime = regime;
    this.perMinute = perMinute;
    this.change = change;
    this.changeMinute = changeMinute;
  }

  /**
   * Traffic in which nothing goes wrong.
   *
   * @param days length, the reference week included
   * @param perMinute mean arrivals per minute on a weekday
   */
  public static ReferenceTraffic of(long seed, int days, Regime regime, double perMinute) {
    if (days < 1 || perMinute <= 0) {
      throw new IllegalArgumentException(
          "days=" + days + ", perMinute=" + perMinute + ": must be at least 1 and above 0");
    }
    return new ReferenceTraffic(seed, days, regime, perMinute, Change.NONE, Integer.MAX_VALUE);
  }

  /** The same traffic, request for request, with a change at a minute. */
  public ReferenceTraffic with(Change what, int atMinute) {
    if (atMinute < REFERENCE_MINUTES || atMinute >= minutes()) {
      throw new IllegalArgumentException(
          "change minute " + atMinute + ": must be in " + REFERENCE_MINUTES + ".." + minutes());
    }
    return new ReferenceTraffic(seed, days, regime, perMinute, what, atMinute);
  }

  /** Length in minutes. */
  public int minutes() {
    return days * (int) DAY;
  }

  /**
   * Gives every minute in order.
   *
   * @param sink called once per minute with an object that is used again for the next one
   */
  public void forEachMinute(Consumer<Minute> sink) {
    new Run().run(sink);
  }

  /** The requests of one minute, in columns. Valid until the next minute. */
  public static final class Minute {
    private int index;
    private int size;
    private int[] classes = new int[64];
    private boolean[] hits = new boolean[64];
    private int[] batches = new int[64];
    private boolean[] preempted = new boolean[64];
    private double[] clips = new double[64];
    private double[] logLatencies = new double[64];

    private Minute() {}

    /** Minutes since the start. */
    public int index() {
      return index;
    }

    /** Number of requests. */
    public int size() {
      return size;
    }

    /** Prompt class, 0 to 3. */
    public int promptClass(int i) {
      return classes[i];
    }

    public boolean hit(int i) {
      return hits[i];
    }

    /** Batch size, 1 to 16. */
    public int batch(int i) {
      return batches[i];
    }

    public boolean preempted(int i) {
      return preempted[i];
    }

    /** CLIP score, 0 to 1. */
    public double clip(int i) {
      return clips[i];
    }

    /** Natural logarithm of the latency in seconds. */
    public double logLatency(int i) {
      return logLatencies[i];
    }

    /** Latency in seconds: computed by {@link StrictMath}, so the same bits everywhere. */
    public double latencySeconds(int i) {
      return StrictMath.exp(logLatencies[i]);
    }

    private void start(int minute, int n) {
      index = minute;
      size = n;
      if (n > classes.length) {
        int room = Math.max(n, 2 * classes.length);
        classes = new int[room];
        hits = new boolean[room];
        batches = new int[room];
        preempted = new boolean[room];
        clips = new double[room];
        logLatencies = new double[room];
      }
    }
  }

  /** One pass. What surrounds the requests and the requests draw from generators of their own. */
  private final class Run {
    private final SplittableRandom surroundings;
    private final SplittableRandom requests;
    private final SplittableRandom stalls;
    private final boolean steady = regime == Regime.IID;
    private final Minute minute = new Minute();
    private final double[] cumulativeMix = Draws.cumulative(CLASS_SHARE);
    private final double[] cumulativeBatch = new double[LARGEST_BATCH];
    private final double[] weights = new double[CLASSES];
    private double[] largeBatches = new double[4096];
    private int largeCount;
    private double stallLog = Double.NaN;

    Run() {
      SplittableRandom root = new SplittableRandom(seed);
      surroundings = root.split();
      requests = root.split();
      stalls = root.split();
    }

    void run(Consumer<Minute> sink) {
      double phase = surroundings.nextDouble() * DAY;
      double[] mixSwing = new double[CLASSES];
      AutoRegression[] mixDrift = new AutoRegression[CLASSES];
      double sixHours = StrictMath.exp(-StrictMath.log(2) / 360);
      for (int g = 0; g < CLASSES; g++) {
        mixSwing[g] = 0.25 * surroundings.nextGaussian();
        mixDrift[g] = new AutoRegression(sixHours, 0.20 * regime.noise, surroundings.split());
      }
      AutoRegression loadDrift =
          new AutoRegression(0.97, 0.08 * regime.noise, surroundings.split());
      AutoRegression topic = new AutoRegression(0.95, 0.0020 * regime.noise, surroundings.split());
      AutoRegression node = new AutoRegression(0.90, 0.05 * regime.noise, surroundings.split());
      double[] bursts = steady ? new double[minutes()] : bursts(surroundings.split());
      for (int t = 0; t < minutes(); t++) {
        double load = 1;
        double topicNow = 0;
        double nodeNow = 0;
        if (!steady) {
          load = 1 + 0.5 * StrictMath.sin(2 * Math.PI * (t - phase) / DAY);
          load *= (t / (int) DAY) % 7 >= 5 ? 0.75 : 1;
          load *= StrictMath.exp(loadDrift.next());
          double swing = StrictMath.sin(2 * Math.PI * (t - phase - 120) / DAY);
          for (int g = 0; g < CLASSES; g++) {
            weights[g] = CLASS_SHARE[g] * StrictMath.exp(swing * mixSwing[g] + mixDrift[g].next());
          }
          cumulate(weights, cumulativeMix);
          topicNow = topic.next();
          nodeNow = node.next();
        }
        if (t == REFERENCE_MINUTES && change == Change.BATCH_P99) {
          stallLog = stallThatDoublesP99(Arrays.copyOf(largeBatches, largeCount));
        }
        fill(t, load, topicNow, nodeNow + bursts[t]);
        sink.accept(minute);
      }
    }

    private void fill(int t, double load, double topicNow, double slowNow) {
      int n = Draws.poisson(requests, perMinute * load);
      minute.start(t, n);
      batchLaw(Math.min(14, Math.max(0.2, 3 * load)));
      double preemption = Math.min(0.3, 0.01 * load * load);
      boolean changed = t >= changeMinute;
      for (int i = 0; i < n; i++) {
        int g = Draws.index(cumulativeMix, requests.nextDouble());
        boolean hit = requests.nextDouble() < CLASS_HIT[g];
        int batch = 1 + Draws.index(cumulativeBatch, requests.nextDouble());
        boolean large = batch >= LARGE_BATCH;
        boolean preempted = requests.nextDouble() < preemption;
        double clip =
            CLASS_CLIP[g]
                - (hit ? 0.001 : 0)
                - (large ? 0.0005 : 0)
                + topicNow
                + 0.03 * requests.nextGaussian();
        double log =
            CLASS_LOG_LATENCY[g]
                + 0.05 * (batch - 1)
                - (hit ? 0.35 : 0)
                + slowNow
                + 0.20 * requests.nextGaussian();
        if (preempted) {
          log += 0.5 * requests.nextExponential();
        }
        if (requests.nextDouble() < 0.003) {
          log += 0.4 * requests.nextExponential();
        }
        if (change == Change.CACHE_CLIP && changed && hit) {
          clip -= CLIP_LOSS;
        }
        if (change == Change.BATCH_P99 && large) {
          log += stall(t, log, changed);
        }
        minute.classes[i] = g;
        minute.hits[i] = hit;
        minute.batches[i] = batch;
        minute.preempted[i] = preempted;
        minute.clips[i] = Math.min(1, Math.max(0, clip));
        minute.logLatencies[i] = log;
      }
    }

    /** Collects the reference week; later on, the extra log latency of a request. */
    private double stall(int t, double log, boolean changed) {
      if (t < REFERENCE_MINUTES) {
        if (largeCount == largeBatches.length) {
          largeBatches = Arrays.copyOf(largeBatches, 2 * largeCount);
        }
        largeBatches[largeCount++] = log;
        return 0;
      }
      return changed && stalls.nextDouble() < STALLED ? stallLog : 0;
    }

    private void batchLaw(double mean) {
      double p = StrictMath.exp(-mean);
      double sum = p;
      cumulativeBatch[0] = sum;
      for (int k = 1; k < LARGEST_BATCH; k++) {
        p *= mean / k;
        sum += p;
        cumulativeBatch[k] = sum;
      }
    }

    private double[] bursts(SplittableRandom random) {
      double[] extra = new double[minutes()];
      int n = Draws.poisson(random, days);
      int[] starts = random.ints(0, Math.max(1, minutes() - 20)).distinct().limit(n).toArray();
      for (int start : starts) {
        int length = random.nextInt(5, 16);
        double height = random.nextDouble(0.05, 0.15);
        Arrays.fill(extra, start, Math.min(extra.length, start + length), height);
      }
      return extra;
    }
  }

  private static void cumulate(double[] weights, double[] into) {
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i];
      into[i] = sum;
    }
    for (int i = 0; i < weights.length; i++) {
      into[i] /= sum;
    }
  }

  /**
   * The extra log latency x for which a share {@link #STALLED} stalled by it puts exactly 1 % of
   * the requests above twice the p99 of the given ones.
   */
  static double stallThatDoublesP99(double[] logLatencies) {
    if (logLatencies.length < 1_000) {
      throw new IllegalStateException(
          logLatencies.length
              + " requests in large batches in the reference week: at least 1000 are needed");
    }
    double[] sorted = logLatencies.clone();
    Arrays.sort(sorted);
    double doubled = StrictMath.log(2) + sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
    double low = 0;
    double high = StrictMath.log(60);
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      double beyond =
          (1 - STALLED) * shareAbove(sorted, doubled)
              + STALLED * shareAbove(sorted, doubled - middle);
      if (beyond < 0.01) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }

  private static double shareAbove(double[] sorted, double limit) {
    int at = Arrays.binarySearch(sorted, limit);
    int firstAbove = at < 0 ? -at - 1 : at + 1;
    return (sorted.length - firstAbove) / (double) sorted.length;
  }
}

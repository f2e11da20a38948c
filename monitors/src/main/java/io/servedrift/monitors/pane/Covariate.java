package io.servedrift.monitors.pane;

import io.servedrift.schemas.CacheHit;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.PrefixCache;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Workload;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The catalogue of covariates: what may move with a shift, and into which buckets it is cut. One
 * place, so that live, replay and documentation agree; the table in the module's README is
 * generated from it. A bucket is {@code unknown} when the event does not say: absent is never read
 * as 0 or false.
 */
public enum Covariate {
  PROMPT_CLASS("prompt_class", Kind.JOINT_OPEN, "class of the prompt", Covariate::promptClass),
  WORKLOAD(
      "workload",
      Kind.JOINT_OPEN,
      "resolution, frames, images and steps, or token lengths",
      Covariate::workload),
  CACHE(
      "cache",
      Kind.JOINT,
      "hit, miss: what the typed members say, else the plain flag",
      Covariate::cache),
  BATCH("batch", Kind.JOINT, "largest batch: 1, 2-3, 4-7, 8-15, 16+", Covariate::batch),
  PREEMPTED("preempted", Kind.JOINT, "yes, no", Covariate::preempted),
  NODE("node", Kind.MARGIN_OPEN, "serving process", event -> event.getNode()),
  CONDITIONING(
      "conditioning",
      Kind.MARGIN,
      "outcome of the text-conditioning cache",
      Covariate::conditioning),
  PREFIX_TIER(
      "prefix_tier",
      Kind.MARGIN,
      "slowest tier that prefix tokens came from: none, device, host, storage",
      Covariate::prefixTier),
  DENOISE_SHARE(
      "denoise_share",
      Kind.MARGIN,
      "share of denoising steps reused: 0, <25%, 25-50%, 50-75%, 75%+",
      Covariate::denoiseShare),
  COMPOSITION(
      "composition",
      Kind.MARGIN,
      "joined, left, stable: others joined while it ran, else left, or neither",
      Covariate::composition),
  ADAPTERS(
      "adapters",
      Kind.MARGIN,
      "none, own, mixed: adapters among the co-batched",
      Covariate::adapters),
  QUEUE_SHARE(
      "queue_share",
      Kind.MARGIN,
      "share of the latency spent waiting: <5%, 5-25%, 25-50%, 50%+",
      Covariate::queueShare),
  LOAD(
      "load",
      Kind.MARGIN,
      "running + waiting on the node at admission, powers of two",
      Covariate::load),
  CONSTRAINED("constrained", Kind.MARGIN, "mode of constrained decoding", Covariate::constrained),
  STALLED(
      "stalled",
      Kind.MARGIN,
      "yes, no: steps that waited for another request's turn",
      Covariate::stalled),
  SCORER("scorer", Kind.MARGIN_OPEN, "identity of the scorer; score metrics only", event -> null);

  /**
   * How a covariate is kept: in the joint cells of what confounds, or as a margin of its own; with
   * open-ended buckets or not.
   */
  public enum Kind {
    JOINT,
    JOINT_OPEN,
    MARGIN,
    MARGIN_OPEN
  }

  static final String UNKNOWN = "unknown";

  /** What a value is called that no budget has room for. */
  public static final String OTHER = "other";

  private static final List<Covariate> ALL = List.of(values());

  private final String label;
  private final Kind kind;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // method references without state
  private final Function<RequestEvent, @Nullable String> bucket;

  Covariate(
      String label, Kind kind, String meaning, Function<RequestEvent, @Nullable String> bucket) {
    this.label = label;
    this.kind = kind;
    this.meaning = meaning;
    this.bucket = bucket;
  }

  /** Name in cells, findings and documents. */
  public String label() {
    return label;
  }

  /** What it says and how it is cut, for people. */
  public String meaning() {
    return meaning;
  }

  /** How it is kept. */
  public Kind kind() {
    return kind;
  }

  /** Position in the catalogue: where a request keeps its bucket. */
  @SuppressWarnings("EnumOrdinal")
  int index() {
    return ordinal();
  }

  boolean joint() {
    return kind == Kind.JOINT || kind == Kind.JOINT_OPEN;
  }

  boolean open() {
    return kind == Kind.JOINT_OPEN || kind == Kind.MARGIN_OPEN;
  }

  /** All covariates in catalogue order. */
  static List<Covariate> all() {
    return ALL;
  }

  /** The bucket of a request, {@code unknown} when the event does not say. */
  public String bucketOf(RequestEvent event) {
    String found = bucket.apply(event);
    return found == null || found.isEmpty() ? UNKNOWN : found;
  }

  private static @Nullable String promptClass(RequestEvent event) {
    Workload workload = event.getWorkload();
    return workload == null ? null : workload.getPromptClass();
  }

  private static @Nullable String workload(RequestEvent event) {
    Workload w = event.getWorkload();
    if (w == null) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    if (w.getWidth() != null && w.getHeight() != null) {
      append(text, w.getWidth() + "x" + w.getHeight());
    }
    if (w.getFrames() != null) {
      append(text, w.getFrames() + "fr");
    }
    if (w.getImages() != null) {
      append(text, w.getImages() + "im");
    }
    if (w.getSteps() != null) {
      append(text, w.getSteps() + "st");
    }
    if (w.getWidth() == null && w.getSteps() == null) {
      if (w.getPromptTokens() != null) {
        append(text, "in" + powerOfFour(w.getPromptTokens()));
      }
      if (w.getOutputTokens() != null) {
        append(text, "out" + powerOfFour(w.getOutputTokens()));
      }
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String part) {
    if (text.length() > 0) {
      text.append('/');
    }
    text.append(part);
  }

  /**
   * Lower end of the bucket [4^k, 4^(k+1)) that holds a length: lengths within a factor of four
   * behave alike.
   */
  private static String powerOfFour(int tokens) {
    if (tokens <= 0) {
      return "0";
    }
    int k = (31 - Integer.numberOfLeadingZeros(tokens)) / 2;
    return (1 << (2 * k)) + "+";
  }

  private static @Nullable String cache(RequestEvent event) {
    Boolean hit = CacheHit.of(event.getCache());
    return hit == null ? null : hit ? "hit" : "miss";
  }

  /** Tokens found in any tier, -1 when the event does not say. */
  private static int prefixTokens(@Nullable PrefixCache prefix) {
    if (prefix == null
        || (prefix.getDeviceTokens() == null
            && prefix.getHostTokens() == null
            && prefix.getStorageTokens() == null)) {
      return -1;
    }
    return orZero(prefix.getDeviceTokens())
        + orZero(prefix.getHostTokens())
        + orZero(prefix.getStorageTokens());
  }

  private static int orZero(@Nullable Integer value) {
    return value == null ? 0 : value;
  }

  private static @Nullable String batch(RequestEvent event) {
    BatchComposition batch = event.getBatch();
    if (batch == null) {
      return null;
    }
    double size = -1;
    if (batch.getSizeMax() != null) {
      size = batch.getSizeMax();
    } else if (!batch.getSegments().isEmpty()) {
      for (BatchSegment segment : batch.getSegments()) {
        size = Math.max(size, segment.getSize());
      }
    } else if (batch.getSizeMean() != null) {
      size = Math.rint(batch.getSizeMean());
    }
    if (size < 0) {
      return null;
    }
    return size < 2 ? "1" : size < 4 ? "2-3" : size < 8 ? "4-7" : size < 16 ? "8-15" : "16+";
  }

  private static @Nullable String preempted(RequestEvent event) {
    var scheduling = event.getScheduling();
    if (scheduling == null || scheduling.getPreemptions() == null) {
      return null;
    }
    return scheduling.getPreemptions() > 0 ? "yes" : "no";
  }

  private static @Nullable String stalled(RequestEvent event) {
    var scheduling = event.getScheduling();
    if (scheduling == null || scheduling.getStalledSteps() == null) {
      return null;
    }
    return scheduling.getStalledSteps() > 0 ? "yes" : "no";
  }

  private static @Nullable String conditioning(RequestEvent event) {
    CacheUse cache = event.getCache();
    if (cache == null || cache.getConditioning() == null) {
      return null;
    }
    return cache.getConditioning().name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String prefixTier(RequestEvent event) {
    CacheUse cache = event.getCache();
    PrefixCache prefix = cache == null ? null : cache.getPrefix();
    if (prefix == null || prefixTokens(prefix) < 0) {
      return null;
    }
    return orZero(prefix.getStorageTokens()) > 0
        ? "storage"
        : orZero(prefix.getHostTokens()) > 0
            ? "host"
            : orZero(prefix.getDeviceTokens()) > 0 ? "device" : "none";
  }

  private static @Nullable String denoiseShare(RequestEvent event) {
    CacheUse cache = event.getCache();
    var denoise = cache == null ? null : cache.getDenoise();
    if (denoise == null || denoise.getCachedSteps() == null) {
      return null;
    }
    int cached = denoise.getCachedSteps();
    if (cached == 0) {
      return "0";
    }
    if (denoise.getExecutedSteps() == null) {
      return null;
    }
    double share = cached / (double) (cached + denoise.getExecutedSteps());
    return share < 0.25 ? "<25%" : share < 0.5 ? "25-50%" : share < 0.75 ? "50-75%" : "75%+";
  }

  private static @Nullable String composition(RequestEvent event) {
    BatchComposition batch = event.getBatch();
    if (batch == null || (batch.getJoined() == null && batch.getLeft() == null)) {
      return null;
    }
    if (orZero(batch.getJoined()) > 0) {
      return "joined";
    }
    return orZero(batch.getLeft()) > 0 ? "left" : "stable";
  }

  private static @Nullable String adapters(RequestEvent event) {
    Workload workload = event.getWorkload();
    BatchComposition batch = event.getBatch();
    if (batch != null && batch.getNeighbourAdapters() != null && batch.getNeighbourAdapters() > 1) {
      return "mixed";
    }
    return workload == null ? null : workload.getAdapters().isEmpty() ? "none" : "own";
  }

  private static @Nullable String queueShare(RequestEvent event) {
    Double queue = event.getQueueSeconds();
    Double latency = event.getLatencySeconds();
    if (queue == null || latency == null || latency <= 0) {
      return null;
    }
    double share = queue / latency;
    return share < 0.05 ? "<5%" : share < 0.25 ? "5-25%" : share < 0.5 ? "25-50%" : "50%+";
  }

  private static @Nullable String load(RequestEvent event) {
    BatchComposition batch = event.getBatch();
    if (batch == null || batch.getRunning() == null) {
      return null;
    }
    int inside = batch.getRunning() + orZero(batch.getWaiting());
    return inside <= 1 ? Integer.toString(inside) : Integer.highestOneBit(inside) + "+";
  }

  private static @Nullable String constrained(RequestEvent event) {
    Workload workload = event.getWorkload();
    var constrained = workload == null ? null : workload.getConstrained();
    return constrained == null ? null : constrained.getMode();
  }
}

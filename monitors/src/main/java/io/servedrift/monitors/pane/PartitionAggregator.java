package io.servedrift.monitors.pane;

import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.CorrectionKind;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.Watermark;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Stage 1 for one partition of the requests and scores topics: de-duplicates requests, joins late
 * scores, aggregates into panes, and says by watermarks how far it has come. Pure: what it does
 * depends on the records and their offset order within each of the two topics, never on how the two
 * interleave, on a clock or on the speed of reading. Not thread-safe.
 *
 * <p><b>Which record counts.</b> A request counts at {@code finished_at}. It is <em>late</em> when
 * that lies more than grace behind the clock of its partition ({@link PartitionClock}); late
 * requests become corrections. The first record of a (deployment, request_id) counts, repeats
 * within the horizon are counted as duplicates. A score counts at its request's {@code
 * finished_at}, in time while the clock of its own partition is before the end of that pane + grace
 * + score grace; the first score per (request, name) wins, a score inside the request being the
 * first.
 *
 * <p><b>Exactness.</b> With logging on, every arrival that changed something is appended to a
 * chunk. The owner stores {@link #drain() drained} chunks in the same transaction as its input
 * offsets and output records, deletes {@link #obsolete() obsolete} ones, and after a crash feeds
 * what is left to {@link #restore}: the aggregator is then exactly as it was, nothing lost, nothing
 * counted twice.
 */
public final class PartitionAggregator {
  private static final int CHUNK_BYTES = 256 * 1024;
  private static final int MAX_REMEMBERED = 2_000_000;
  private static final int MAX_PENDING_SCORES = 200_000;

  private final int partition;
  private final int partitions;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final PaneBuilder builder;
  private final Tally liveTally;
  private final boolean logged;
  private final PaneSink liveSink;

  private final PartitionClock requests;
  private final PartitionClock scores;
  private final Map<String, Seen> seen = new HashMap<>();
  private final TreeMap<Long, List<String>> seenByExpiry = new TreeMap<>();
  private final Map<String, List<PendingScore>> pending = new HashMap<>();
  private final TreeMap<Long, List<String>> pendingByExpiry = new TreeMap<>();
  private final TreeMap<Long, List<ServedRequest>> latencyPanes = new TreeMap<>();
  private final TreeMap<Long, List<ScoredRequest>> scorePanes = new TreeMap<>();
  private int pendingScores;
  private long latencyClosed = PartitionClock.NEVER;
  private long scoresClosed = PartitionClock.NEVER;

  private final ArrivalLog log = new ArrivalLog();
  private final List<LoggedChunk> finished = new ArrayList<>();
  private final Deque<ChunkLife> chunks = new ArrayDeque<>();
  private long chunkNumber;
  private boolean restoring;
  private PaneSink sink;
  private Tally tally;

  /** A request that is remembered for the horizon. */
  private static final class Seen {
    final ServedRequest request;
    final long clock;
    final long until;
    final boolean late;
    final Set<String> scored = new HashSet<>(4);

    Seen(ServedRequest request, long clock, long until, boolean late) {
      this.request = request;
      this.clock = clock;
      this.until = until;
      this.late = late;
      request.scores().forEach(score -> scored.add(score.name()));
    }
  }

  /** A score whose request has not come yet, with the clock of its partition when it came. */
  private record PendingScore(Arrival.Score arrival, long clock, long chunk) {
    long until(long horizon) {
      return Math.max(clock, arrival.micros()) + horizon;
    }
  }

  /** How long a chunk is needed: until both clocks pass {@code until}. */
  private static final class ChunkLife {
    final long number;
    long until = PartitionClock.NEVER;

    ChunkLife(long number) {
      this.number = number;
    }
  }

  /** One value of a score pane. */
  record ScoredRequest(ServedRequest request, ServedRequest.Value score) {}

  /**
   * A piece of the arrival log.
   *
   * @param number ascending without gaps in use; the key to store it under
   * @param bytes opaque, at most about 256 KiB plus one arrival
   */
  @SuppressWarnings("ArrayRecordComponent") // handed to a store, never compared
  public record LoggedChunk(long number, byte[] bytes) {}

  /**
   * An empty aggregator.
   *
   * @param partition number of the partition it reads
   * @param partitions how many partitions the requests topic has
   * @param logged whether arrivals are logged for {@link #drain()}; off for replay
   */
  public PartitionAggregator(
      int partition,
      int partitions,
      PaneSettings settings,
      MetricLayouts layouts,
      PaneSink sink,
      Tally tally,
      boolean logged) {
    this.partition = partition;
    this.partitions = partitions;
    this.settings = settings;
    this.layouts = layouts;
    this.builder = new PaneBuilder(partition, settings, layouts, tally);
    this.liveSink = sink;
    this.sink = sink;
    this.liveTally = tally;
    this.tally = tally;
    this.logged = logged;
    this.requests = new PartitionClock(settings.futureLimitMicros(), settings.maxHeld());
    this.scores = new PartitionClock(settings.futureLimitMicros(), settings.maxHeld());
    beginChunk();
  }

  /**
   * Takes the next record of one of the two topics. Requests and ticks belong on the requests
   * topic, scores and ticks on the scores topic; anything else that is well-formed but out of place
   * goes to {@link PaneSink#rejected}, heartbeats pass.
   *
   * @param origin where the record stands, for dead letters
   * @param payload the record as it came, for dead letters; may be null
   */
  public void accept(
      Channel channel, SpecificRecord event, String origin, byte @Nullable [] payload) {
    if (event instanceof Tick tick) {
      tick(channel, new Arrival.Tick(ServedRequest.micros(tick.getAt())));
    } else if (event instanceof RequestEvent request && channel == Channel.REQUESTS) {
      tally.count("requests_read");
      arrive(
          channel,
          new Arrival.Request(
              accepted(ServedRequest.of(request), origin, payload), origin, payload));
    } else if (event instanceof ScoreEvent score && channel == Channel.SCORES) {
      tally.count("scores_read");
      Arrival.Score arrival = scoreArrival(score, origin, payload);
      if (layouts.layoutOf(score.getName()).accepts(score.getValue())) {
        arrive(channel, arrival);
      } else {
        tally.count("scores_rejected");
        refuse(arrival.value(), origin, payload, arrival.micros());
      }
    } else if (event instanceof Heartbeat && channel == Channel.REQUESTS) {
      tally.count("heartbeats");
    } else {
      sink.rejected(
          rejected(
              RejectReason.WRONG_TOPIC,
              "type",
              event.getSchema().getName(),
              channel == Channel.REQUESTS ? "request, heartbeat or tick" : "score or tick"),
          origin,
          payload,
          ServedRequest.micros(EventTimes.of(event)));
    }
  }

  /**
   * The request without the values that their metric cannot take, such as 0.7 for a yes/no score.
   */
  private ServedRequest accepted(ServedRequest request, String origin, byte @Nullable [] payload) {
    List<ServedRequest.Value> kept = new ArrayList<>(request.scores().size());
    for (ServedRequest.Value score : request.scores()) {
      if (layouts.layoutOf(score.name()).accepts(score.value())) {
        kept.add(score);
      } else {
        tally.count("values_refused");
        refuse(score, origin, payload, request.finishedMicros());
      }
    }
    return kept.size() == request.scores().size() ? request : request.withScores(kept);
  }

  private void refuse(
      ServedRequest.Value score, String origin, byte @Nullable [] payload, long micros) {
    sink.rejected(
        rejected(
            RejectReason.BAD_VALUE,
            "scores." + score.name(),
            Double.toString(score.value()),
            "a value of histogram layout " + layouts.layoutOf(score.name()).id()),
        origin,
        payload,
        micros);
  }

  private static Arrival.Score scoreArrival(
      ScoreEvent score, String origin, byte @Nullable [] payload) {
    String scorer = score.getScorer() == null ? Covariate.UNKNOWN : score.getScorer();
    return new Arrival.Score(
        score.getDeployment(),
        score.getRequestId(),
        new ServedRequest.Value(score.getName(), score.getValue(), scorer),
        ServedRequest.micros(score.getScoredAt()),
        origin,
        payload);
  }

  /**
   * Event time that a topic of this partition has reached, in microseconds; {@code Long.MIN_VALUE}
   * before any record.
   */
  public long clockMicros(Channel channel) {
    long now = clock(channel).now();
    return now == PartitionClock.NEVER ? Long.MIN_VALUE : now;
  }

  private void arrive(Channel channel, Arrival arrival) {
    PartitionClock clock = clock(channel);
    if (!clock.mustWait(arrival.micros())) {
      if (process(channel, arrival, chunkNumber)) {
        append(channel, arrival, false);
      }
      return;
    }
    tally.add(waitingLevel(channel), 1);
    append(channel, arrival, true);
    if (!clock.hold(arrival, logged ? chunkBefore() : chunkNumber)) {
      tally.count("tick_interruptions");
      release(channel, Long.MAX_VALUE);
      closePanes();
    }
  }

  private void tick(Channel channel, Arrival.Tick tick) {
    tally.count("ticks");
    release(channel, tick.micros() + settings.futureLimitMicros());
    clock(channel).tick(tick.micros());
    append(channel, tick, false);
    closePanes();
  }

  /**
   * Processes what waited, in the order it came; what is still too far ahead is a dead letter and
   * moves no clock.
   */
  private void release(Channel channel, long limit) {
    for (PartitionClock.Held held : clock(channel).release()) {
      tally.add(waitingLevel(channel), -1);
      Arrival arrival = held.arrival();
      if (arrival.micros() > limit) {
        tally.count(channel == Channel.REQUESTS ? "requests_rejected" : "scores_rejected");
        rejectFuture(arrival, limit - settings.futureLimitMicros());
      } else {
        process(channel, arrival, held.chunk());
      }
    }
  }

  private void rejectFuture(Arrival arrival, long tick) {
    Reading.Rejected why =
        rejected(
            RejectReason.FUTURE_TIME,
            arrival instanceof Arrival.Request ? "finished_at" : "scored_at",
            instant(arrival.micros()).toString(),
            "at most "
                + settings.futureLimit()
                + " ahead of the partition's tick "
                + instant(tick)
                + "; check the clock of the node");
    if (arrival instanceof Arrival.Request request) {
      sink.rejected(why, request.origin(), request.payload(), request.micros());
    } else if (arrival instanceof Arrival.Score score) {
      sink.rejected(why, score.origin(), score.payload(), score.micros());
    }
  }

  private static Reading.Rejected rejected(
      RejectReason reason, String path, String value, String allowed) {
    return new Reading.Rejected(reason.code(), List.of(new Problem(path, value, allowed)));
  }

  /** Returns whether the arrival changed anything that a restored aggregator must know. */
  private boolean process(Channel channel, Arrival arrival, long chunk) {
    boolean changed =
        arrival instanceof Arrival.Request request
            ? processRequest(request.request(), chunk)
            : arrival instanceof Arrival.Score score && processScore(score, chunk);
    clock(channel).observe(arrival.micros());
    closePanes();
    return changed;
  }

  private boolean processRequest(ServedRequest request, long chunk) {
    long clock = requests.now();
    String key = key(request.deployment(), request.requestId());
    Seen known = seen.get(key);
    if (known != null && clock < known.until) {
      tally.count("duplicates");
      if (!known.request.equals(request)) {
        tally.count("conflicts");
      }
      return false;
    }
    boolean late = request.finishedMicros() < clock - settings.graceMicros();
    boolean beyondHorizon = request.finishedMicros() < clock - settings.horizonMicros();
    if (late) {
      tally.count("late_requests");
      sink.correction(
          correction(
              CorrectionKind.LATE_REQUEST,
              request,
              null,
              clock - settings.graceMicros(),
              beyondHorizon));
      if (beyondHorizon) {
        return false;
      }
    }
    Seen entry =
        new Seen(
            request,
            clock,
            Math.max(request.finishedMicros(), clock) + settings.horizonMicros(),
            late);
    remember(key, entry, chunk);
    if (!late) {
      count(request);
    }
    joinPending(key, entry);
    return true;
  }

  private void count(ServedRequest request) {
    tally.count(
        switch (request.outcome()) {
          case OK, FAILED, CANCELLED, UNKNOWN -> "requests_accepted";
          case SYNTHETIC -> "synthetic";
        });
    long start = settings.paneStart(request.finishedMicros());
    if (!request.metrics().isEmpty()) {
      latencyPanes.computeIfAbsent(start, key -> new ArrayList<>()).add(request);
    }
    for (ServedRequest.Value score : request.scores()) {
      scorePanes
          .computeIfAbsent(start, key -> new ArrayList<>())
          .add(new ScoredRequest(request, score));
    }
  }

  private boolean processScore(Arrival.Score score, long chunk) {
    String key = key(score.deployment(), score.requestId());
    PendingScore candidate = new PendingScore(score, scores.now(), chunk);
    Seen known = seen.get(key);
    if (known != null && known.clock <= candidate.until(settings.horizonMicros())) {
      return join(known, candidate);
    }
    long until = candidate.until(settings.horizonMicros());
    if (requests.now() > until || pendingScores >= MAX_PENDING_SCORES) {
      tally.count("scores_unmatched");
      return false;
    }
    pending.computeIfAbsent(key, k -> new ArrayList<>(2)).add(candidate);
    pendingByExpiry.computeIfAbsent(second(until), k -> new ArrayList<>()).add(key);
    pendingScores++;
    tally.add("scores_pending", 1);
    needChunk(chunk, until);
    return true;
  }

  private void joinPending(String key, Seen entry) {
    List<PendingScore> waiting = pending.remove(key);
    if (waiting == null) {
      return;
    }
    pendingScores -= waiting.size();
    tally.add("scores_pending", -waiting.size());
    for (PendingScore score : waiting) {
      if (entry.clock > score.until(settings.horizonMicros())) {
        tally.count("scores_unmatched");
      } else {
        join(entry, score);
      }
    }
  }

  private boolean join(Seen known, PendingScore candidate) {
    ServedRequest request = known.request;
    ServedRequest.Value score = candidate.arrival().value();
    if (request.outcome() != ServedRequest.Outcome.OK) {
      tally.count("scores_unused");
      return false;
    }
    if (!known.scored.add(score.name())) {
      tally.count("scores_repeated");
      return false;
    }
    long paneEnd = settings.paneStart(request.finishedMicros()) + settings.paneMicros();
    long lastMoment = paneEnd + settings.graceMicros() + settings.scoreGraceMicros();
    boolean beyondHorizon =
        candidate.clock() >= request.finishedMicros() + settings.horizonMicros();
    if (known.late || beyondHorizon || candidate.clock() >= lastMoment) {
      tally.count("late_scores");
      sink.correction(
          correction(
              CorrectionKind.LATE_SCORE,
              request,
              score,
              Math.max(candidate.clock(), lastMoment),
              beyondHorizon));
    } else {
      tally.count("scores_joined");
      scorePanes
          .computeIfAbsent(settings.paneStart(request.finishedMicros()), key -> new ArrayList<>())
          .add(new ScoredRequest(request, score));
    }
    needChunk(candidate.chunk(), known.until);
    return true;
  }

  private Correction correction(
      CorrectionKind kind,
      ServedRequest request,
      ServedRequest.@Nullable Value score,
      long clock,
      boolean beyondHorizon) {
    long lastMoment =
        kind == CorrectionKind.LATE_REQUEST
            ? request.finishedMicros()
            : settings.paneStart(request.finishedMicros())
                + settings.paneMicros()
                + settings.graceMicros()
                + settings.scoreGraceMicros();
    return Correction.newBuilder()
        .setDeployment(request.deployment())
        .setSourcePartition(partition)
        .setKind(kind)
        .setRequestId(request.requestId())
        .setMetric(score == null ? null : score.name())
        .setValue(score == null ? null : score.value())
        .setModelId(request.modelId())
        .setConfigId(request.configId())
        .setCountsAt(instant(request.finishedMicros()))
        .setLateByMicros(clock - lastMoment)
        .setBeyondHorizon(beyondHorizon)
        .build();
  }

  private void remember(String key, Seen entry, long chunk) {
    seen.put(key, entry);
    seenByExpiry.computeIfAbsent(second(entry.until), k -> new ArrayList<>()).add(key);
    needChunk(
        chunk, Math.max(entry.until, entry.request.finishedMicros() + settings.horizonMicros()));
    while (seen.size() > MAX_REMEMBERED) {
      tally.count("forgotten_early");
      seenByExpiry.pollFirstEntry().getValue().forEach(seen::remove);
    }
  }

  private void closePanes() {
    long requestsPassed = requests.now() - settings.graceMicros();
    long scoresPassed =
        Math.min(
            scores.now() - settings.graceMicros() - settings.scoreGraceMicros(), requestsPassed);
    long latencyNow =
        requests.now() == PartitionClock.NEVER
            ? PartitionClock.NEVER
            : settings.paneStart(requestsPassed);
    long scoresNow =
        requests.now() == PartitionClock.NEVER || scores.now() == PartitionClock.NEVER
            ? PartitionClock.NEVER
            : settings.paneStart(scoresPassed);
    if (latencyNow <= latencyClosed && scoresNow <= scoresClosed) {
      return;
    }
    latencyClosed = Math.max(latencyClosed, latencyNow);
    scoresClosed = Math.max(scoresClosed, scoresNow);
    emitClosed();
    sink.watermark(
        new Watermark(partition, partitions, instant(latencyClosed), instant(scoresClosed)));
    expire();
  }

  private void emitClosed() {
    SortedMap<Long, List<ServedRequest>> latency = latencyPanes.headMap(latencyClosed);
    SortedMap<Long, List<ScoredRequest>> scored = scorePanes.headMap(scoresClosed);
    if (!restoring) {
      latency.forEach((start, rows) -> emit(builder.latencyPane(start, rows)));
      scored.forEach((start, rows) -> emit(builder.scorePane(start, rows)));
    }
    latency.clear();
    scored.clear();
  }

  private void emit(List<PaneSummary> summaries) {
    for (PaneSummary summary : summaries) {
      tally.count(summary.getKind() == PaneKind.LATENCY ? "latency_panes" : "score_panes");
      sink.pane(summary);
    }
  }

  /**
   * Forgets what can no longer be referred to. Only when panes close: cheap, and a late removal
   * changes nothing.
   */
  private void expire() {
    long passed = Math.min(requests.now(), scores.now());
    for (List<String> keys : takeBefore(seenByExpiry, passed)) {
      for (String key : keys) {
        Seen entry = seen.get(key);
        if (entry != null && entry.until <= passed) {
          seen.remove(key);
        }
      }
    }
    for (List<String> keys : takeBefore(pendingByExpiry, requests.now())) {
      for (String key : keys) {
        List<PendingScore> waiting = pending.get(key);
        if (waiting != null) {
          int before = waiting.size();
          waiting.removeIf(score -> score.until(settings.horizonMicros()) < requests.now());
          int gone = before - waiting.size();
          pendingScores -= gone;
          tally.add("scores_pending", -gone);
          tally.add("scores_unmatched", gone);
          if (waiting.isEmpty()) {
            pending.remove(key);
          }
        }
      }
    }
  }

  private static List<List<String>> takeBefore(
      NavigableMap<Long, List<String>> byExpiry, long micros) {
    if (micros == PartitionClock.NEVER) {
      return List.of();
    }
    SortedMap<Long, List<String>> due = byExpiry.headMap(second(micros));
    List<List<String>> taken = new ArrayList<>(due.values());
    due.clear();
    return taken;
  }

  // --- the arrival log

  /**
   * Chunks that are complete since the last call, oldest first. To be stored before the input
   * offsets are committed.
   */
  public List<LoggedChunk> drain() {
    if (!log.isEmpty()) {
      finishChunk();
    }
    List<LoggedChunk> drained = List.copyOf(finished);
    finished.clear();
    return drained;
  }

  /** Numbers of stored chunks that are no longer needed, oldest first; each is named once. */
  public List<Long> obsolete() {
    long passed = Math.min(requests.now(), scores.now());
    long oldestHeld = Math.min(requests.oldestHeldChunk(), scores.oldestHeldChunk());
    List<Long> numbers = new ArrayList<>();
    // The newest stored chunk stays even if nothing refers to it: it carries the clocks.
    while (chunks.size() > 2
        && chunks.getFirst().until <= passed
        && chunks.getFirst().number < oldestHeld) {
      numbers.add(chunks.removeFirst().number);
    }
    return numbers;
  }

  /**
   * Brings an empty aggregator to the state that the stored chunks describe. Sends nothing and
   * counts nothing: all of it was sent and counted before.
   *
   * @throws IllegalStateException when a chunk was written by an incompatible version
   */
  public void restore(SortedMap<Long, byte[]> stored) {
    if (stored.isEmpty()) {
      return;
    }
    restoring = true;
    sink = Silent.INSTANCE;
    tally = new Tally();
    chunks.clear();
    boolean first = true;
    for (Map.Entry<Long, byte[]> entry : stored.entrySet()) {
      ArrivalLog.Chunk chunk = ArrivalLog.read(entry.getValue());
      if (first) {
        requests.restore(chunk.requests());
        scores.restore(chunk.scores());
        closePanes();
        first = false;
      }
      chunkNumber = entry.getKey();
      chunks.add(new ChunkLife(chunkNumber));
      for (ArrivalLog.Entry arrival : chunk.entries()) {
        if (arrival.arrival() instanceof Arrival.Tick tick) {
          tick(arrival.channel(), tick);
        } else {
          arrive(arrival.channel(), arrival.arrival());
        }
      }
    }
    liveTally.add("scores_pending", tally.get("scores_pending"));
    liveTally.add("requests_waiting", tally.get("requests_waiting"));
    liveTally.add("scores_waiting", tally.get("scores_waiting"));
    restoring = false;
    sink = liveSink;
    tally = liveTally;
    chunkNumber++;
    beginChunk();
  }

  private void append(Channel channel, Arrival arrival, boolean keepPayload) {
    if (!logged || restoring) {
      return;
    }
    log.append(channel, arrival, keepPayload);
    if (log.size() >= CHUNK_BYTES) {
      finishChunk();
    }
  }

  private void finishChunk() {
    finished.add(new LoggedChunk(chunkNumber, log.toBytes()));
    chunkNumber++;
    beginChunk();
  }

  private void beginChunk() {
    log.begin(requests.snapshot(), scores.snapshot());
    chunks.add(new ChunkLife(chunkNumber));
  }

  /** The chunk that the last appended arrival went into: appending may have finished one. */
  private long chunkBefore() {
    return log.isEmpty() && chunkNumber > 0 && !restoring ? chunkNumber - 1 : chunkNumber;
  }

  private void needChunk(long number, long until) {
    if (!logged) {
      return;
    }
    for (ChunkLife chunk : (Iterable<ChunkLife>) chunks::descendingIterator) {
      if (chunk.number == number) {
        chunk.until = Math.max(chunk.until, until);
        return;
      }
    }
  }

  private PartitionClock clock(Channel channel) {
    return channel == Channel.REQUESTS ? requests : scores;
  }

  private static String waitingLevel(Channel channel) {
    return channel == Channel.REQUESTS ? "requests_waiting" : "scores_waiting";
  }

  private static String key(String deployment, String requestId) {
    return deployment + '\n' + requestId;
  }

  private static long second(long micros) {
    return Math.floorDiv(micros, 1_000_000L);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Takes everything and does nothing: while restoring, all was sent before. */
  private enum Silent implements PaneSink {
    INSTANCE;

    @Override
    public void pane(PaneSummary summary) {}

    @Override
    public void watermark(Watermark watermark) {}

    @Override
    public void correction(Correction correction) {}

    @Override
    public void rejected(
        Reading.Rejected why, String origin, byte @Nullable [] payload, long eventMicros) {}
  }
}

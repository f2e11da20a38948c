package io.servedrift.monitors.pane;

import io.servedrift.monitors.pane.PendingScores.Pending;
import io.servedrift.monitors.pane.RequestMemory.Seen;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private final RequestMemory memory = new RequestMemory();
  private final PendingScores pending = new PendingScores();
  private final SharedNames names = new SharedNames();
  private final TreeMap<Long, List<ServedRequest>> latencyPanes = new TreeMap<>();
  private final TreeMap<Long, List<ScoredRequest>> scorePanes = new TreeMap<>();
  private long latencyClosed = PartitionClock.NEVER;
  private long scoresClosed = PartitionClock.NEVER;

  private final ChunkedLog log;
  private boolean restoring;
  private PaneSink sink;
  private Tally tally;

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
    this.log = new ChunkedLog(requests.snapshot(), scores.snapshot());
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
              accepted(names.of(ServedRequest.of(request)), origin, payload), origin, payload));
    } else if (event instanceof ScoreEvent score && channel == Channel.SCORES) {
      tally.count("scores_read");
      Arrival.Score arrival = scoreArrival(score, origin, payload);
      if (acceptable(score.getName(), score.getValue())) {
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
      if (acceptable(score.name(), score.value())) {
        kept.add(score);
      } else {
        tally.count("values_refused");
        refuse(score, origin, payload, request.finishedMicros());
      }
    }
    return kept.size() == request.scores().size() ? request : request.withScores(kept);
  }

  /** A score that its layout can count and that is not named like a metric of ours. */
  private boolean acceptable(String name, double value) {
    return !ServedRequest.isOwnMetric(name) && layouts.layoutOf(name).accepts(value);
  }

  private void refuse(
      ServedRequest.Value score, String origin, byte @Nullable [] payload, long micros) {
    sink.rejected(
        rejected(
            RejectReason.BAD_VALUE,
            "scores." + score.name(),
            Double.toString(score.value()),
            ServedRequest.isOwnMetric(score.name())
                ? "a name that no metric of the monitor has"
                : "a value of histogram layout " + layouts.layoutOf(score.name()).id()),
        origin,
        payload,
        micros);
  }

  private Arrival.Score scoreArrival(ScoreEvent score, String origin, byte @Nullable [] payload) {
    String scorer = score.getScorer() == null ? Covariate.UNKNOWN : score.getScorer();
    return new Arrival.Score(
        names.of(score.getDeployment()),
        score.getRequestId(),
        names.of(new ServedRequest.Value(score.getName(), score.getValue(), scorer)),
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
      if (process(arrival, log.current())) {
        append(channel, arrival);
      }
      return;
    }
    tally.add(waitingLevel(channel), 1);
    long number = clock.nextNumber();
    clock.hold(number, arrival, log.current());
    append(channel, new Arrival.Waiting(number, arrival));
    if (clock.isFull()) {
      PartitionClock.Held earliest = clock.takeEarliest();
      append(channel, new Arrival.Overflow(earliest.number, earliest.micros));
      tally.count("tick_interruptions");
      overflow(channel, earliest.micros, earliest);
    }
  }

  /** The earliest of the waiting has its turn without a tick, and moves the clock. */
  private void overflow(Channel channel, long micros, PartitionClock.@Nullable Held earliest) {
    if (earliest != null && earliest.arrival != null) {
      tally.add(waitingLevel(channel), -1);
      process(earliest.arrival, earliest.chunk);
    }
    clock(channel).overflow(micros);
    closePanes();
  }

  /**
   * Processes what waited, in the order it came, then moves the clock: the other way round, what
   * came while no tick did would be late. What is still too far ahead is a dead letter.
   */
  private void tick(Channel channel, Arrival.Tick tick) {
    tally.count("ticks");
    long limit = tick.micros() + settings.futureLimitMicros();
    for (PartitionClock.Held held : clock(channel).takeAll()) {
      tally.add(waitingLevel(channel), -1);
      if (held.arrival == null) {
        continue;
      }
      if (held.micros > limit) {
        tally.count(channel == Channel.REQUESTS ? "requests_rejected" : "scores_rejected");
        rejectFuture(held.arrival, tick.micros());
      } else {
        process(held.arrival, held.chunk);
      }
    }
    clock(channel).tick(tick.micros());
    append(channel, tick);
    closePanes();
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
  private boolean process(Arrival arrival, long chunk) {
    return arrival instanceof Arrival.Request request
        ? processRequest(request.request(), chunk)
        : arrival instanceof Arrival.Score score && processScore(score, chunk);
  }

  private boolean processRequest(ServedRequest request, long chunk) {
    long clock = requests.now();
    String key = key(request.deployment(), request.requestId());
    Seen known = memory.newest(key);
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
    Seen entry = new Seen(request, clock, settings.horizonMicros(), late, known);
    tally.add("forgotten_early", memory.remember(key, entry));
    needChunk(chunk, entry.until);
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
    long clock = scores.now();
    long until = Math.max(clock, score.micros()) + settings.horizonMicros();
    Pending candidate = new Pending(score, clock, chunk, until);
    Seen known = memory.find(key, clock);
    if (known != null && known.clock <= until) {
      return join(known, candidate);
    }
    if (requests.now() > until || !pending.add(key, candidate)) {
      tally.count("scores_unmatched");
      return false;
    }
    tally.add("scores_pending", 1);
    needChunk(chunk, until);
    return true;
  }

  private void joinPending(String key, Seen entry) {
    List<Pending> waiting = pending.take(key);
    tally.add("scores_pending", -waiting.size());
    for (Pending score : waiting) {
      if (entry.clock > score.until() || score.clock() >= entry.until) {
        tally.count("scores_unmatched");
      } else {
        join(entry, score);
      }
    }
  }

  private boolean join(Seen known, Pending candidate) {
    ServedRequest request = known.request;
    ServedRequest.Value score = candidate.arrival().value();
    if (request.outcome() != ServedRequest.Outcome.OK) {
      tally.count("scores_unused");
      return false;
    }
    if (!known.takeScore(score.name())) {
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
    memory.expire(Math.min(requests.now(), scores.now()));
    int unmatched = pending.expire(requests.now());
    tally.add("scores_pending", -unmatched);
    tally.add("scores_unmatched", unmatched);
  }

  /**
   * Chunks that are complete since the last call, oldest first. To be stored before the input
   * offsets are committed.
   */
  public List<LoggedChunk> drain() {
    return log.drain(requests.snapshot(), scores.snapshot());
  }

  /** Numbers of stored chunks that are no longer needed, oldest first; each is named once. */
  public List<Long> obsolete() {
    return log.obsolete(
        Math.min(requests.now(), scores.now()),
        Math.min(requests.oldestHeldChunk(), scores.oldestHeldChunk()));
  }

  /** Takes what waits here out of the levels of the tally: another owner goes on with it. */
  public void close() {
    tally.add("requests_handed_over", requests.held());
    tally.add("scores_handed_over", pending.size() + scores.held());
    countLevels(-1);
  }

  private void countLevels(int sign) {
    tally.add("scores_pending", sign * (long) pending.size());
    tally.add("requests_waiting", sign * (long) requests.held());
    tally.add("scores_waiting", sign * (long) scores.held());
  }

  /**
   * Brings an empty aggregator to the state that the stored chunks describe. Sends nothing and
   * counts nothing but what waits: all of it was sent and counted before.
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
    log.resume(stored.keySet());
    boolean first = true;
    for (Map.Entry<Long, byte[]> entry : stored.entrySet()) {
      ArrivalLog.Chunk chunk = ArrivalLog.read(entry.getValue());
      if (first) {
        requests.restore(chunk.requests());
        scores.restore(chunk.scores());
        closePanes();
        first = false;
      }
      log.reading(entry.getKey());
      for (ArrivalLog.Entry arrival : chunk.entries()) {
        repeat(arrival.channel(), arrival.arrival());
      }
    }
    restoring = false;
    sink = liveSink;
    tally = liveTally;
    tally.add("requests_taken_over", requests.held());
    tally.add("scores_taken_over", pending.size() + scores.held());
    countLevels(1);
    log.resumed(requests.snapshot(), scores.snapshot());
  }

  /** Does again what the log says was done. */
  private void repeat(Channel channel, Arrival arrival) {
    if (arrival instanceof Arrival.Tick tick) {
      tick(channel, tick);
    } else if (arrival instanceof Arrival.Waiting held) {
      clock(channel).hold(held.number(), held.arrival(), log.current());
    } else if (arrival instanceof Arrival.Overflow overflow) {
      overflow(
          channel, overflow.micros(), clock(channel).take(overflow.micros(), overflow.number()));
    } else {
      process(arrival, log.current());
    }
  }

  private void append(Channel channel, Arrival arrival) {
    if (logged && !restoring) {
      log.append(channel, arrival);
      log.cut(requests.snapshot(), scores.snapshot());
    }
  }

  private void needChunk(long chunk, long until) {
    if (logged) {
      log.need(chunk, until);
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

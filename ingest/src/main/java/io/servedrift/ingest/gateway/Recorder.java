package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the event of an ended exchange and publishes it. Called by one thread; never waits for the
 * broker.
 */
final class Recorder implements Consumer<Exchange> {

  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

  private static final int OK = 200;

  private final GatewaySettings settings;
  private final GatewayCounts counts;
  private final EventSink sink;
  private final ServingIdentity identity;
  private final Announcements announcements;
  private final @Nullable CanaryPrompts canaries;
  private final VideoJobs videos;
  private final OutputProxies proxies = new OutputProxies();
  private final List<MeasuredListener> listeners;
  private final EventReader reader = new EventReader();

  Recorder(
      GatewaySettings settings,
      GatewayCounts counts,
      EventSink sink,
      ServingIdentity identity,
      Announcements announcements,
      @Nullable CanaryPrompts canaries,
      VideoJobs videos,
      List<MeasuredListener> listeners) {
    this.settings = settings;
    this.counts = counts;
    this.sink = sink;
    this.identity = identity;
    this.announcements = announcements;
    this.canaries = canaries;
    this.videos = videos;
    this.listeners = List.copyOf(listeners);
  }

  @Override
  public void accept(Exchange exchange) {
    if (exchange.route() == Route.VIDEO_POLL) {
      polled(exchange);
      return;
    }
    for (int i = 0; i < exchange.shedBodies(); i++) {
      counts.add(Count.BODIES_SHED);
    }
    Ask ask = exchange.readAsk();
    if (ask == null) {
      counts.add(Count.REQUEST_UNREAD);
      ask = Ask.unknown();
    }
    Answer answer = exchange.readAnswer();
    if (answer == null && exchange.outcome() == Outcome.COMPLETE) {
      counts.add(Count.ANSWER_UNREAD);
    }
    Verdict verdict = Verdict.of(exchange, answer);
    switch (verdict.kind()) {
      case REFUSED -> counts.add(Count.REFUSED);
      case UNFINISHED -> await(exchange, ask, answer);
      case SERVED -> publish(exchange, ask, answer, verdict);
    }
  }

  private void publish(Exchange exchange, Ask ask, @Nullable Answer answer, Verdict verdict) {
    String id = requestId(exchange, answer);
    RequestDraft draft = new RequestDraft(settings, exchange, id);
    draft.ended(verdict, exchange.latencySeconds(), exchange.latencySeconds());
    draft.asked(ask, identity.now(), answer);
    draft.underWay();
    if (answer != null) {
      draft.answered(answer);
    }
    if (answer != null && verdict.isOk()) {
      draft.scores(proxies.scores(exchange.route(), ask, answer), OutputProxies.SCORER);
      Canary canary = exchange.canary();
      if (canary != null && canaries != null) {
        draft.scores(canary.check().scores(answer), canaries.scorer());
      }
    }
    if (offer(draft) && answer != null && verdict.isOk()) {
      for (MeasuredListener listener : listeners) {
        listener.measured(id, exchange.route(), ask, answer);
      }
    }
  }

  /** Publishes a draft, whole or at least its identity, times and status; false when neither. */
  private boolean offer(RequestDraft draft) {
    for (int i = 0; i < draft.leftOut(); i++) {
      counts.add(Count.VALUES_LEFT_OUT);
    }
    Reading reading = reader.readJson(draft.node());
    if (reading instanceof Reading.Rejected refused) {
      LOG.debug("left out what does not fit: {}", refused.reason());
      counts.add(Count.VALUES_LEFT_OUT);
      reading = reader.readJson(draft.bare());
    }
    if (!(reading instanceof Reading.Accepted accepted)) {
      counts.add(Count.UNPUBLISHABLE);
      return false;
    }
    announcements.announce(accepted.registrations());
    counts.add(sink.offer(accepted.event()) ? Count.HANDED_OVER : Count.UNPUBLISHABLE);
    return true;
  }

  /** A queued video is an event when a poll tells its end. */
  private void await(Exchange exchange, Ask ask, @Nullable Answer answer) {
    String id = answer == null ? null : answer.id();
    if (id == null || !isUsable(id) || exchange.route() != Route.VIDEOS) {
      counts.add(Count.UNFINISHED);
      return;
    }
    RequestDraft draft = new RequestDraft(settings, exchange, id);
    draft.asked(ask, identity.now(), answer);
    videos.add(id, new VideoJob(draft, exchange.beganNanos(), exchange.endedNanos()));
  }

  private void polled(Exchange exchange) {
    Answer poll = exchange.status() == OK ? exchange.readAnswer() : null;
    String id = poll == null ? null : poll.id();
    if (poll == null || id == null) {
      return;
    }
    Verdict verdict = Verdict.ofPoll(poll);
    if (verdict == null) {
      videos.unfinishedAt(id, exchange.beganNanos());
      return;
    }
    VideoJob job = videos.take(id);
    if (job != null) {
      ended(job, poll, verdict, exchange.endedNanos());
    }
  }

  private void ended(VideoJob job, Answer poll, Verdict verdict, long toldNanos) {
    Double latency = job.latencySeconds(poll.numbers(), toldNanos);
    if (verdict.isOk() && latency == null) {
      counts.add(Count.UNFINISHED);
      return;
    }
    RequestDraft draft = job.draft();
    draft.ended(verdict, latency == null ? job.secondsUntil(toldNanos) : latency, latency);
    draft.answered(poll);
    offer(draft);
  }

  /** The runtime's own id joins with its logs; else the one in the headers, else one of ours. */
  private static String requestId(Exchange exchange, @Nullable Answer answer) {
    String own = answer == null ? null : answer.id();
    if (own != null && isUsable(own)) {
      return own;
    }
    String header = exchange.headerId();
    return header != null && isUsable(header) ? header : "gw-" + UUID.randomUUID();
  }

  private static boolean isUsable(String id) {
    return !id.isBlank() && id.length() <= 256 && id.chars().noneMatch(Character::isISOControl);
  }
}

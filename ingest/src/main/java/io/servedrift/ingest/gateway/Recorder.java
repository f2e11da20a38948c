package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the event of an ended exchange and publishes it. Called by one thread; never waits for the
 * broker.
 */
final class Recorder implements Consumer<Exchange> {

  private final GatewaySettings settings;
  private final GatewayCounts counts;
  private final DraftPublisher drafts;
  private final ServingIdentity identity;
  private final @Nullable CanaryPrompts canaries;
  private final VideoPolls videos;
  private final OutputProxies proxies = new OutputProxies();
  private final List<MeasuredListener> listeners;

  Recorder(
      GatewaySettings settings,
      GatewayCounts counts,
      DraftPublisher drafts,
      ServingIdentity identity,
      @Nullable CanaryPrompts canaries,
      VideoPolls videos,
      List<MeasuredListener> listeners) {
    this.settings = settings;
    this.counts = counts;
    this.drafts = drafts;
    this.identity = identity;
    this.canaries = canaries;
    this.videos = videos;
    this.listeners = List.copyOf(listeners);
  }

  @Override
  public void accept(Exchange exchange) {
    if (exchange.route() == Route.VIDEO_POLL) {
      videos.polled(exchange);
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
    RequestDraft draft = new RequestDraft(settings, exchange.route(), exchange.arrivedAt(), id);
    draft.ended(verdict, exchange.latencySeconds(), exchange.latencySeconds());
    draft.servedBy(modelName(ask, answer), identity.now());
    draft.asked(workload(exchange, ask));
    draft.underWay(exchange.running());
    if (answer != null) {
      draft.answered(answer);
      if (exchange.route().modality().equals("text")) {
        draft.firstToken(exchange.firstContentSeconds());
      }
    }
    if (answer != null && verdict.isOk()) {
      draft.scores(proxies.scores(exchange.route(), ask, answer), OutputProxies.SCORER);
      Canary canary = exchange.canary();
      if (canary != null && canaries != null) {
        draft.scores(canary.check().scores(answer), canaries.scorer());
      }
    }
    if (drafts.offer(draft) && answer != null && verdict.isOk()) {
      for (MeasuredListener listener : listeners) {
        listener.measured(id, exchange.route(), ask, answer);
      }
    }
  }

  private static @Nullable String modelName(Ask ask, @Nullable Answer answer) {
    String answering = answer == null ? null : answer.model();
    return answering == null ? ask.model() : answering;
  }

  private ObjectNode workload(Exchange exchange, Ask ask) {
    return ask.workload(exchange.route(), settings.promptHash(), exchange.promptClass());
  }

  /** A queued video is an event when a poll tells its end. */
  private void await(Exchange exchange, Ask ask, @Nullable Answer answer) {
    String id = answer == null ? null : answer.id();
    if (id == null || !isUsable(id) || exchange.route() != Route.VIDEOS) {
      counts.add(Count.UNFINISHED);
      return;
    }
    VideoJob.Asked asked =
        new VideoJob.Asked(
            id,
            exchange.arrivedAt(),
            exchange.beganNanos(),
            workload(exchange, ask),
            modelName(ask, answer),
            identity.now());
    videos.await(new VideoJob(asked, exchange.endedNanos()));
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

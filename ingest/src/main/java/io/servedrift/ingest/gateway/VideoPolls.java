package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the event of a queued video when a client's poll tells its end. Whether a video becomes an
 * event must not depend on how it ended, else the share of errors would say more of the polls than
 * of the serving. Called by one thread; never waits for the broker.
 */
final class VideoPolls {

  private static final Logger LOG = LoggerFactory.getLogger(VideoPolls.class);

  private static final int OK = 200;

  private final GatewaySettings settings;
  private final GatewayCounts counts;
  private final VideoJobs jobs;
  private final DraftPublisher drafts;

  /** Whether the runtime's stamps told the duration of the last video that was completed. */
  private boolean stampsCompleted;

  VideoPolls(
      GatewaySettings settings, GatewayCounts counts, VideoJobs jobs, DraftPublisher drafts) {
    this.settings = settings;
    this.counts = counts;
    this.jobs = jobs;
    this.drafts = drafts;
  }

  /** Awaits the end of a video. */
  void await(VideoJob job) {
    jobs.add(job);
  }

  /** Reads the answer to a poll. */
  void polled(Exchange exchange) {
    if (exchange.status() != OK) {
      return;
    }
    Answer poll = exchange.readAnswer();
    String id = poll == null ? null : poll.id();
    if (poll == null || id == null) {
      counts.add(Count.POLL_UNREAD);
      return;
    }
    Verdict verdict = Verdict.ofPoll(poll);
    if (verdict == null) {
      jobs.unfinishedAt(id, exchange.beganNanos());
      return;
    }
    VideoJob job = jobs.take(id);
    if (job != null) {
      try {
        ended(job, poll, verdict, exchange.endedNanos());
      } catch (RuntimeException | StackOverflowError e) {
        // It is in the table no more, so nobody else would count it.
        counts.add(Count.UNPUBLISHABLE);
        LOG.warn("a video could not be measured: {}", e.getClass().getSimpleName());
      }
    }
  }

  private void ended(VideoJob job, Answer poll, Verdict verdict, long toldNanos) {
    Answer.Numbers numbers = poll.numbers();
    Double stamped = job.stampedSeconds(numbers, toldNanos);
    if (verdict.isOk()) {
      stampsCompleted = stamped != null;
    }
    Double latency = stamped != null ? stamped : job.polledSeconds(toldNanos);
    // Had this one been completed, its stamps would have made an event of it.
    boolean known = latency != null || (!verdict.isOk() && stampsCompleted);
    if (!known) {
      counts.add(Count.UNFINISHED);
      return;
    }
    drafts.offer(draft(job, poll, verdict, toldNanos, latency));
  }

  private RequestDraft draft(
      VideoJob job, Answer poll, Verdict verdict, long toldNanos, @Nullable Double latency) {
    VideoJob.Asked asked = job.asked();
    RequestDraft draft = new RequestDraft(settings, Route.VIDEOS, asked.arrivedAt(), asked.id());
    draft.ended(verdict, job.secondsUntil(toldNanos), latency);
    draft.servedBy(asked.modelName(), asked.known());
    draft.asked(asked.workload());
    draft.answered(poll);
    return draft;
  }
}

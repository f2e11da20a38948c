package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes drafts of events and counts what becomes of them. One thread at a time. */
final class DraftPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(DraftPublisher.class);

  private final GatewayCounts counts;
  private final EventSink sink;
  private final Announcements announcements;
  private final EventReader reader = new EventReader();

  DraftPublisher(GatewayCounts counts, EventSink sink, Announcements announcements) {
    this.counts = counts;
    this.sink = sink;
    this.announcements = announcements;
  }

  /** Publishes a draft, whole or at least its identity, times and status; false when neither. */
  boolean offer(RequestDraft draft) {
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
}

package io.servedrift.schemas;

import io.servedrift.schemas.avro.AlertState;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Review;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Instant;
import org.apache.avro.specific.SpecificRecord;

/** The one time of a record that its Kafka timestamp carries and that files are sorted by. */
public final class EventTimes {
  private EventTimes() {}

  /**
   * {@code finished_at} of a request, {@code scored_at} of a score, the end of a pane or window,
   * {@code at} of others.
   */
  public static Instant of(SpecificRecord e) {
    return switch (EventType.of(e)) {
      case REQUEST -> ((RequestEvent) e).getFinishedAt();
      case SCORE -> ((ScoreEvent) e).getScoredAt();
      case SERVING_EVENT -> ((ServingEvent) e).getAt();
      case CONFIG -> ((ConfigRecord) e).getAt();
      case HEARTBEAT -> ((Heartbeat) e).getAt();
      case REVIEW -> ((Review) e).getAt();
      case EVAL -> ((EvalResult) e).getAt();
      case TICK -> ((Tick) e).getAt();
      case DECISION -> ((Decision) e).getAt();
      case PANE -> ((PaneSummary) e).getEnd();
      case WATERMARK -> ((Watermark) e).getLatencyClosedThrough();
      case CORRECTION -> ((Correction) e).getCountsAt();
      case WINDOW -> ((WindowSummary) e).getEnd();
      case FINDING -> ((Finding) e).getDetectedAt();
      case ALERT -> ((AlertState) e).getStartsAt();
      case DEAD_LETTER -> ((DeadLetter) e).getAt();
    };
  }
}

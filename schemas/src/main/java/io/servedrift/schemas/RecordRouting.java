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
import io.servedrift.schemas.avro.WindowSummary;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Which topic and key a record travels under. Ticks and watermarks have neither: their writers
 * choose the partition.
 */
public final class RecordRouting {
  /** Stands for an id that was not given. */
  public static final String UNKNOWN_ID = "unknown";

  private RecordRouting() {}

  /**
   * The topic of a record.
   *
   * @throws IllegalArgumentException for ticks and watermarks, which go to given partitions
   */
  public static String topicFor(SpecificRecord e, Topics t) {
    return switch (EventType.of(e)) {
      case REQUEST, HEARTBEAT -> t.requests();
      case SCORE -> t.scores();
      case SERVING_EVENT, DECISION -> t.servingEvents();
      case CONFIG -> t.configs();
      case REVIEW -> t.reviews();
      case EVAL -> t.evals();
      case PANE, CORRECTION -> t.panes();
      case WINDOW -> t.windows();
      case FINDING -> t.findings();
      case ALERT -> t.alerts();
      case DEAD_LETTER -> t.deadLetters();
      case TICK, WATERMARK -> throw unkeyed(e);
    };
  }

  /**
   * The key of a record.
   *
   * @throws IllegalArgumentException for ticks and watermarks, which go to given partitions
   */
  public static String keyFor(SpecificRecord e) {
    return switch (EventType.of(e)) {
      case REQUEST -> ((RequestEvent) e).getRequestId();
      case HEARTBEAT -> ((Heartbeat) e).getNode();
      case SCORE -> ((ScoreEvent) e).getRequestId();
      case SERVING_EVENT -> ((ServingEvent) e).getDeployment();
      case DECISION -> ((Decision) e).getDeployment();
      case CONFIG -> {
        ConfigRecord c = (ConfigRecord) e;
        yield orUnknown(c.getConfigId()) + "/" + orUnknown(c.getModelId());
      }
      case REVIEW -> ((Review) e).getDeployment();
      case EVAL -> {
        EvalResult r = (EvalResult) e;
        yield r.getDeployment() == null ? r.getEvalId() : r.getDeployment();
      }
      case PANE -> ((PaneSummary) e).getDeployment();
      case CORRECTION -> ((Correction) e).getDeployment();
      case WINDOW -> ((WindowSummary) e).getDeployment();
      case FINDING -> ((Finding) e).getDeployment();
      case ALERT -> ((AlertState) e).getAlertKey();
      case DEAD_LETTER -> ((DeadLetter) e).getOrigin();
      case TICK, WATERMARK -> throw unkeyed(e);
    };
  }

  private static String orUnknown(@Nullable String id) {
    return id == null ? UNKNOWN_ID : id;
  }

  private static IllegalArgumentException unkeyed(SpecificRecord e) {
    return new IllegalArgumentException(
        EventType.of(e).word() + ": has no key, its writer must name the partition");
  }
}

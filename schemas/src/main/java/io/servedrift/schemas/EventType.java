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
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** Every record that travels on a topic, with the word that names it in {@code type}. */
public enum EventType {
  REQUEST("request", RequestEvent.getClassSchema(), true),
  SCORE("score", ScoreEvent.getClassSchema(), true),
  SERVING_EVENT("serving_event", ServingEvent.getClassSchema(), true),
  CONFIG("config", ConfigRecord.getClassSchema(), true),
  HEARTBEAT("heartbeat", Heartbeat.getClassSchema(), true),
  REVIEW("review", Review.getClassSchema(), true),
  EVAL("eval", EvalResult.getClassSchema(), true),
  TICK("tick", Tick.getClassSchema(), true),
  DECISION("decision", Decision.getClassSchema(), true),
  PANE("pane", PaneSummary.getClassSchema(), false),
  WATERMARK("watermark", Watermark.getClassSchema(), false),
  CORRECTION("correction", Correction.getClassSchema(), false),
  WINDOW("window", WindowSummary.getClassSchema(), false),
  FINDING("finding", Finding.getClassSchema(), false),
  ALERT("alert", AlertState.getClassSchema(), false),
  DEAD_LETTER("dead_letter", DeadLetter.getClassSchema(), false);

  private static final Map<String, EventType> BY_WORD =
      Arrays.stream(values()).collect(Collectors.toMap(EventType::word, t -> t));
  private static final Map<String, EventType> BY_SCHEMA_NAME = new HashMap<>();

  static {
    for (EventType t : values()) {
      BY_SCHEMA_NAME.put(t.schema.getFullName(), t);
    }
  }

  private final String word;

  // Neither is changed after construction.
  @SuppressWarnings("ImmutableEnumChecker")
  private final Schema schema;

  private final boolean input;
  private final long fingerprint;

  @SuppressWarnings("ImmutableEnumChecker")
  private final RecordPlan plan;

  EventType(String word, Schema schema, boolean input) {
    this.word = word;
    this.schema = schema;
    this.input = input;
    this.fingerprint = SchemaNormalization.parsingFingerprint64(schema);
    this.plan = RecordPlan.of(schema);
  }

  /** The value of {@code type} in JSON. */
  public String word() {
    return word;
  }

  /** The current Avro schema. */
  public Schema schema() {
    return schema;
  }

  /**
   * Whether {@link EventReader} accepts it: the events of the contract, not the records that the
   * monitor writes.
   */
  public boolean isInput() {
    return input;
  }

  /** CRC-64-AVRO of the canonical form of the current schema. */
  long fingerprint() {
    return fingerprint;
  }

  RecordPlan plan() {
    return plan;
  }

  /** The type of a generated record. */
  public static EventType of(SpecificRecord event) {
    EventType type = ofSchemaName(event.getSchema().getFullName());
    if (type == null) {
      throw new IllegalArgumentException(
          event.getSchema().getFullName() + ": must be one of the records of EventType");
    }
    return type;
  }

  static @Nullable EventType ofWord(String word) {
    return BY_WORD.get(word);
  }

  static @Nullable EventType ofSchemaName(String fullName) {
    return BY_SCHEMA_NAME.get(fullName);
  }

  static String inputWords() {
    return Arrays.stream(values())
        .filter(EventType::isInput)
        .map(EventType::word)
        .collect(Collectors.joining(", "));
  }
}

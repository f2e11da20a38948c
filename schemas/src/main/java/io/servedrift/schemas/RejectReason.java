package io.servedrift.schemas;

/** Why an item could not be used: a closed, low-cardinality set, fit for a metric label. */
public enum RejectReason {
  BAD_JSON(
      "bad_json", "not one JSON object: syntax, a repeated key, more than one value, not UTF-8"),
  UNKNOWN_TYPE("unknown_type", "`type` is missing or names no event that is accepted here"),
  MISSING_FIELD("missing_field", "a required field is absent or null"),
  BAD_VALUE(
      "bad_value",
      "wrong kind of value, outside its range, too long, not a number (NaN, Infinity)"),
  BAD_TIME("bad_time", "a time without zone, in the wrong unit, or outside 2000 to 2100"),
  INCONSISTENT_TIMES("inconsistent_times", "`finished_at` lies more than 1 ms before `arrived_at`"),
  WRONG_UNIT(
      "wrong_unit",
      "durations that contradict each other by about a factor of a thousand or a million"),
  TOO_LARGE("too_large", "longer or more deeply nested than the limits of the reader"),
  UNKNOWN_FORMAT("unknown_format", "first bytes are neither `{` nor `C3 01` nor `00`"),
  UNKNOWN_SCHEMA(
      "unknown_schema",
      "Avro written with a schema that is not known or cannot be read as a current one"),
  BAD_AVRO("bad_avro", "the body does not fit its schema: cut off, too long, impossible lengths"),
  REGISTRY_NOT_CONFIGURED(
      "registry_not_configured", "registry framing, but no schema registry is configured"),
  WRONG_TOPIC("wrong_topic", "a valid event on a topic that its type does not belong on"),
  FUTURE_TIME(
      "future_time",
      "more than a minute ahead of its partition's tick, or (files) after `--not-after`"),
  REGISTRY_UNAVAILABLE(
      "registry_unavailable",
      "the schema registry did not answer in time or answered with an error");

  private final String code;
  private final String meaning;

  RejectReason(String code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** The word used in counters, dead letters and HTTP answers. */
  public String code() {
    return code;
  }

  /** One line for documentation. */
  public String meaning() {
    return meaning;
  }
}

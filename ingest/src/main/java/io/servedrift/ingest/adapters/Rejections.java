package io.servedrift.ingest.adapters;

import io.servedrift.schemas.Problem;
import io.servedrift.schemas.RejectReason;
import java.util.List;

/** Rejections that several adapters make. */
final class Rejections {
  private Rejections() {}

  static void badJson(SourceLine line, AdapterOutput out) {
    out.reject(
        RejectReason.BAD_JSON.code(),
        List.of(new Problem("(line)", SourceJson.fault(line.content()), "one JSON object")),
        line);
  }

  static void missing(String member, String allowed, SourceLine line, AdapterOutput out) {
    out.reject(
        RejectReason.MISSING_FIELD.code(), List.of(new Problem(member, "(absent)", allowed)), line);
  }

  /** Text that is longer than the contract takes; only its length is told. */
  static void tooLong(String member, int length, int most, SourceLine line, AdapterOutput out) {
    out.reject(
        RejectReason.TOO_LARGE.code(),
        List.of(new Problem(member, length + " characters", "at most " + most)),
        line);
  }

  /** Text whose length need not be told exactly. */
  static void tooLong(String member, int most, SourceLine line, AdapterOutput out) {
    out.reject(
        RejectReason.TOO_LARGE.code(),
        List.of(new Problem(member, "more than " + most + " characters", "at most " + most)),
        line);
  }

  /** A time that is absent, none, or local; what it says is not repeated. */
  static void badTime(String member, SourceTimes times, SourceLine line, AdapterOutput out) {
    out.reject(
        RejectReason.BAD_TIME.code(),
        List.of(new Problem(member, "(absent or unusable)", times.allowed())),
        line);
  }
}

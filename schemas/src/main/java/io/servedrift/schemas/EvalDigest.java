package io.servedrift.schemas;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.EvalResult;
import java.util.List;

/**
 * What makes a record of an evaluation the same record: its id is a digest of what was measured, so
 * recording it twice gives one id, and its digest is one of all that it says, so that a change of
 * it is seen. Neither is a signature: who can write a record can write its digest. Thread-safe.
 */
public final class EvalDigest {
  private static final String ALGORITHM = "sha256:";
  private static final int ID_DIGITS = 16;

  /** Who wrote a measurement down, and when, does not make it another one. */
  private static final List<String> NOT_MEASURED = List.of("eval_id", "at", "by", "digest");

  /** What a digest says of its record. */
  public enum Standing {
    /** The record is as it was sealed. */
    INTACT,
    /** The record was changed since. */
    ALTERED,
    /** The record was never sealed: another program wrote it. */
    ABSENT
  }

  private EvalDigest() {}

  /** Gives a record its id and its digest; everything else must be set. */
  public static void seal(EvalResult eval) {
    eval.setEvalId(id(eval));
    eval.setDigest(digest(eval));
  }

  /** The id of what was measured: {@code e-} and 16 hex digits. */
  public static String id(EvalResult eval) {
    ObjectNode content = EventJson.toJson(eval);
    content.remove(NOT_MEASURED);
    return "e-" + CanonicalJson.sha256(CanonicalJson.of(content)).substring(0, ID_DIGITS);
  }

  /** Whether a record is as it was sealed. */
  public static Standing standing(EvalResult eval) {
    if (eval.getDigest() == null) {
      return Standing.ABSENT;
    }
    return eval.getDigest().equals(digest(eval)) ? Standing.INTACT : Standing.ALTERED;
  }

  private static String digest(EvalResult eval) {
    ObjectNode content = EventJson.toJson(eval);
    content.remove("digest");
    return ALGORITHM + CanonicalJson.sha256(CanonicalJson.of(content));
  }
}

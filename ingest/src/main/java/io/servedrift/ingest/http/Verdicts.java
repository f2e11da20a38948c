package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.publish.DropReason;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The answer to one post: the fate of each item, the HTTP status and the JSON text. */
record Verdicts(List<Verdict> verdicts) {

  /** The fate of one item. */
  sealed interface Verdict {
    /** Acknowledged by the broker. */
    record Accepted(int unknownFields, List<String> unknownNames, int cacheConflicts)
        implements Verdict {
      public Accepted {
        unknownNames = List.copyOf(unknownNames);
      }
    }

    /** Will not be accepted however often it is sent. */
    record Rejected(String reason, String detail) implements Verdict {}

    /** Usable, but not stored now. */
    record Failed(String reason) implements Verdict {}
  }

  /** Names of unknown fields in one answer. */
  private static final int MOST_NAMES = 20;

  static final String NOT_ACKNOWLEDGED = "not_acknowledged";

  int status() {
    if (verdicts.stream().anyMatch(Verdict.Failed.class::isInstance)) {
      boolean onlyFull =
          verdicts.stream()
              .filter(Verdict.Failed.class::isInstance)
              .map(Verdict.Failed.class::cast)
              .allMatch(failed -> failed.reason().equals(DropReason.BUFFER_FULL.code()));
      return onlyFull ? 429 : 503;
    }
    return verdicts.stream().anyMatch(Verdict.Accepted.class::isInstance) ? 202 : 400;
  }

  ObjectNode json() {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ArrayNode rejected = JsonNodeFactory.instance.arrayNode();
    ArrayNode failed = JsonNodeFactory.instance.arrayNode();
    int accepted = 0;
    int unknown = 0;
    Set<String> unknownNames = new TreeSet<>();
    for (int i = 0; i < verdicts.size(); i++) {
      Verdict verdict = verdicts.get(i);
      if (verdict instanceof Verdict.Rejected no) {
        rejected.addObject().put("index", i).put("reason", no.reason()).put("detail", no.detail());
      } else if (verdict instanceof Verdict.Failed later) {
        failed.addObject().put("index", i).put("reason", later.reason());
      } else if (verdict instanceof Verdict.Accepted yes) {
        accepted++;
        unknown += yes.unknownFields();
        unknownNames.addAll(yes.unknownNames());
      }
    }
    answer.put("accepted", accepted);
    answer.set("rejected", rejected);
    if (!failed.isEmpty()) {
      answer.set("failed", failed);
    }
    if (unknown > 0) {
      ObjectNode ignored = answer.putObject("ignored_fields").put("count", unknown);
      ArrayNode names = ignored.putArray("names");
      unknownNames.stream().limit(MOST_NAMES).forEach(names::add);
    }
    if (verdicts.isEmpty()) {
      answer.put("error", "no events in the body");
    }
    return answer;
  }
}

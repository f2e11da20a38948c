package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.servedrift.monitors.pane.Exemplar;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.ServingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How fast the judge's time passes. Its rules speak of minutes, hours and days; where the policy
 * says that a minute takes 2 s, all of them take a thirtieth. So that no rule can be forgotten, the
 * time of everything that comes in is stretched and that of everything that goes out is put right:
 * in between, a pane of 2 s is one of 60 s. Traffic that is as much faster gives the same findings
 * with other times. Immutable.
 */
final class Pace {
  /** Members of a finding that hold a time, whatever they are in. */
  private static final List<String> TIMES =
      List.of("onset_at", "detected_at", "closed_at", "at", "from", "to");

  private static final String TIME_RANGE = "onset_interval";
  private static final String LAG = "lag_seconds";

  private final long factor;

  /**
   * @param minute what a minute takes; a whole part of 60 s
   */
  Pace(Duration minute) {
    factor = Duration.ofMinutes(1).dividedBy(minute);
  }

  /** How many times faster than the clock the judge's time passes. */
  int factor() {
    return (int) factor;
  }

  /** A time or a length of time, microseconds, as the judge takes it. */
  long judged(long micros) {
    return micros * factor;
  }

  long judged(Instant instant) {
    return judged(Micros.of(instant));
  }

  long judged(Duration duration) {
    return judged(Micros.of(duration));
  }

  /** The time, microseconds since the epoch, that the judge takes for another one. */
  long actual(long judgedMicros) {
    return Math.floorDiv(judgedMicros, factor);
  }

  MergedPane judged(MergedPane pane) {
    if (factor == 1) {
      return pane;
    }
    List<MergedPane.Series> series = new ArrayList<>(pane.series().size());
    for (MergedPane.Series one : pane.series()) {
      series.add(
          new MergedPane.Series(
              one.key(),
              one.total(),
              one.cells(),
              one.exemplars().stream().map(this::judged).toList()));
    }
    SortedMap<Long, Long> arrivals = new TreeMap<>();
    pane.arrivals().forEach((start, count) -> arrivals.put(judged(start), count));
    return new MergedPane(
        pane.deployment(),
        pane.kind(),
        judged(pane.startMicros()),
        judged(pane.endMicros()),
        List.copyOf(series),
        Collections.unmodifiableSortedMap(arrivals));
  }

  private Exemplar judged(Exemplar one) {
    return new Exemplar(
        one.hash(),
        one.requestId(),
        one.value(),
        one.cache(),
        one.batch(),
        one.promptClass(),
        one.node(),
        judged(one.atMicros()));
  }

  // By the constructors: a builder copies enums by a lookup of their class that Avro may refuse.
  ServingEvent judged(ServingEvent event) {
    return factor == 1
        ? event
        : new ServingEvent(
            event.getEventId(),
            stretched(event.getAt()),
            event.getDeployment(),
            event.getNode(),
            event.getKind(),
            event.getAttributes());
  }

  Decision judged(Decision decision) {
    return factor == 1
        ? decision
        : new Decision(
            decision.getDecisionId(),
            stretched(decision.getAt()),
            decision.getDeployment(),
            decision.getKind(),
            decision.getFindingId(),
            decision.getBaselineId(),
            decision.getConfigId(),
            decision.getFrom() == null ? null : stretched(decision.getFrom()),
            decision.getTo() == null ? null : stretched(decision.getTo()),
            decision.getBy(),
            decision.getWhy());
  }

  /** An evaluation has no enums, so its builder is safe. */
  EvalResult judged(EvalResult eval) {
    return factor == 1 ? eval : EvalResult.newBuilder(eval).setAt(stretched(eval.getAt())).build();
  }

  private Instant stretched(Instant instant) {
    return Micros.instant(judged(instant));
  }

  /** A finding as it is told: a copy with the times of the clock. */
  ObjectNode told(ObjectNode finding) {
    if (factor == 1) {
      return finding;
    }
    ObjectNode copy = finding.deepCopy();
    putRight(copy);
    return copy;
  }

  private void putRight(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> member : object.properties()) {
        @Nullable JsonNode right = right(member.getKey(), member.getValue());
        if (right == null) {
          putRight(member.getValue());
        } else {
          member.setValue(right);
        }
      }
    } else if (node instanceof ArrayNode array) {
      array.forEach(this::putRight);
    }
  }

  /** What stands for a time in place of a member; null when it holds none itself. */
  private @Nullable JsonNode right(String name, JsonNode value) {
    if (TIMES.contains(name) && value.isTextual()) {
      return actual(value);
    }
    if (name.equals(TIME_RANGE) && value instanceof ArrayNode range) {
      ArrayNode copy = range.arrayNode();
      range.forEach(time -> copy.add(actual(time)));
      return copy;
    }
    return name.equals(LAG) ? LongNode.valueOf(actual(value.asLong())) : null;
  }

  private TextNode actual(JsonNode time) {
    return TextNode.valueOf(Micros.text(actual(Micros.of(Instant.parse(time.asText())))));
  }
}

package io.servedrift.schemas;

import io.servedrift.schemas.avro.ConfigRecord;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;

/** The outcome of reading one item. Immutable but for the event, which nobody else holds. */
public sealed interface Reading {
  /**
   * The item is usable.
   *
   * @param event one of the public events, valid
   * @param registrations meanings of ids that the item gave inline; to be sent to the configs topic
   * @param unknownFields fields of the item that no schema knows: ignored
   * @param unknownNames paths of the first of them; a name that can be content is told by its
   *     length
   * @param cacheConflicts 1 when {@code cache.hit} contradicted the typed members (which won), else
   *     0
   */
  record Accepted(
      SpecificRecord event,
      List<ConfigRecord> registrations,
      int unknownFields,
      List<String> unknownNames,
      int cacheConflicts)
      implements Reading {
    public Accepted {
      registrations = List.copyOf(registrations);
      unknownNames = List.copyOf(unknownNames);
    }
  }

  /**
   * The item is not usable.
   *
   * @param reason code of a {@link RejectReason}: that of the first problem
   * @param problems everything that is wrong with it, at least one
   */
  record Rejected(String reason, List<Problem> problems) implements Reading {
    public Rejected {
      problems = List.copyOf(problems);
    }

    Rejected(RejectReason reason, String path, String value, String allowed) {
      this(reason.code(), List.of(new Problem(path, value, allowed)));
    }

    /** All problems in one line. */
    public String detail() {
      return problems.stream().map(Problem::text).collect(Collectors.joining("; "));
    }
  }
}

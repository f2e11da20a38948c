package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.PaneExemplar;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;

/**
 * One request of a series that stands for others of its cell: for people to look at. Chosen by hash
 * alone, so it says nothing about which requests are bad. Immutable.
 *
 * @param hash what it was chosen by, see {@link ExemplarSample#hash}; an unsigned number
 * @param value of the metric: seconds, 0/1, or score
 * @param cache bucket of this covariate, {@code unknown} where the request does not say; so are the
 *     next three
 * @param atMicros when the request finished, microseconds since the epoch
 */
public record Exemplar(
    long hash,
    String requestId,
    double value,
    String cache,
    String batch,
    String promptClass,
    String node,
    long atMicros) {

  /** By hash; the rest only so that the order is total whatever the producers send. */
  static final Comparator<Exemplar> ORDER =
      Comparator.<Exemplar>comparingLong(exemplar -> exemplar.hash + Long.MIN_VALUE)
          .thenComparing(Exemplar::requestId)
          .thenComparingLong(Exemplar::atMicros)
          .thenComparingDouble(Exemplar::value)
          .thenComparing(Exemplar::cache)
          .thenComparing(Exemplar::batch)
          .thenComparing(Exemplar::promptClass)
          .thenComparing(Exemplar::node);

  static Exemplar of(ServedRequest request, double value, long hash) {
    return new Exemplar(
        hash,
        request.requestId(),
        value,
        request.bucket(Covariate.CACHE),
        request.bucket(Covariate.BATCH),
        request.bucket(Covariate.PROMPT_CLASS),
        request.bucket(Covariate.NODE),
        request.finishedMicros());
  }

  static Exemplar fromAvro(PaneExemplar record) {
    return new Exemplar(
        record.getHash(),
        record.getRequestId(),
        record.getValue(),
        record.getCache(),
        record.getBatch(),
        record.getPromptClass(),
        record.getNode(),
        ServedRequest.micros(record.getAt()));
  }

  PaneExemplar toAvro() {
    return new PaneExemplar(
        hash,
        requestId,
        value,
        cache,
        batch,
        promptClass,
        node,
        Instant.EPOCH.plus(atMicros, ChronoUnit.MICROS));
  }
}

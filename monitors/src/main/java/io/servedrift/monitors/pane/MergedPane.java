package io.servedrift.monitors.pane;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.Cell;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A pane of one deployment after the merge over all partitions: what is judged. A function of the
 * set of records that count in it. Immutable.
 *
 * @param kind latency metrics and error ratio, or scores
 * @param startMicros inclusive, microseconds since the epoch
 * @param endMicros exclusive
 * @param series in series order, the deployment-wide series included
 * @param arrivals when the requests that count in this pane arrived: how many by the start of the
 *     arrival pane, microseconds since the epoch; none later than this pane, and those from more
 *     than 60 minutes before it at 60 minutes before. Empty for scores
 */
public record MergedPane(
    String deployment,
    PaneKind kind,
    long startMicros,
    long endMicros,
    List<Series> series,
    SortedMap<Long, Long> arrivals) {

  /** A pane of which the arrivals are not known. */
  public MergedPane(
      String deployment, PaneKind kind, long startMicros, long endMicros, List<Series> series) {
    this(
        deployment,
        kind,
        startMicros,
        endMicros,
        series,
        Collections.unmodifiableSortedMap(new TreeMap<>()));
  }

  /**
   * One series in a pane.
   *
   * @param total all values
   * @param cells joint cells and margins by their sorted {@code covariate=bucket} keys; histograms
   *     only
   * @param exemplars a sample of its requests, by hash: at most 3 per combination of cache and
   *     batch bucket and 24 in all, at least one of each
   */
  public record Series(
      SeriesKey key,
      ValueDistribution total,
      SortedMap<List<String>, ValueDistribution> cells,
      List<Exemplar> exemplars) {

    /** A series without exemplars. */
    public Series(
        SeriesKey key, ValueDistribution total, SortedMap<List<String>, ValueDistribution> cells) {
      this(key, total, cells, List.of());
    }
  }

  /** This pane as bytes: its place, then each series as the summary that stage 1 would write. */
  public byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeUTF(deployment);
      out.writeUTF(kind.name());
      out.writeLong(startMicros);
      out.writeLong(endMicros);
      out.writeInt(series.size());
      for (Series one : series) {
        byte[] summary = EventCodec.encode(summaryOf(one));
        out.writeInt(summary.length);
        out.write(summary);
      }
      out.writeInt(arrivals.size());
      for (Map.Entry<Long, Long> one : arrivals.entrySet()) {
        out.writeLong(one.getKey());
        out.writeLong(one.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  private PaneSummary summaryOf(Series one) {
    List<Cell> cells = new ArrayList<>(one.cells().size());
    one.cells().forEach((covariates, values) -> cells.add(new Cell(covariates, values.toAvro())));
    return PaneSummary.newBuilder()
        .setSourcePartition(0)
        .setDeployment(one.key().deployment())
        .setModelId(one.key().modelId())
        .setConfigId(one.key().configId())
        .setMetric(one.key().metric())
        .setKind(kind)
        .setStart(Instant.EPOCH.plus(startMicros, ChronoUnit.MICROS))
        .setEnd(Instant.EPOCH.plus(endMicros, ChronoUnit.MICROS))
        .setTotal(one.total().toAvro())
        .setCells(cells)
        .setFolded(Map.of())
        .setExemplars(one.exemplars().stream().map(Exemplar::toAvro).toList())
        .build();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException when the bytes are no such pane
   */
  public static MergedPane decode(byte[] encoded) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded));
    try {
      String deployment = in.readUTF();
      PaneKind kind = PaneKind.valueOf(in.readUTF());
      long start = in.readLong();
      long end = in.readLong();
      int count = in.readInt();
      List<Series> series = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        series.add(seriesOf((PaneSummary) EventCodec.decode(in.readNBytes(in.readInt()))));
      }
      SortedMap<Long, Long> arrivals = new TreeMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        arrivals.put(in.readLong(), in.readLong());
      }
      return new MergedPane(
          deployment,
          kind,
          start,
          end,
          List.copyOf(series),
          Collections.unmodifiableSortedMap(arrivals));
    } catch (IOException e) {
      throw new IllegalArgumentException("merged pane: ends too early or is no pane", e);
    }
  }

  private static Series seriesOf(PaneSummary summary) {
    SortedMap<List<String>, ValueDistribution> cells = new TreeMap<>(Cells.ORDER);
    for (Cell cell : summary.getCells()) {
      cells.put(
          List.copyOf(cell.getCovariates()), ValueDistribution.fromAvro(cell.getDistribution()));
    }
    SeriesKey key =
        new SeriesKey(
            summary.getDeployment(),
            summary.getModelId(),
            summary.getConfigId(),
            summary.getMetric());
    return new Series(
        key,
        ValueDistribution.fromAvro(summary.getTotal()),
        cells,
        summary.getExemplars().stream().map(Exemplar::fromAvro).toList());
  }
}

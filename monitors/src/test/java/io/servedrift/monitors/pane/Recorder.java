package io.servedrift.monitors.pane;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.WindowSummary;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;

/** Keeps what the core sends, in order. */
final class Recorder implements PaneSink, DeploymentAggregator.Output {
  final List<SpecificRecord> sent = new ArrayList<>();
  final List<Reading.Rejected> rejected = new ArrayList<>();
  final List<WindowSummary> windows = new ArrayList<>();
  final List<MergedPane> panes = new ArrayList<>();
  final List<Correction> corrections = new ArrayList<>();

  @Override
  public void pane(PaneSummary summary) {
    sent.add(summary);
  }

  @Override
  public void watermark(Watermark watermark) {
    sent.add(watermark);
  }

  @Override
  public void correction(Correction correction) {
    sent.add(correction);
    corrections.add(correction);
  }

  @Override
  public void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
    rejected.add(why);
  }

  @Override
  public void pane(MergedPane pane) {
    panes.add(pane);
  }

  @Override
  public void passed(PaneKind kind, long micros) {}

  @Override
  public void window(WindowSummary window) {
    windows.add(window);
  }

  List<PaneSummary> paneSummaries() {
    return sent.stream()
        .filter(PaneSummary.class::isInstance)
        .map(PaneSummary.class::cast)
        .toList();
  }

  /**
   * What panes carry beyond their windows, as text, in order of time and deployment: exemplars and
   * arrivals.
   */
  List<String> paneTexts() {
    List<String> texts = new ArrayList<>();
    for (MergedPane pane : panes) {
      String where = pane.kind() + " " + pane.startMicros() + " " + pane.deployment() + " ";
      texts.add(where + pane.arrivals());
      for (MergedPane.Series series : pane.series()) {
        texts.add(where + series.key() + " " + series.total().n() + " " + series.exemplars());
      }
    }
    texts.sort(null);
    return texts;
  }

  /** The windows as bytes, sorted: equal lists are equal sets of windows, bit for bit. */
  List<String> windowBytes() {
    return windows.stream()
        .map(window -> HexFormat.of().formatHex(EventCodec.encode(window)))
        .sorted()
        .toList();
  }
}

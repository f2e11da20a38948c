package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.WindowSummary;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.avro.specific.SpecificRecord;

/**
 * Stage 2 for the deployments of one partition of the panes topic: merges panes, rolls windows,
 * passes corrections on. Pure, as stage 1 is: the windows are a function of the panes and
 * watermarks, not of the order among partitions. Not thread-safe.
 */
public final class DeploymentAggregator {
  private final PaneMerger merger;
  private final Map<PaneKind, WindowRoller> rollers = new EnumMap<>(PaneKind.class);
  private final Output output;

  /** What comes out, in order. */
  public interface Output {
    /** A merged pane, before the windows that it closes. */
    void pane(MergedPane pane);

    /** Every pane of this kind that ends at or before {@code micros} has been given. */
    void passed(PaneKind kind, long micros);

    /** A closed window. */
    void window(WindowSummary window);

    /** A record that came too late for its pane. */
    void correction(Correction correction);
  }

  public DeploymentAggregator(
      PaneSettings settings,
      MetricLayouts layouts,
      Output output,
      StateJournal journal,
      Tally tally) {
    this.output = output;
    for (PaneKind kind : List.of(PaneKind.LATENCY, PaneKind.SCORE)) {
      rollers.put(kind, new WindowRoller(kind, settings, layouts, output::window, journal, tally));
    }
    this.merger =
        new PaneMerger(
            settings,
            layouts,
            new PaneMerger.Listener() {
              @Override
              public void merged(MergedPane pane) {
                output.pane(pane);
                roller(pane.kind()).add(pane);
              }

              @Override
              public void passed(PaneKind kind, long micros) {
                roller(kind).advance(micros);
                output.passed(kind, micros);
              }
            },
            journal,
            tally);
  }

  private WindowRoller roller(PaneKind kind) {
    WindowRoller roller = rollers.get(kind);
    if (roller == null) {
      throw new IllegalArgumentException("pane kind " + kind + ": must be LATENCY or SCORE");
    }
    return roller;
  }

  /**
   * Takes the next record of the panes topic.
   *
   * @throws UnusablePaneException when it is none of pane summary, watermark, correction, or a
   *     summary that does not fit the settings; nothing has changed then
   */
  public void accept(SpecificRecord record) {
    if (record instanceof PaneSummary summary) {
      merger.accept(summary);
    } else if (record instanceof Watermark watermark) {
      merger.accept(watermark);
    } else if (record instanceof Correction correction) {
      output.correction(correction);
    } else {
      throw new UnusablePaneException(
          "record "
              + record.getSchema().getName()
              + ": must be PaneSummary, Watermark or Correction");
    }
  }

  /**
   * Brings an empty aggregator to the state that its journal describes.
   *
   * @param journal all records by key
   */
  public void restore(SortedMap<String, byte[]> journal) {
    journal.forEach(
        (key, value) -> {
          boolean known = merger.restore(key, value);
          for (WindowRoller roller : rollers.values()) {
            known |= roller.restore(key, value);
          }
          if (!known) {
            throw new IllegalStateException("judge state: unknown key " + key);
          }
        });
    merger.restored();
  }
}

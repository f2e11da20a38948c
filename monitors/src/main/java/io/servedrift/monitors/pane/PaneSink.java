package io.servedrift.monitors.pane;

import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import org.jspecify.annotations.Nullable;

/** Where a {@link PartitionAggregator} sends what it decides, in the order of its decisions. */
public interface PaneSink {
  /** A closed pane of one series, as this partition saw it. */
  void pane(PaneSummary summary);

  /** Everything up to these times was sent. Always after the panes it speaks of. */
  void watermark(Watermark watermark);

  /** A record that came after its pane had closed. */
  void correction(Correction correction);

  /**
   * A well-formed record that cannot be used.
   *
   * @param why what, value, allowed
   * @param origin where it came from
   * @param payload the record as it came, null when it is no longer held
   * @param eventMicros its event time
   */
  void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload, long eventMicros);
}

package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Watermark;
import java.time.Duration;
import java.util.Arrays;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class MergedPaneTest {

  @Test
  void isEqualAfterEncoding_cellsInTheirOrder() {
    PaneSettings settings = PaneSettings.defaults();
    Recorder out = new Recorder();
    DeploymentAggregator stage2 =
        new DeploymentAggregator(
            settings, new MetricLayouts(), out, StateJournal.NONE, new Tally());
    Recorder parts = new Recorder();
    PartitionAggregator stage1 =
        new PartitionAggregator(0, 1, settings, new MetricLayouts(), parts, new Tally(), false);
    for (SpecificRecord event : TestEvents.traffic(3, Duration.ofMinutes(2), 20)) {
      Channel channel = event instanceof ScoreEvent ? Channel.SCORES : Channel.REQUESTS;
      stage1.accept(channel, event, "test", null);
    }
    for (Channel channel : Channel.values()) {
      stage1.accept(
          channel, TestEvents.tick(TestEvents.START.plus(Duration.ofMinutes(1))), "test", null);
      stage1.accept(
          channel, TestEvents.tick(TestEvents.START.plus(Duration.ofMinutes(9))), "test", null);
    }
    for (SpecificRecord record : parts.sent) {
      if (record instanceof PaneSummary || record instanceof Watermark) {
        stage2.accept(record);
      }
    }
    assertThat(out.panes).hasSizeGreaterThan(2);
    for (MergedPane pane : out.panes) {
      MergedPane read = MergedPane.decode(pane.encode());
      assertThat(read).isEqualTo(pane);
      assertThat(read.series().get(0).cells().keySet())
          .containsExactlyElementsOf(pane.series().get(0).cells().keySet())
          .isNotEmpty();
    }
    byte[] whole = out.panes.get(0).encode();
    assertThatThrownBy(() -> MergedPane.decode(Arrays.copyOf(whole, 11)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

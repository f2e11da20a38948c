package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.servedrift.monitors.testkit.PeerComparison.Metric;
import io.servedrift.monitors.testkit.ReferenceTraffic.Change;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import org.junit.jupiter.api.Test;

class PeerComparisonTest {
  private final ScenarioScorer scorer = new ScenarioScorer();

  @Test
  void countsTheAlarmsOfEachPeer_whenNothingGoesWrong() {
    new PeerComparison(Regime.REAL, 10, 20).addQuiet(Metric.CLIP, 70, 2, scorer);
    assertThat(scorer.rows()).hasSize(Peer.values().length);
    ScenarioScorer.Row ks = scorer.rows().get(Peer.KS.label());
    assertThat(ks.series()).isEqualTo(2);
    assertThat(ks.falseAlarms().months()).isCloseTo(0.2, offset(1e-9));
    assertThat(ks.falseAlarms().rate()).isGreaterThan(40);
    assertThat(scorer.rows().get(Peer.PSI.label()).falseAlarms().alarms()).isZero();
  }

  /** Known of the original: PSI never sees it, KS within some hours but among its false alarms. */
  @Test
  void measuresDelays_whenCacheHitsLoseClip() {
    int at = ReferenceTraffic.REFERENCE_MINUTES + 1_440;
    new PeerComparison(Regime.REAL, 10, 20)
        .addChanged(Metric.CLIP, Change.CACHE_CLIP, at, 80, 3, scorer);
    ScenarioScorer.Row psi = scorer.rows().get(Peer.PSI.label());
    assertThat(psi.detected().hits()).isZero();
    assertThat(psi.minutes().median()).isInfinite();
    ScenarioScorer.Row ks = scorer.rows().get(Peer.KS.label());
    assertThat(ks.detected().hits()).isEqualTo(3);
    assertThat(ks.minutes().median()).isBetween(1.0, 1_440.0);
    assertThat(ks.falseAlarms().alarms()).isGreaterThan(3);
    assertThat(ks.requests().median()).isBetween(ks.minutes().median(), 60 * ks.minutes().median());
  }
}

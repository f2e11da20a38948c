package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.attribution.Attribution.Contribution;
import io.servedrift.monitors.attribution.Attribution.RuledOut;
import io.servedrift.monitors.attribution.AttributionInput.Basis;
import io.servedrift.monitors.attribution.SimulatedTraffic.Fault;
import io.servedrift.monitors.attribution.Traffic.Request;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * A runtime that serves one request at a time without a cache is replaced by one that batches and
 * caches at three times the load, the weights the same: the predecessor has no cells like those of
 * the window.
 */
class MigrationTest {
  private static final Traffic PREDECESSOR = new SimulatedTraffic(21, 4).run(0, 2880, serial());

  private static Fault serial() {
    Fault fault = new Fault();
    fault.serial = true;
    return fault;
  }

  /** Whether a request is slower than 99 % of the predecessor's of its class. */
  private static double tail(Request r) {
    return r.logLatency() > Math.log(SimulatedTraffic.SECONDS[r.group()]) + .5 ? 1 : 0;
  }

  private static Attribution found(
      Measure measure, ToDoubleFunction<Request> value, Consumer<Fault> change, Changes changes) {
    Fault fault = new Fault();
    change.accept(fault);
    AttributionInput in =
        new SimulatedTraffic(22, 12)
            .run(500, 240, fault)
            .against(
                PREDECESSOR,
                LoadBuckets.of(PREDECESSOR.loads()),
                measure,
                value,
                SimulatedTraffic.GROUPS,
                SimulatedTraffic.NODES);
    return new Attributor()
        .attribute(
            new AttributionInput(
                in.reference(),
                in.referenceBlocks(),
                in.window(),
                in.windowBlocks(),
                Basis.PREDECESSOR,
                in.margins(),
                in.measure(),
                changes,
                in.eventLogBayesFactors()));
  }

  @Test
  void saysCacheWithBothCovariates_whenHitsInLargeBatchesLoseScore() {
    Attribution found =
        found(
            Measure.scoreMean().adjusted(-1),
            Request::clip,
            f -> f.clipHitInLargeBatch = -.03,
            new Changes(false, true, false));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.CACHE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("cache", "hit", "batch", "4+"));
    assertThat(found.contributing()).extracting(Contribution::cause).contains(Cause.BATCHING);
    assertThat(found.ruledOut()).extracting(RuledOut::cause).contains(Cause.MODEL);
  }

  @Test
  void saysBatching_whenMembersOfABatchSlowEachOther() {
    Attribution found =
        found(
            Measure.latencyExceedance().toward(1),
            MigrationTest::tail,
            f -> f.latencyLargeBatch = .4,
            new Changes(false, true, false));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.BATCHING);
    assertThat(found.verdict().mechanism()).isEqualTo(Mechanism.EFFECT);
    assertThat(found.verdict().where()).containsEntry("batch", "8+");
  }

  @Test
  void saysConfigChange_whenCleanPathMovedToo() {
    Attribution found =
        found(
            Measure.scoreMean().adjusted(-1),
            Request::clip,
            f -> f.clipAll = -.02,
            new Changes(false, true, false));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.CONFIG_CHANGE);
  }
}

package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.attribution.Attribution.Contribution;
import io.servedrift.monitors.attribution.Attribution.RuledOut;
import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.attribution.Attribution.Undecided.Reason;
import io.servedrift.monitors.attribution.SimulatedTraffic.Fault;
import io.servedrift.monitors.attribution.Traffic.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** One fault each, in traffic whose load and mix confound it. */
class ScenarioTest {
  private static final int REFERENCE_MINUTES = 3 * 1440;
  private static final int WINDOW_MINUTES = 240;
  private static final Traffic REFERENCE =
      new SimulatedTraffic(11, 12).run(0, REFERENCE_MINUTES, new Fault());
  private static final LoadBuckets BUCKETS = LoadBuckets.of(REFERENCE.loads());

  private static AttributionInput input(
      Measure measure, int from, ToDoubleFunction<Request> value, Consumer<Fault> change) {
    Fault fault = new Fault();
    change.accept(fault);
    Traffic window = new SimulatedTraffic(12, 12).run(from, WINDOW_MINUTES, fault);
    return window.against(
        REFERENCE, BUCKETS, measure, value, SimulatedTraffic.GROUPS, SimulatedTraffic.NODES);
  }

  private static Attribution clip(Consumer<Fault> change) {
    return clip(change, Changes.NONE);
  }

  private static Attribution clip(Consumer<Fault> change, Changes changes) {
    AttributionInput in = input(Measure.scoreMean().adjusted(-1), 500, Request::clip, change);
    return new Attributor()
        .attribute(
            new AttributionInput(
                in.reference(),
                in.referenceBlocks(),
                in.window(),
                in.windowBlocks(),
                in.basis(),
                in.margins(),
                in.measure(),
                changes,
                in.eventLogBayesFactors()));
  }

  private static Attribution latency(int from, Consumer<Fault> change) {
    return new Attributor()
        .attribute(input(Measure.latencyMean(), from, Request::logLatency, change));
  }

  private static void isEffect(Attribution found, Cause cause, Map<String, String> where) {
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(cause);
    assertThat(found.verdict().mechanism()).isEqualTo(Mechanism.EFFECT);
    assertThat(found.verdict().where()).isEqualTo(where);
    assertThat(found.verdict().confidence()).isBetween(.8, 1.0);
    assertThat(found.verdict().share()).isBetween(.45, 1.0);
  }

  private static void isExposure(Attribution found, Cause cause) {
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(cause);
    assertThat(found.verdict().mechanism()).isEqualTo(Mechanism.EXPOSURE);
  }

  @Test
  void saysTrafficMix_whenHitRateFellBecauseOtherPromptsCame() {
    Attribution found = latency(500, f -> f.mix = new double[] {-1.5, 0, .3, .8});
    isExposure(found, Cause.TRAFFIC_MIX);
    assertThat(found.ruledOut()).extracting(RuledOut::cause).contains(Cause.CACHE);
  }

  @Test
  void saysLoad_whenBatchesGrewBecauseLoadGrew() {
    // the peak of the day against all of it, the mix of the peak taken back
    Attribution found = latency(240, f -> f.mix = new double[] {-.25, .25, -.25, .25});
    isExposure(found, Cause.LOAD);
    assertThat(found.split().unseenLoad()).isLessThan(.2);
    assertThat(found.split().mediatedLoad().get(Cause.BATCHING))
        .isGreaterThan(.5 * found.split().mechanisms().get(Cause.LOAD));
  }

  @Test
  void saysLoad_whenLoadIsAboveAnythingSeen() {
    Attribution found = latency(500, f -> f.load = 1.6);
    isExposure(found, Cause.LOAD);
    assertThat(found.verdict().why()).contains("above the reference");
  }

  @Test
  void saysBatchingExposure_whenBatchLimitWasRaised() {
    Attribution found = latency(500, f -> f.batch = 2);
    isExposure(found, Cause.BATCHING);
    assertThat(found.verdict().where()).isEqualTo(Map.of("batch", "8+"));
  }

  @Test
  void saysCacheExposure_whenLikeRequestsHitLess() {
    Attribution found = latency(500, f -> f.hits = .2);
    isExposure(found, Cause.CACHE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("cache", "miss"));
  }

  @Test
  void saysCacheEffect_whenHitsGotWorse() {
    Attribution found = clip(f -> f.clipHit = -.03);
    isEffect(found, Cause.CACHE, Map.of("cache", "hit"));
    assertThat(found.ruledOut()).extracting(RuledOut::cause).contains(Cause.MODEL, Cause.BATCHING);
    CauseShare share = found.share(Cause.CACHE).orElseThrow();
    assertThat(share.effect()).isCloseTo(-.0073, within(.001));
    assertThat(share.interval().contains(share.contribution())).isTrue();
  }

  @Test
  void namesBothCovariates_whenOnlyHitsInLargerBatchesGotWorse() {
    Attribution found = clip(f -> f.clipHitInLargeBatch = -.03);
    isEffect(found, Cause.CACHE, Map.of("cache", "hit", "batch", "4+"));
  }

  @Test
  void saysBatchingEffect_whenLargeBatchesGotWorse() {
    isEffect(clip(f -> f.clipLargeBatch = -.04), Cause.BATCHING, Map.of("batch", "8+"));
  }

  @Test
  void saysSchedulingEffect_whenPreemptedRequestsGotWorse() {
    isEffect(clip(f -> f.clipPreempted = -.1), Cause.SCHEDULING, Map.of("preempted", "yes"));
  }

  @Test
  void saysNode_whenOneNodeGotWorse() {
    isEffect(clip(f -> f.clipNode0 = -.03), Cause.NODE, Map.of("node", "node0"));
  }

  @Test
  void saysInconclusive_whenEveryHitIsInALargeBatch() {
    Attribution found =
        clip(
            f -> {
              f.hitsAlwaysBatched = true;
              f.clipHit = -.03;
            });
    assertThat(found.verdict().cause()).isEqualTo(Cause.INCONCLUSIVE);
    Undecided why = Objects.requireNonNull(found.verdict().undecided());
    assertThat(why.reason()).isEqualTo(Reason.COLLINEAR);
    assertThat(why.between()).containsExactlyInAnyOrder(Cause.CACHE, Cause.BATCHING);
    assertThat(why.requestsPresent()).isZero();
    assertThat(why.requestsMissing()).isBetween(10L, 2000L);
    assertThat(found.contributing())
        .extracting(Contribution::cause)
        .contains(Cause.CACHE, Cause.BATCHING);
  }

  @Test
  void saysUnexplained_whenCleanPathMovedAndNothingChanged() {
    Attribution found = clip(f -> f.clipAll = -.02);
    isEffect(found, Cause.UNEXPLAINED, Map.of());
    assertThat(found.verdict().why()).contains("not recorded").doesNotContain("regressed");
    assertThat(found.cleanPath().moved(found.split().within())).isTrue();
  }

  @Test
  void saysModel_whenCleanPathMovedAndModelChanged() {
    Attribution found = clip(f -> f.clipAll = -.02, new Changes(true, false, false));
    isEffect(found, Cause.MODEL, Map.of());
    assertThat(found.ruledOut()).extracting(RuledOut::cause).doesNotContain(Cause.MODEL);
  }

  @Test
  void saysCache_whenHitsGotWorseAlthoughModelChanged() {
    Attribution found = clip(f -> f.clipHit = -.03, new Changes(true, true, false));
    isEffect(found, Cause.CACHE, Map.of("cache", "hit"));
    assertThat(found.ruledOut()).extracting(RuledOut::cause).contains(Cause.MODEL);
  }

  @Test
  void saysConfigChangeWithItsClass_whenOneClassGotWorseUnderANewConfiguration() {
    Attribution found = clip(f -> f.clipGroup0 = -.02, new Changes(false, true, false));
    isEffect(found, Cause.CONFIG_CHANGE, Map.of("prompt_class", "g0"));
  }

  @Test
  void saysScorerChange_whenScorerChanged() {
    Attribution found = clip(f -> f.clipHit = -.03, new Changes(false, false, true));
    assertThat(found.verdict().cause()).isEqualTo(Cause.SCORER_CHANGE);
    assertThat(found.contributing()).isEmpty();
  }

  @Test
  void saysTooSmall_whenNothingChanged() {
    AttributionInput input =
        input(Measure.scoreMean().withSmallestEffect(.003), 500, Request::clip, f -> {});
    Attribution found = new Attributor().attribute(input);
    assertThat(found.verdict().cause()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(Objects.requireNonNull(found.verdict().undecided()).reason())
        .isEqualTo(Reason.TOO_SMALL);
  }

  @Test
  void saysNoOverlap_whenReferenceHasNoSuchCells() {
    AttributionInput in =
        input(Measure.scoreMean().adjusted(-1), 500, Request::clip, f -> f.clipHit = -.03);
    Traffic noHits =
        new Traffic(
            REFERENCE.minutes(),
            REFERENCE.requests().stream().filter(r -> r.batch() == 1 && !r.hit()).toList());
    AttributionInput thin =
        new SimulatedTraffic(12, 12)
            .run(500, WINDOW_MINUTES, new Fault())
            .against(
                noHits,
                BUCKETS,
                in.measure(),
                Request::clip,
                SimulatedTraffic.GROUPS,
                SimulatedTraffic.NODES);
    Undecided why = Objects.requireNonNull(new Attributor().attribute(thin).verdict().undecided());
    assertThat(why.reason()).isEqualTo(Reason.NO_OVERLAP);
    assertThat(why.between()).isEqualTo(List.of());
  }

  @Test
  void findsTheMargin_whenOnlyRequestsOfOneTierGotWorse() {
    AttributionInput in =
        input(Measure.scoreMean().adjusted(-1), 500, Request::clip, f -> f.clipAll = -.009);
    double n = in.window().requests();
    double variance = .03 * .03 / (.3 * n) + .03 * .03 / 9000;
    List<Margin> margins =
        List.of(new Margin("composition", "joined", Cause.BATCHING, .3 * n, -.021, variance));
    Attribution found =
        new Attributor()
            .attribute(
                new AttributionInput(
                    in.reference(),
                    in.referenceBlocks(),
                    in.window(),
                    in.windowBlocks(),
                    in.basis(),
                    margins,
                    in.measure(),
                    in.changes(),
                    in.eventLogBayesFactors()));
    isEffect(found, Cause.BATCHING, Map.of("composition", "joined"));
  }

  /** Both leave nearly nothing to the others: the one that leaves less, not the first. */
  @Test
  void namesTheLevelThatLeavesLess_inEitherOrder() {
    AttributionInput in =
        input(Measure.scoreMean().adjusted(-1), 500, Request::clip, f -> f.clipAll = -.009);
    double n = in.window().requests();
    List<Margin> margins = new ArrayList<>();
    for (double relative : new double[] {-.0210, -.0207}) {
      String level = relative < -.0208 ? "joined" : "left";
      margins.add(new Margin("composition", level, Cause.BATCHING, .3 * n, relative, 1e-6));
    }
    Map<String, String> first = where(in, margins);
    Collections.reverse(margins);
    assertThat(first).containsKey("composition").isEqualTo(where(in, margins));
  }

  private static Map<String, String> where(AttributionInput in, List<Margin> margins) {
    return new Attributor()
        .attribute(
            new AttributionInput(
                in.reference(),
                in.referenceBlocks(),
                in.window(),
                in.windowBlocks(),
                in.basis(),
                List.copyOf(margins),
                in.measure(),
                in.changes(),
                in.eventLogBayesFactors()))
        .verdict()
        .where();
  }

  /** Hits got worse, and a level of hits by type holds so many of them that moved so far. */
  private static Attribution hitsWithType(double part, double relative) {
    AttributionInput in =
        input(Measure.scoreMean().adjusted(-1), 500, Request::clip, f -> f.clipHit = -.03);
    double hits = .245 * in.window().requests() * part;
    return new Attributor()
        .attribute(
            new AttributionInput(
                in.reference(),
                in.referenceBlocks(),
                in.window(),
                in.windowBlocks(),
                in.basis(),
                List.of(new Margin("conditioning", "hit", Cause.CACHE, hits, relative, 1e-6)),
                in.measure(),
                in.changes(),
                in.eventLogBayesFactors()));
  }

  @Test
  void namesThePlainCell_whenATypeOfHitExplainsTheSameRequests() {
    isEffect(hitsWithType(.95, -.0225), Cause.CACHE, Map.of("cache", "hit"));
    isEffect(hitsWithType(.7, -.0225), Cause.CACHE, Map.of("cache", "hit"));
  }

  @Test
  void namesTheTypeOfHit_whenTheOtherHitsStayed() {
    Attribution found = hitsWithType(.5, -.052);
    isEffect(found, Cause.CACHE, Map.of("conditioning", "hit"));
    assertThat(found.verdict().why())
        .matches(
            "requests with conditioning=hit account for -0\\.0\\d+ of the -0\\.0\\d+ like for"
                + " like; the others moved by [+-]?0\\.0\\d+");
  }

  @Test
  void doesNotOverrideCells_whenAnEventSpeaksForAnotherCause() {
    AttributionInput in =
        input(Measure.scoreMean().adjusted(-1), 500, Request::clip, f -> f.clipHit = -.03);
    Attribution found =
        new Attributor()
            .attribute(
                new AttributionInput(
                    in.reference(),
                    in.referenceBlocks(),
                    in.window(),
                    in.windowBlocks(),
                    in.basis(),
                    in.margins(),
                    in.measure(),
                    in.changes(),
                    Map.of(Cause.BATCHING, 5.0)));
    isEffect(found, Cause.CACHE, Map.of("cache", "hit"));
  }
}

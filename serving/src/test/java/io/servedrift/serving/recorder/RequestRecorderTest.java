package io.servedrift.serving.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class RequestRecorderTest {

  private static final Instant ARRIVAL = Instant.parse("2026-11-30T12:00:00.123456789Z");

  private final AtomicLong nanos = new AtomicLong(7);

  private RequestRecorder recorder(Observed... observed) {
    Set<Observed> set = EnumSet.noneOf(Observed.class);
    set.addAll(List.of(observed));
    ServingIdentity identity = new ServingIdentity("image-gen", "gpu-0", "c1", "m1", set);
    return new RequestRecorder(() -> identity, "r-1", InstantSource.fixed(ARRIVAL), nanos::get);
  }

  private void pass(long millis) {
    nanos.addAndGet(Duration.ofMillis(millis).toNanos());
  }

  /** A request that waited while the configuration changed was made under the new one. */
  @Test
  void carriesWhatWasInForce_whenItWasAdmittedFirst() {
    AtomicReference<ServingIdentity> inForce = new AtomicReference<>(identity("at arrival"));
    RequestRecorder recorder = new RequestRecorder(inForce::get, "r-1");
    inForce.set(identity("at admission"));
    recorder.admitted(1, 0);
    inForce.set(identity("later"));
    recorder.admitted(1, 0);

    assertThat(recorder.finish(Ending.ok("stop")).orElseThrow().getConfigId())
        .isEqualTo("at admission");
  }

  @Test
  void carriesWhatIsInForceAtTheEnd_whenItWasNeverAdmitted() {
    AtomicReference<ServingIdentity> inForce = new AtomicReference<>(identity("at arrival"));
    RequestRecorder recorder = new RequestRecorder(inForce::get, "r-1");
    inForce.set(identity("at the end"));

    assertThat(recorder.finish(Ending.timeout()).orElseThrow().getConfigId())
        .isEqualTo("at the end");
  }

  private static ServingIdentity identity(String configId) {
    return new ServingIdentity("image-gen", "gpu-0", configId, "m1", Set.of());
  }

  @Test
  void measuresTimes_whenRequestRuns() {
    RequestRecorder recorder = recorder();
    pass(120);
    recorder.admitted(17, 3);
    pass(80);
    recorder.firstToken();
    RequestRecorder.Stage stage = recorder.stage("denoise");
    pass(2950);
    stage.close();
    stage.close();
    recorder.addStage("denoise", Duration.ofMillis(50));
    pass(260);
    RequestEvent event = recorder.finish(Ending.ok("stop")).orElseThrow();

    assertThat(event.getArrivedAt()).isEqualTo(Instant.parse("2026-11-30T12:00:00.123456Z"));
    assertThat(event.getFinishedAt()).isEqualTo(Instant.parse("2026-11-30T12:00:03.533456Z"));
    assertThat(event.getLatencySeconds()).isEqualTo(3.41);
    assertThat(event.getQueueSeconds()).isEqualTo(0.12);
    assertThat(event.getInferenceSeconds()).isCloseTo(3.29, within(1e-9));
    assertThat(event.getTimeToFirstTokenSeconds()).isEqualTo(0.2);
    assertThat(event.getStageSeconds()).containsEntry("denoise", 3.0).hasSize(1);
    assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
    assertThat(event.getFinishReason()).isEqualTo("stop");
    assertThat(event.getBatch().getRunning()).isEqualTo(17);
    assertThat(event.getBatch().getWaiting()).isEqualTo(3);
  }

  @Test
  void chargesARequestItsPartOfASharedStage() {
    RequestRecorder recorder = recorder();
    recorder.addStage("text_encode", Duration.ofMillis(30));
    recorder.addStage("denoise", Duration.ofMillis(400), 4);
    recorder.addStage("denoise", Duration.ofMillis(300), 2);

    assertThat(recorder.computeSeconds()).isCloseTo(.03 + .1 + .15, within(1e-9));
    // The stage itself lasted all the time.
    assertThat(recorder.finish(Ending.ok("stop")).orElseThrow().getStageSeconds())
        .containsEntry("denoise", .7);
  }

  @Test
  void leavesUnknownAbsent_whenNothingWasObserved() {
    RequestEvent event = recorder().finish(Ending.ok(null)).orElseThrow();

    assertThat(event.getBatch()).isNull();
    assertThat(event.getCache()).isNull();
    assertThat(event.getScheduling()).isNull();
    assertThat(event.getQueueSeconds()).isNull();
    assertThat(event.getInferenceSeconds()).isNull();
    assertThat(event.getTimeToFirstTokenSeconds()).isNull();
  }

  @Test
  void recordsZero_whenObservedThingsDidNotHappen() {
    RequestEvent event = recorder(Observed.values()).finish(Ending.ok(null)).orElseThrow();

    assertThat(event.getBatch().getJoined()).isZero();
    assertThat(event.getBatch().getLeft()).isZero();
    assertThat(event.getBatch().getSizeMean()).isNull();
    assertThat(event.getScheduling().getPreemptions()).isZero();
    assertThat(event.getScheduling().getPreemptedSeconds()).isZero();
    assertThat(event.getCache().getDenoise().getCachedSteps()).isZero();
    assertThat(event.getCache().getHit()).isNull();
  }

  @Test
  void describesBatch_whenStepsRunAndNeighboursChange() {
    RequestRecorder recorder = recorder();
    recorder.neighbour("r-2", List.of("style-a"));
    for (int i = 0; i < 4; i++) {
      recorder.step(1);
    }
    recorder.neighbourJoined("r-3", List.of("style-a", "style-b"));
    recorder.neighbourLeft();
    for (int i = 0; i < 24; i++) {
      recorder.step(8);
    }
    RequestEvent event = recorder.finish(Ending.ok(null)).orElseThrow();

    assertThat(event.getBatch().getSegments())
        .containsExactly(new BatchSegment(1, 4), new BatchSegment(8, 24));
    assertThat(event.getBatch().getSizeMin()).isEqualTo(1);
    assertThat(event.getBatch().getSizeMax()).isEqualTo(8);
    assertThat(event.getBatch().getSizeMean()).isEqualTo((4 + 8 * 24) / 28.0);
    assertThat(event.getBatch().getJoined()).isEqualTo(1);
    assertThat(event.getBatch().getLeft()).isEqualTo(1);
    assertThat(event.getBatch().getNeighbours()).containsExactly("r-2", "r-3");
    assertThat(event.getBatch().getNeighbourAdapters()).isEqualTo(2);
  }

  @Test
  void addsUpPreemptions_whenRequestEndsWhilePreempted() {
    RequestRecorder recorder = recorder();
    recorder.preempted();
    recorder.preempted();
    pass(100);
    recorder.resumed();
    pass(1000);
    recorder.preempted();
    pass(50);
    recorder.stalledStep();
    RequestEvent event = recorder.finish(Ending.cancelled()).orElseThrow();

    assertThat(event.getScheduling().getPreemptions()).isEqualTo(2);
    assertThat(event.getScheduling().getPreemptedSeconds()).isEqualTo(0.15);
    assertThat(event.getScheduling().getStalledSteps()).isEqualTo(1);
    assertThat(event.getScheduling().getPriority()).isNull();
    assertThat(event.getStatus()).isEqualTo(RequestStatus.CANCELLED);
  }

  @Test
  void recordsCaches_whenTheyReport() {
    RequestRecorder recorder = recorder();
    recorder.cacheHit(true);
    recorder.conditioningCache(CacheOutcome.HIT);
    recorder.negativeCache(CacheOutcome.MISS);
    recorder.adapterCache(CacheOutcome.BYPASS);
    recorder.prefixCache(1024, 256, 0);
    recorder.denoiseStep(true);
    recorder.denoiseStep(false);
    recorder.denoiseStep(false);
    recorder.cacheEntryAge(Duration.ofSeconds(12));
    recorder.evictions(2);
    RequestEvent event = recorder.finish(Ending.ok(null)).orElseThrow();

    assertThat(event.getCache().getConditioning()).isEqualTo(CacheOutcome.HIT);
    assertThat(event.getCache().getNegative()).isEqualTo(CacheOutcome.MISS);
    assertThat(event.getCache().getAdapter()).isEqualTo(CacheOutcome.BYPASS);
    assertThat(event.getCache().getPrefix().getDeviceTokens()).isEqualTo(1024);
    assertThat(event.getCache().getPrefix().getHostTokens()).isEqualTo(256);
    assertThat(event.getCache().getPrefix().getStorageTokens()).isZero();
    assertThat(event.getCache().getDenoise().getCachedSteps()).isEqualTo(1);
    assertThat(event.getCache().getDenoise().getExecutedSteps()).isEqualTo(2);
    assertThat(event.getCache().getEntryAgeSeconds()).isEqualTo(12.0);
    assertThat(event.getCache().getEvictions()).isEqualTo(2);
  }

  @Test
  void recordsClassOfErrorOnly_whenRequestFails() {
    RequestEvent event =
        recorder()
            .finish(Ending.error(new IllegalStateException("prompt: a secret castle")))
            .orElseThrow();

    assertThat(event.getStatus()).isEqualTo(RequestStatus.ERROR);
    assertThat(event.getError()).isEqualTo("java.lang.IllegalStateException");
    assertThat(event.toString()).doesNotContain("castle");
  }

  @Test
  void offersEventOnce_whenFinishedTwice() {
    List<SpecificRecord> offered = new ArrayList<>();
    EventSink sink = sink(offered, true);
    RequestRecorder recorder = recorder();

    assertThat(recorder.finish(Ending.ok(null), sink)).isTrue();
    recorder.step(4);
    assertThat(recorder.finish(Ending.timeout(), sink)).isFalse();
    assertThat(recorder().finish(Ending.ok(null), sink(new ArrayList<>(), false))).isFalse();
    assertThat(offered).hasSize(1);
    assertThat(((RequestEvent) offered.get(0)).getStatus()).isEqualTo(RequestStatus.OK);
  }

  @Test
  void losesNothing_whenManyThreadsReport() throws Exception {
    RequestRecorder recorder = recorder();
    int threads = 4;
    int each = 5_000;
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger failures = new AtomicInteger();
    List<Thread> workers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      Thread worker =
          new Thread(
              () -> {
                try {
                  go.await();
                  for (int i = 0; i < each; i++) {
                    recorder.step(3);
                    recorder.stalledStep();
                    recorder.denoiseStep(i % 2 == 0);
                  }
                } catch (InterruptedException e) {
                  failures.incrementAndGet();
                }
              });
      workers.add(worker);
      worker.start();
    }
    go.countDown();
    for (Thread worker : workers) {
      worker.join();
    }
    RequestEvent event = recorder.finish(Ending.ok(null)).orElseThrow();

    assertThat(failures).hasValue(0);
    assertThat(event.getBatch().getSegments()).containsExactly(new BatchSegment(3, threads * each));
    assertThat(event.getScheduling().getStalledSteps()).isEqualTo(threads * each);
    assertThat(event.getCache().getDenoise().getCachedSteps()).isEqualTo(threads * each / 2);
  }

  @Property(tries = 200)
  void makesEventThatEveryReaderAccepts_whateverHappens(
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 15) Integer> happenings,
      @ForAll Set<Observed> observed) {
    nanos.set(0);
    RequestRecorder recorder = recorder(observed.toArray(Observed[]::new));
    int at = 0;
    for (int what : happenings) {
      at++;
      pass(at % 7);
      switch (what) {
        case 0 -> recorder.admitted(at, 1);
        case 1 -> recorder.firstToken();
        case 2 -> recorder.addStage("stage-" + at, Duration.ofMillis(at));
        case 3 -> recorder.step(1 + at % 16);
        case 4 -> recorder.neighbourJoined("n-" + at, List.of("a-" + at % 3));
        case 5 -> recorder.neighbourLeft();
        case 6 -> recorder.preempted();
        case 7 -> recorder.resumed();
        case 8 -> recorder.score("score-" + at, at / 3.0, "scorer@1");
        case 9 -> recorder.score("nan", Double.NaN, "scorer@1");
        case 10 -> recorder.denoiseStep(at % 2 == 0);
        case 11 -> recorder.cacheHit(true);
        case 12 -> recorder.prefixCache(at, 0, 0);
        case 13 -> recorder.output("ab12", at);
        case 14 -> recorder.priority(-at);
        default -> {
          for (int i = 0; i < 400; i++) {
            recorder.neighbour("m-" + i, List.of());
            recorder.step(1 + i);
          }
        }
      }
    }
    RequestEvent event = recorder.finish(Ending.ok(null)).orElseThrow();

    Reading reading = new EventReader().read(EventCodec.encode(event));
    assertThat(reading).isInstanceOf(Reading.Accepted.class);
    assertThat(Duration.between(event.getArrivedAt(), event.getFinishedAt()).toNanos() / 1e9)
        .isCloseTo(event.getLatencySeconds(), within(1e-9));
  }

  private static EventSink sink(List<SpecificRecord> offered, boolean takes) {
    return new EventSink() {
      @Override
      public boolean offer(SpecificRecord event) {
        return takes && offered.add(event);
      }

      @Override
      public CompletableFuture<Published> publish(SpecificRecord event) {
        throw new UnsupportedOperationException("the recorder does not wait");
      }
    };
  }
}

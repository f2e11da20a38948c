package io.servedrift.serving.score;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.serving.generation.ImageOutput;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AsyncScorerTest {

  private static final Instant NOW = Instant.parse("2026-11-30T10:00:03.123456789Z");
  private static final ImageOutput IMAGE = new ImageOutput(2, 1, new byte[6]);

  private final RecordingSink sink = new RecordingSink();
  private final AtomicLong nanos = new AtomicLong(5);

  private static AsyncScorerSettings settings(int waiting, long bytes, int batch, Duration drain) {
    return new AsyncScorerSettings("image-gen", 1, waiting, bytes, batch, drain);
  }

  private static final AsyncScorerSettings ROOMY = settings(100, 1000, 4, Duration.ofSeconds(20));

  private AsyncScorer asyncScorer(Scorer scorer, AsyncScorerSettings settings) {
    return new AsyncScorer(scorer, sink, settings, InstantSource.fixed(NOW), nanos::get);
  }

  @Test
  void publishesEachScore_whenScored() throws Exception {
    GatedScorer scorer = GatedScorer.shut();
    try (AsyncScorer async = asyncScorer(scorer, ROOMY)) {
      assertThat(async.offer("r-1", "0.25", IMAGE)).isTrue();
      await().until(() -> scorer.batches.size() == 1);
      nanos.addAndGet(Duration.ofMillis(1500).toNanos());
      scorer.gate.release();
      await().until(() -> async.counts().scored() == 1);

      AsyncScorerCounts counts = async.counts();
      assertThat(counts.delay()).isEqualTo(Duration.ofMillis(1500));
      assertThat(counts.busy()).isEqualTo(Duration.ofMillis(1500));
      assertThat(counts.eventsAccepted()).isEqualTo(2);
    }
    assertThat(sink.events).hasSize(2);
    ScoreEvent aesthetic = (ScoreEvent) sink.events.get(0);
    ScoreEvent clip = (ScoreEvent) sink.events.get(1);
    assertThat(aesthetic.getName()).isEqualTo("aesthetic");
    assertThat(aesthetic.getValue()).isEqualTo(5.5);
    assertThat(clip.getName()).isEqualTo("clip");
    assertThat(clip.getValue()).isEqualTo(0.25);
    assertThat(clip.getRequestId()).isEqualTo("r-1");
    assertThat(clip.getDeployment()).isEqualTo("image-gen");
    assertThat(clip.getScorer()).isEqualTo("test@12345678");
    assertThat(clip.getScoredAt()).isEqualTo(Instant.parse("2026-11-30T10:00:03.123456Z"));
    assertThat(EventCodec.encode(clip)).isNotEmpty();
  }

  @Test
  void skips_whenNotSelected() {
    // r-1 lies at 0.648, r-2 at 0.129.
    try (AsyncScorer async = asyncScorer(GatedScorer.open(), ROOMY.withShare(0.5))) {
      assertThat(async.offer("r-1", "0.1", IMAGE)).isFalse();
      assertThat(async.offer("r-2", "0.2", IMAGE)).isTrue();
      await().until(() -> async.counts().scored() == 1);

      assertThat(async.counts().skipped()).isEqualTo(1);
    }
    assertThat(sink.events).extracting(e -> ((ScoreEvent) e).getRequestId()).containsOnly("r-2");
  }

  @Test
  void dropsTheNewest_whenTooManyWait() {
    GatedScorer scorer = GatedScorer.shut();
    try (AsyncScorer async = asyncScorer(scorer, settings(2, 1000, 4, Duration.ofSeconds(20)))) {
      async.offer("r-0", "0.0", IMAGE);
      await().until(() -> async.counts().running() == 1);
      assertThat(async.offer("r-1", "0.1", IMAGE)).isTrue();
      assertThat(async.offer("r-2", "0.2", IMAGE)).isTrue();
      assertThat(async.offer("r-3", "0.3", IMAGE)).isFalse();

      assertThat(async.counts().waiting()).isEqualTo(2);
      assertThat(async.counts().dropped(ScoreDropReason.QUEUE_FULL)).isEqualTo(1);
      scorer.gate.release(2);
    }
    assertThat(sink.events)
        .extracting(e -> ((ScoreEvent) e).getRequestId())
        .containsExactly("r-0", "r-0", "r-1", "r-1", "r-2", "r-2");
  }

  @Test
  void drops_whenTooManyBytesWait() {
    GatedScorer scorer = GatedScorer.shut();
    try (AsyncScorer async = asyncScorer(scorer, settings(99, 14, 4, Duration.ofSeconds(20)))) {
      async.offer("r-0", "0.0", IMAGE);
      await().until(() -> async.counts().running() == 1);
      assertThat(async.offer("r-1", "0.1", IMAGE)).isTrue();
      assertThat(async.offer("r-2", "0.2", IMAGE)).isTrue();
      assertThat(async.offer("r-3", "0.3", IMAGE)).isFalse();

      assertThat(async.counts().waitingBytes()).isEqualTo(12);
      assertThat(async.counts().dropped(ScoreDropReason.QUEUE_FULL)).isEqualTo(1);
      scorer.gate.release(2);
    }
  }

  @Test
  void scoresTogether_whatWaits() {
    GatedScorer scorer = GatedScorer.shut();
    try (AsyncScorer async = asyncScorer(scorer, ROOMY)) {
      async.offer("r-0", "0.0", IMAGE);
      await().until(() -> scorer.batches.size() == 1);
      for (int i = 1; i <= 6; i++) {
        async.offer("r-" + i, "0.5", IMAGE);
      }
      scorer.gate.release(3);
      await().until(() -> async.counts().scored() == 7);

      assertThat(scorer.batches).containsExactly(1, 4, 2);
      assertThat(async.counts().batches()).isEqualTo(3);
    }
  }

  @Test
  void goesOn_whenScoringFails() {
    Logger logger = (Logger) LoggerFactory.getLogger(AsyncScorer.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try (AsyncScorer async = asyncScorer(GatedScorer.open(), ROOMY)) {
      async.offer("r-1", "fail: a secret prompt", IMAGE);
      await().until(() -> async.counts().dropped(ScoreDropReason.SCORING_FAILED) == 1);
      async.offer("r-2", "fail again", IMAGE);
      await().until(() -> async.counts().dropped(ScoreDropReason.SCORING_FAILED) == 2);
      async.offer("r-3", "0.3", IMAGE);
      await().until(() -> async.counts().scored() == 1);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("scoring 1 image(s) failed: java.lang.IllegalStateException");
    assertThat(log.list.get(0).getThrowableProxy()).isNull();
  }

  @Test
  void drops_whenScoreIsNotFinite() {
    try (AsyncScorer async = asyncScorer(GatedScorer.open(), ROOMY)) {
      async.offer("r-1", "NaN", IMAGE);
      await().until(() -> async.counts().dropped(ScoreDropReason.NOT_FINITE) == 1);
    }
    assertThat(sink.events).isEmpty();
  }

  @Test
  void drops_whenImageIsNotWhole() {
    try (AsyncScorer async = asyncScorer(GatedScorer.open(), ROOMY)) {
      assertThat(async.offer("r-1", "0.1", new ImageOutput(2, 2, new byte[6]))).isFalse();

      assertThat(async.counts().dropped(ScoreDropReason.INVALID_IMAGE)).isEqualTo(1);
    }
  }

  @Test
  void countsEvents_whenSinkRefuses() {
    sink.refuses = true;
    try (AsyncScorer async = asyncScorer(GatedScorer.open(), ROOMY)) {
      async.offer("r-1", "0.1", IMAGE);
      await().until(() -> async.counts().scored() == 1);

      assertThat(async.counts().eventsRefused()).isEqualTo(2);
      assertThat(async.counts().eventsAccepted()).isZero();
    }
  }

  @Test
  void scoresWhatWaits_whenClosed() {
    GatedScorer scorer = GatedScorer.shut();
    AsyncScorer async = asyncScorer(scorer, ROOMY);
    for (int i = 0; i < 9; i++) {
      async.offer("r-" + i, "0.1", IMAGE);
    }
    scorer.gate.release(9);
    async.close();

    assertThat(async.counts().scored()).isEqualTo(9);
    assertThat(sink.events).hasSize(18);
    assertThat(async.offer("r-9", "0.1", IMAGE)).isFalse();
    assertThat(async.counts().dropped(ScoreDropReason.CLOSED)).isEqualTo(1);
  }

  @Test
  void countsWhatIsLeft_whenDrainingTakesTooLong() {
    GatedScorer scorer = GatedScorer.shut();
    AsyncScorer async = asyncScorer(scorer, settings(100, 1000, 4, Duration.ofMillis(20)));
    async.offer("r-0", "0.1", IMAGE);
    await().until(() -> async.counts().running() == 1);
    async.offer("r-1", "0.1", IMAGE);
    async.offer("r-2", "0.1", IMAGE);
    async.close();
    AsyncScorerCounts counts = async.counts();

    assertThat(counts.dropped(ScoreDropReason.CLOSED)).isEqualTo(3);
    assertThat(counts.waiting()).isZero();
    assertThat(counts.running()).isZero();
    assertThat(counts.waitingBytes()).isZero();

    // The batch that was running ends after all, and is not counted twice.
    scorer.gate.release();
    await().atMost(20, SECONDS).until(() -> async.counts().batches() == 1);
    assertThat(async.counts().scored()).isZero();
    assertThat(async.counts().dropped()).isEqualTo(Map.of(ScoreDropReason.CLOSED, 3L));
    assertThat(sink.events).isEmpty();
  }

  @Property(tries = 60)
  void accountsForEveryImage(
      @ForAll @Size(max = 40) List<@IntRange(max = 9) Integer> kinds,
      @ForAll @IntRange(min = 1, max = 6) int maxWaiting,
      @ForAll @DoubleRange(min = 0, max = 1) double share)
      throws InterruptedException {
    // One test object serves all tries.
    sink.events.clear();
    AsyncScorer async =
        asyncScorer(
            GatedScorer.open(),
            settings(maxWaiting, 30, 3, Duration.ofSeconds(20)).withShare(share));
    Thread other = new Thread(() -> offerAll(async, "a", kinds));
    other.start();
    offerAll(async, "b", kinds);
    assertLaw(async.counts());
    other.join();
    async.close();

    AsyncScorerCounts counts = async.counts();
    assertLaw(counts);
    assertThat(counts.offered()).isEqualTo(2L * kinds.size());
    assertThat(counts.waiting() + counts.running()).isZero();
    assertThat(counts.eventsAccepted())
        .isEqualTo(2 * counts.scored())
        .isEqualTo(sink.events.size());
  }

  private static void offerAll(AsyncScorer async, String prefix, List<Integer> kinds) {
    for (int i = 0; i < kinds.size(); i++) {
      String prompt = List.of("fail", "NaN").stream().skip(kinds.get(i)).findFirst().orElse("0.5");
      ImageOutput image = kinds.get(i) == 2 ? new ImageOutput(1, 1, new byte[1]) : IMAGE;
      async.offer(prefix + i, prompt, image);
    }
  }

  private static void assertLaw(AsyncScorerCounts counts) {
    long dropped = counts.dropped().values().stream().mapToLong(Long::longValue).sum();
    assertThat(counts.skipped() + counts.scored() + dropped + counts.waiting() + counts.running())
        .isEqualTo(counts.offered());
  }
}

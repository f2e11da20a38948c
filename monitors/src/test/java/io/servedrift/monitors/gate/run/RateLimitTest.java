package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.AnswerStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private static final long SECOND = 1_000_000_000L;

  /** Time that passes by sleeping only. */
  private static Timeline virtual(AtomicLong now) {
    return new Timeline() {
      @Override
      public long nanos() {
        return now.get();
      }

      @Override
      public void sleepUntil(long nanos) {
        now.accumulateAndGet(nanos, Math::max);
      }

      @Override
      public long epochMicros(long nanos) {
        return nanos / 1000;
      }
    };
  }

  /** One loop for each request, as the arms with one request in flight are run. */
  @Test
  void takesOneTurnForARequest_alsoOfLoopsOfOne() throws Exception {
    AtomicLong now = new AtomicLong();
    Timeline timeline = virtual(now);
    RateLimit limit = new RateLimit(timeline, 1);
    Ask ask =
        item ->
            CompletableFuture.completedFuture(
                new Reply(AnswerStatus.OK, null, new byte[0], now.get(), List.of()));
    List<Long> sent = new ArrayList<>();
    for (GatePrompt prompt : Given.prompts(4)) {
      Item item = new Item(prompt, 1, Dialect.Mode.CLEAN, true);
      new ClosedLoop(timeline, limit, ask, () -> false)
          .run(1, Sources.each(List.of(item)), one -> sent.add(one.sentNanos()));
    }

    assertThat(sent).containsExactly(0L, SECOND, 2 * SECOND, 3 * SECOND);
  }

  @Test
  void givesUp_whenStopped() throws Exception {
    AtomicLong now = new AtomicLong();
    RateLimit limit = new RateLimit(virtual(now), .001);

    assertThat(limit.await(() -> false)).isTrue();
    assertThat(limit.await(() -> true)).isFalse();
    assertThat(now.get()).isLessThan(SECOND);
  }
}

package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.net.URI;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VideoJobTest {

  private static final long SECOND = 1_000_000_000L;

  /** Begun at 5 s on the monotonic clock, promised at 6 s. */
  private static VideoJob job() {
    Exchange exchange =
        new Exchange(
            Route.VIDEOS, Instant.EPOCH, 5 * SECOND, 1, null, null, new CaptureBudget(1), 1);
    GatewaySettings settings = GatewaySettings.of(URI.create("http://127.0.0.1:1"), "d");
    return new VideoJob(
        new RequestDraft(settings, exchange, "v"), exchange.beganNanos(), 6 * SECOND);
  }

  private static Answer.Numbers stamps(@Nullable Double created, @Nullable Double completed) {
    Answer.Numbers numbers = new Answer.Numbers();
    numbers.createdAt = created;
    numbers.completedAt = completed;
    return numbers;
  }

  @Test
  void believesTheRuntime_beforeTheClientsPolls() {
    VideoJob job = job();
    // Asked at 5 s, told at 95 s: 90 s at most. The runtime says 42.
    assertThat(job.latencySeconds(stamps(1000.0, 1042.0), 95 * SECOND)).isEqualTo(42);
    assertThat(job.latencySeconds(stamps(1000.25, 1002.5), 95 * SECOND)).isEqualTo(2.25);
  }

  @Test
  void believesWholeSeconds_onlyWhereOneIsATenthAtMost() {
    VideoJob job = job();
    assertThat(job.latencySeconds(stamps(1000.0, 1010.0), 95 * SECOND)).isEqualTo(10);
    assertThat(job.latencySeconds(stamps(1000.0, 1009.0), 95 * SECOND)).isNull();
  }

  @Test
  void believesNoStamps_thatSayMoreThanTheClientWaited() {
    VideoJob job = job();
    // 90 s were waited; whole seconds may say one more, a clock that was set may say anything.
    assertThat(job.latencySeconds(stamps(1000.0, 1091.0), 95 * SECOND)).isEqualTo(91);
    assertThat(job.latencySeconds(stamps(1000.0, 1092.0), 95 * SECOND)).isNull();
    assertThat(job.latencySeconds(stamps(1000.0, 900.0), 95 * SECOND)).isNull();
    assertThat(job.latencySeconds(stamps(null, 1042.0), 95 * SECOND)).isNull();
  }

  @Test
  void takesTheFirstPollThatSaysSo_whereTheLastThatDidNotWasShortlyBefore() {
    VideoJob job = job();
    assertThat(job.latencySeconds(stamps(null, null), 25 * SECOND)).as("no poll between").isNull();
    job.unfinishedAt(23 * SECOND);
    // 20 s since the question, of which 2 are not known: a tenth.
    assertThat(job.latencySeconds(stamps(null, null), 25 * SECOND)).isEqualTo(20);
    assertThat(job.latencySeconds(stamps(null, null), 26 * SECOND)).isNull();
    job.unfinishedAt(10 * SECOND);
    assertThat(job.latencySeconds(stamps(null, null), 25 * SECOND))
        .as("an older poll that is read late")
        .isEqualTo(20);
  }

  @Test
  void forgetsAndCountsVideos_forWhichNobodyAsks() {
    GatewayCounts counts = new GatewayCounts();
    AtomicLong now = new AtomicLong(6 * SECOND);
    VideoJobs jobs = new VideoJobs(counts, now::get);
    jobs.add("asked", job());
    jobs.add("silent", job());
    now.addAndGet(VideoJobs.SILENCE.toNanos());
    jobs.unfinishedAt("asked", now.get());
    jobs.unfinishedAt("unknown", now.get());
    assertThat(jobs.size()).isEqualTo(2);
    now.addAndGet(1);
    assertThat(jobs.size()).isEqualTo(1);
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(1);
    assertThat(jobs.take("silent")).isNull();
    assertThat(jobs.take("asked")).isNotNull();
    assertThat(jobs.take("asked")).as("told once").isNull();
  }

  @Test
  void keepsSoManyOnly_andCountsTheRest() {
    GatewayCounts counts = new GatewayCounts();
    VideoJobs jobs = new VideoJobs(counts, () -> 6 * SECOND);
    for (int i = 0; i < VideoJobs.MAX + 3; i++) {
      jobs.add("v" + i, job());
    }
    assertThat(jobs.size()).isEqualTo(VideoJobs.MAX);
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(3);
    assertThat(jobs.take("v2")).isNull();
    jobs.add("v3", job());
    assertThat(counts.get(Count.UNFINISHED)).as("its name was given again").isEqualTo(4);
    jobs.close();
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(VideoJobs.MAX + 4);
  }
}

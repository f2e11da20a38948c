package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VideoJobTest {

  private static final long SECOND = 1_000_000_000L;

  /** Begun at 5 s on the monotonic clock, promised at 6 s. */
  private static VideoJob job() {
    return job("v", null);
  }

  private static VideoJob job(String id, ServingIdentity.@Nullable Known known) {
    ObjectNode workload = JsonNodeFactory.instance.objectNode();
    return new VideoJob(
        new VideoJob.Asked(id, Instant.EPOCH, 5 * SECOND, workload, "wan", known), 6 * SECOND);
  }

  private static Answer.Numbers stamps(@Nullable Double created, @Nullable Double completed) {
    Answer.Numbers numbers = new Answer.Numbers();
    numbers.createdAt = created;
    numbers.completedAt = completed;
    return numbers;
  }

  @Test
  void believesTheRuntime_withinWhatTheClientWaited() {
    VideoJob job = job();
    // Asked at 5 s, told at 95 s: 90 s at most. The runtime says 42.
    assertThat(job.stampedSeconds(stamps(1000.0, 1042.0), 95 * SECOND)).isEqualTo(42);
    assertThat(job.stampedSeconds(stamps(1000.25, 1002.5), 95 * SECOND)).isEqualTo(2.25);
  }

  @Test
  void believesWholeSeconds_onlyWhereOneIsATenthAtMost() {
    VideoJob job = job();
    assertThat(job.stampedSeconds(stamps(1000.0, 1010.0), 95 * SECOND)).isEqualTo(10);
    assertThat(job.stampedSeconds(stamps(1000.0, 1009.0), 95 * SECOND)).isNull();
    // One stamp in whole seconds leaves as much open: 1000.5 to 1001 says nothing of half a second.
    assertThat(job.stampedSeconds(stamps(1000.5, 1001.0), 95 * SECOND)).isNull();
    assertThat(job.stampedSeconds(stamps(1000.0, 1001.5), 95 * SECOND)).isNull();
  }

  @Test
  void believesNoStamps_thatSayMoreThanTheClientWaited() {
    VideoJob job = job();
    // 90 s were waited; whole seconds may say one more, which was not waited all the same.
    assertThat(job.stampedSeconds(stamps(1000.0, 1091.0), 95 * SECOND)).isEqualTo(90);
    assertThat(job.stampedSeconds(stamps(1000.0, 1092.0), 95 * SECOND)).isNull();
    assertThat(job.stampedSeconds(stamps(1000.25, 1090.5), 95 * SECOND)).isNull();
    assertThat(job.stampedSeconds(stamps(1000.0, 900.0), 95 * SECOND)).isNull();
    assertThat(job.stampedSeconds(stamps(null, 1042.0), 95 * SECOND)).isNull();
  }

  @Test
  void takesTheFirstPollThatSaysSo_whereTheLastThatDidNotWasShortlyBefore() {
    VideoJob job = job();
    assertThat(job.polledSeconds(25 * SECOND)).as("no poll between").isNull();
    job.unfinishedAt(23 * SECOND);
    // 20 s since the question, of which 2 are not known: a tenth.
    assertThat(job.polledSeconds(25 * SECOND)).isEqualTo(20);
    assertThat(job.polledSeconds(26 * SECOND)).isNull();
    job.unfinishedAt(10 * SECOND);
    assertThat(job.polledSeconds(25 * SECOND)).as("an older poll read late").isEqualTo(20);
  }

  @Test
  void forgetsAndCountsVideos_forWhichNobodyAsks() {
    GatewayCounts counts = new GatewayCounts();
    AtomicLong now = new AtomicLong(6 * SECOND);
    VideoJobs jobs = new VideoJobs(counts, now::get);
    jobs.add(job("asked", null));
    jobs.add(job("silent", null));
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
      jobs.add(job("v" + i, null));
    }
    assertThat(jobs.size()).isEqualTo(VideoJobs.MAX);
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(3);
    assertThat(jobs.take("v2")).isNull();
    jobs.add(job("v3", null));
    assertThat(counts.get(Count.UNFINISHED)).as("its name was given again").isEqualTo(4);
    jobs.close();
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(VideoJobs.MAX + 4);
  }

  @Test
  void keepsSoManyBytesOnly_whateverTheConfigurationsAre() {
    GatewayCounts counts = new GatewayCounts();
    VideoJobs jobs = new VideoJobs(counts, () -> 6 * SECOND);
    for (int i = 0; i < 100; i++) {
      jobs.add(job("v" + i, known("x".repeat(100_000) + i)));
      assertThat(jobs.bytes()).isBetween(100_000L, VideoJobs.MAX_BYTES);
    }
    // A configuration of 100,000 characters counts as 800,000 bytes.
    assertThat(jobs.size()).isBetween(40, 41);
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(100 - jobs.size());
    jobs.close();
    assertThat(jobs.bytes()).isZero();
  }

  @Test
  void countsAConfigurationOnce_howeverManyShareIt() {
    GatewayCounts counts = new GatewayCounts();
    VideoJobs jobs = new VideoJobs(counts, () -> 6 * SECOND);
    ServingIdentity.Known known = known("x".repeat(100_000));
    for (int i = 0; i < 100; i++) {
      jobs.add(job("v" + i, known));
    }
    assertThat(jobs.size()).isEqualTo(100);
    assertThat(jobs.bytes()).isBetween(800_000L, 2_000_000L);
    for (int i = 0; i < 100; i++) {
      assertThat(jobs.take("v" + i)).isNotNull();
    }
    assertThat(jobs.bytes()).isZero();
  }

  @Test
  void countsWhatComesAfterTheEnd() {
    GatewayCounts counts = new GatewayCounts();
    VideoJobs jobs = new VideoJobs(counts, () -> 6 * SECOND);
    jobs.close();
    jobs.add(job());
    assertThat(jobs.size()).isZero();
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(1);
  }

  private static ServingIdentity.Known known(String value) {
    return new ServingIdentity.Known(
        JsonNodeFactory.instance.objectNode().put("a", value),
        JsonNodeFactory.instance.objectNode());
  }
}

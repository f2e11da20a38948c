package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class VideoPollsTest {

  private final GatewayCounts counts = new GatewayCounts();
  private final VideoJobs jobs = new VideoJobs(counts, System::nanoTime);

  /** A sink that fails as no sink should. */
  private static final class Broken implements EventSink {
    @Override
    public boolean offer(SpecificRecord event) {
      throw new IllegalStateException("broken");
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      throw new IllegalStateException("broken");
    }
  }

  private static Exchange poll(String answer) {
    Exchange poll =
        new Exchange(
            Route.VIDEO_POLL,
            Instant.now(),
            System.nanoTime(),
            0,
            null,
            null,
            new CaptureBudget(1 << 16),
            1 << 16);
    poll.answerBegins(200);
    poll.answerHeaders("application/json", null, null);
    poll.answerContent(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
    poll.end(Outcome.COMPLETE);
    return poll;
  }

  @Test
  void losesNoVideo_whenItsEventCannotBeMade() {
    EventSink sink = new Broken();
    VideoPolls polls =
        new VideoPolls(
            GatewaySettings.of(URI.create("http://127.0.0.1:1"), "d"),
            counts,
            jobs,
            new DraftPublisher(counts, sink, new Announcements(sink, Clock.systemUTC())));
    long now = System.nanoTime();
    VideoJob.Asked asked =
        new VideoJob.Asked(
            "v",
            Instant.now(),
            now - 60_000_000_000L,
            JsonNodeFactory.instance.objectNode().put("modality", "video"),
            "wan",
            null);
    polls.await(new VideoJob(asked, now));
    polls.polled(
        poll("{\"id\":\"v\",\"status\":\"completed\",\"created_at\":100,\"completed_at\":140}"));
    assertThat(jobs.size()).isZero();
    assertThat(counts.get(Count.UNPUBLISHABLE)).isEqualTo(1);
    assertThat(counts.get(Count.HANDED_OVER)).isZero();
    assertThat(counts.get(Count.UNFINISHED)).isZero();
  }
}

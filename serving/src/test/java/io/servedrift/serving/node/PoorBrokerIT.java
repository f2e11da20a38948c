package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.Topics;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node whose broker is there, but slow or silent. How long anything takes is not looked at. */
class PoorBrokerIT {

  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final Duration LONG = Duration.ofMinutes(2);

  private EmbeddedBroker broker;
  private BrokerProxy proxy;
  private int asked;

  @BeforeEach
  void start() throws IOException {
    broker = EmbeddedBroker.startTemporary();
    proxy = BrokerProxy.before(broker.bootstrapServers());
    try (TopicProvisioner provisioner =
        TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      provisioner.apply(TOPICS);
    }
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    broker.close();
  }

  private EventPublisher publisher(int bufferBytes) {
    return new EventPublisher(
        new PublisherSettings(
            bufferBytes,
            bufferBytes,
            LONG,
            Duration.ofSeconds(1),
            Map.of("bootstrap.servers", proxy.bootstrapServers(), "request.timeout.ms", "3000")),
        TOPICS);
  }

  private static ServingNode node(EventPublisher publisher) {
    return ServingNode.start(
        new NodeSettings("test", "image-gen", "n1", Duration.ofSeconds(1), Duration.ofSeconds(5)),
        new FakeEngine().parts(),
        SchedulerLimits.continuous(),
        Faults.none(),
        new ServingNode.Outlets(
            publisher, publisher::metrics, PromptHashKey.ofThisProcess(), FinishedImages.NONE));
  }

  private void makeImage(ServingNode node) throws Exception {
    ImageRequest request =
        new ImageRequest(
            "r-" + asked++, "a red circle", null, 8, 8, 2, 1, 7, List.of(), 0, null, true);
    List<GeneratedImage> made =
        node.images()
            .submit(new ImageCall(List.of(request), null, false))
            .result()
            .get(60, TimeUnit.SECONDS);
    assertThat(made).hasSize(1);
  }

  private static void assertAddsUp(PublisherMetrics books) {
    assertThat(books.offered()).isEqualTo(books.published() + books.dropped() + books.inFlight());
  }

  @Test
  void makesImages_andLosesNothing_whenTheBrokerIsSlow() throws Exception {
    try (EventPublisher publisher = publisher(1 << 20)) {
      try (ServingNode node = node(publisher)) {
        // Who does not know the topic's leaders yet, gives up an event after two seconds.
        makeImage(node);
        await().atMost(LONG).until(() -> publisher.metrics().inFlight() == 0);
        long before = publisher.metrics().published();
        proxy.set(BrokerProxy.State.SLOW);
        for (int i = 0; i < 50; i++) {
          makeImage(node);
        }
        await().atMost(LONG).until(() -> publisher.metrics().published() >= before + 50);
        assertThat(publisher.metrics().dropped()).isZero();
      }
      assertAddsUp(publisher.metrics());
    }
  }

  @Test
  void makesImages_countsWhatFindsNoRoom_andRecovers_whenTheBrokerIsSilent() throws Exception {
    try (EventPublisher publisher = publisher(64 * 1024)) {
      try (ServingNode node = node(publisher)) {
        makeImage(node);
        await().atMost(LONG).until(() -> publisher.metrics().inFlight() == 0);
        long before = publisher.metrics().published();
        proxy.set(BrokerProxy.State.SILENT);
        // A buffer of 64 KiB holds fewer than 200 events.
        for (int i = 0; i < 200; i++) {
          makeImage(node);
        }
        PublisherMetrics full = publisher.metrics();
        assertAddsUp(full);
        assertThat(full.dropped(DropReason.BUFFER_FULL)).isPositive();
        assertThat(full.published()).isEqualTo(before);

        proxy.set(BrokerProxy.State.UP);
        await().atMost(LONG).until(() -> publisher.metrics().inFlight() == 0);
        // What had found room arrived.
        assertThat(publisher.metrics().published()).isGreaterThan(before);
        long recovered = publisher.metrics().published();
        makeImage(node);
        await().atMost(LONG).until(() -> publisher.metrics().published() > recovered);
        assertThat(publisher.metrics().dropped(DropReason.BROKER_ERROR)).isZero();
      }
      assertAddsUp(publisher.metrics());
    }
  }

  @Test
  void makesImages_andRecovers_whenConnectionsAreCut() throws Exception {
    try (EventPublisher publisher = publisher(1 << 20)) {
      try (ServingNode node = node(publisher)) {
        proxy.set(BrokerProxy.State.DOWN);
        for (int i = 0; i < 20; i++) {
          makeImage(node);
        }
        proxy.set(BrokerProxy.State.UP);
        makeImage(node);
        await().atMost(LONG).until(() -> publisher.metrics().published() >= 1);
        await().atMost(LONG).until(() -> publisher.metrics().inFlight() == 0);
      }
      assertAddsUp(publisher.metrics());
    }
  }
}

package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerCheckIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void saysWhetherTheBrokerAnswers_whenItGoesAndComesBack(@TempDir Path folder) {
    EmbeddedBroker broker = EmbeddedBroker.start(folder);
    try (BrokerCheck check =
        BrokerCheck.start(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      await().atMost(PATIENCE).until(() -> check.check().ready());
      assertThat(check.check().detail()).isEqualTo("1 node(s)");

      broker.close();
      await().atMost(PATIENCE).until(() -> !check.check().ready());
      assertThat(check.check().detail()).startsWith("no answer: ");

      broker = EmbeddedBroker.start(folder);
      await().atMost(PATIENCE).until(() -> check.check().ready());
    } finally {
      broker.close();
    }
  }

  @Test
  void answersAtOnce_whenNobodyListens() {
    try (BrokerCheck check = BrokerCheck.start(Map.of("bootstrap.servers", "127.0.0.1:1"))) {
      assertThat(check.check().ready()).isFalse();
      await().atMost(PATIENCE).until(() -> check.check().detail().startsWith("no answer: "));
    }
  }
}

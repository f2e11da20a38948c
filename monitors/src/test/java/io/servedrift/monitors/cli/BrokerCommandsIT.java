package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Commands that talk to a broker and end. */
class BrokerCommandsIT {

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.startTemporary();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void topicsReportsThenRepairsThenFindsNothing() throws IOException {
    CommandLineHarness check = new CommandLineHarness();
    assertThat(check.run(topics("first"))).isEqualTo(10);
    assertThat(check.out()).contains("first-requests-v1: missing", "--apply repairs what can be");

    CommandLineHarness apply = new CommandLineHarness();
    assertThat(apply.run(topics("first", "--apply"))).isZero();
    assertThat(apply.out()).contains("(repaired)");

    CommandLineHarness again = new CommandLineHarness();
    assertThat(again.run(topics("first", "--json"))).isZero();
    JsonNode document = new ObjectMapper().readTree(again.out());
    assertThat(document.path("topics").asInt()).isPositive();
    assertThat(document.path("differences")).isEmpty();
  }

  @Test
  void saysUnreachable_whenNoBrokerAnswers() throws IOException {
    CommandLineHarness harness = new CommandLineHarness();
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // Listens but never answers: the connection opens and nothing comes back.
      int code = harness.run("topics", "--bootstrap-servers", "127.0.0.1:" + silent.getLocalPort());

      assertThat(code).isEqualTo(12);
    }
    assertThat(harness.err()).startsWith("servedrift: ").contains("127.0.0.1:");
  }

  @Test
  void saysUsage_whenNoBrokerIsNamed() {
    CommandLineHarness harness = new CommandLineHarness();

    assertThat(harness.run("topics")).isEqualTo(2);
    assertThat(harness.err()).contains("needs --bootstrap-servers HOST:PORT or --embedded DIR");
  }

  private static String[] topics(String prefix, String... more) {
    String[] arguments = new String[5 + more.length];
    arguments[0] = "topics";
    arguments[1] = "--bootstrap-servers";
    arguments[2] = broker.bootstrapServers();
    arguments[3] = "--topic-prefix";
    arguments[4] = prefix;
    System.arraycopy(more, 0, arguments, 5, more.length);
    return arguments;
  }
}

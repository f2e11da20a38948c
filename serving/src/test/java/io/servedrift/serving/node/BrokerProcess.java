package io.servedrift.serving.node;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.Topics;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A broker with all topics in a process of its own: its garbage and its locks are not those of the
 * node that is measured. Ends with this process, because its standard input ends then.
 */
public final class BrokerProcess implements AutoCloseable {

  private static final int MAX_TRIES = 10;
  private static final String MARK = "broker at ";

  private final Process process;
  private final String bootstrapServers;

  private BrokerProcess(Process process, String bootstrapServers) {
    this.process = process;
    this.bootstrapServers = bootstrapServers;
  }

  /** Starts it and waits until it serves clients. */
  public static BrokerProcess start() throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    BrokerProcess.class.getName()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(MARK)) {
        return new BrokerProcess(process, line.substring(MARK.length()));
      }
    }
    throw new IOException("the broker's process ended before it served clients");
  }

  /** Address for clients. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** The other process. */
  public static void main(String[] none) throws IOException {
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      int tries = 1;
      while (!provisioned(broker) && tries++ < MAX_TRIES) {
        System.err.println("the topics are not there yet");
      }
      System.out.println(MARK + broker.bootstrapServers());
      while (System.in.read() >= 0) {
        // Whoever started this one is there.
      }
    }
  }

  /** On a busy machine the first leaders may take longer than a provisioner waits. */
  private static boolean provisioned(EmbeddedBroker broker) {
    try (TopicProvisioner provisioner =
        TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      provisioner.apply(new Topics(Topics.DEFAULT_PREFIX));
      return true;
    } catch (BrokerUnreachableException e) {
      return false;
    }
  }
}

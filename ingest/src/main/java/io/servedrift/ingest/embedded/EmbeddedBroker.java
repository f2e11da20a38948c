package io.servedrift.ingest.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * One Kafka broker (KRaft, broker and controller in one) inside this JVM, reachable from this
 * machine only. Its data lives in a folder and survives {@link #close()} and a killed process
 * alike; the port stays the same when it is still free at the next start.
 *
 * <p>Topics are never created automatically. Committed offsets are kept for a year, so that a
 * monitor that was off for weeks goes on where it stopped.
 *
 * <p>The broker's threads are not daemons: a process that started one ends only after {@link
 * #close()}. Thread-safe.
 */
public final class EmbeddedBroker implements AutoCloseable {

  private static final int NODE_ID = 1;

  private final Path dir;
  private final boolean temporary;
  private final FolderLock lock;
  private final Ports ports;
  private final KafkaRaftServer server;
  private final boolean endedFormerSession;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedBroker(
      Path dir,
      boolean temporary,
      FolderLock lock,
      Ports ports,
      KafkaRaftServer server,
      boolean endedFormerSession) {
    this.dir = dir;
    this.temporary = temporary;
    this.lock = lock;
    this.ports = ports;
    this.server = server;
    this.endedFormerSession = endedFormerSession;
  }

  /**
   * Starts a broker on a folder, which is created when missing. Returns when it serves clients.
   *
   * @throws EmbeddedBrokerException when the folder is in use by another embedded broker, cannot be
   *     written, or holds data this version cannot read; nothing of a failed start stays behind
   */
  public static EmbeddedBroker start(Path dir) {
    return start(dir.toAbsolutePath().normalize(), false);
  }

  /** Starts a broker on a new folder of its own, deleted at {@link #close()}. */
  public static EmbeddedBroker startTemporary() {
    try {
      return start(Files.createTempDirectory("servedrift-broker-"), true);
    } catch (IOException e) {
      throw new EmbeddedBrokerException("cannot create a temporary broker folder: " + e, e);
    }
  }

  private static EmbeddedBroker start(Path dir, boolean temporary) {
    FolderLock lock;
    try {
      Files.createDirectories(dir);
      // Kafka's own lock comes too late: a second broker that got this far mixes both raft logs
      // and ends with a halt of the whole JVM.
      lock = FolderLock.acquire(dir);
    } catch (IOException e) {
      throw new EmbeddedBrokerException(
          "embedded broker folder " + dir + " cannot be used: " + e + "; it must be writable", e);
    }
    boolean started = false;
    try {
      Ports ports = Ports.choose(dir);
      Path data = dir.resolve("data");
      boolean ended = false;
      if (Files.exists(data.resolve("meta.properties"))) {
        ended = endFormerSession(data, ports);
      } else {
        format(data);
      }
      KafkaRaftServer server =
          new KafkaRaftServer(KafkaConfig.fromProps(settings(data, ports), false), Time.SYSTEM);
      startOrShutDown(server);
      started = true;
      return new EmbeddedBroker(dir, temporary, lock, ports, server, ended);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedBrokerException("embedded broker on " + dir + ": start interrupted", e);
    } catch (Exception e) {
      throw new EmbeddedBrokerException("embedded broker on " + dir + " did not start: " + e, e);
    } finally {
      if (!started) {
        lock.close();
        if (temporary) {
          deleteTree(dir);
        }
      }
    }
  }

  /** A failed start-up leaves raft threads running, which would write on behind our back. */
  private static void startOrShutDown(KafkaRaftServer server) {
    boolean up = false;
    try {
      server.startup();
      up = true;
    } finally {
      if (!up) {
        server.shutdown();
        server.awaitShutdown();
      }
    }
  }

  /** Whether there was one. */
  private static boolean endFormerSession(Path data, Ports ports) throws InterruptedException {
    return FormerSession.isLeftIn(data)
        && FormerSession.end(controller(data, ports), NODE_ID, address(ports.controller()));
  }

  private static void format(Path data) throws Exception {
    Files.createDirectories(data);
    try (PrintStream silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      new Formatter()
          .setNodeId(NODE_ID)
          .setClusterId(Uuid.randomUuid().toString())
          .addDirectory(data.toString())
          .setMetadataLogDirectory(data.toString())
          .setControllerListenerName("CONTROLLER")
          .setReleaseVersion(MetadataVersion.latestProduction())
          .setPrintStream(silent)
          .run();
    }
  }

  private static String address(int port) {
    return "127.0.0.1:" + port;
  }

  /** Settings of the controller alone, on the same folder. */
  private static Properties controller(Path data, Ports ports) {
    String controller = address(ports.controller());
    Properties p = new Properties();
    p.setProperty("process.roles", "controller");
    p.setProperty("node.id", Integer.toString(NODE_ID));
    p.setProperty("controller.quorum.voters", NODE_ID + "@" + controller);
    p.setProperty("controller.listener.names", "CONTROLLER");
    p.setProperty("listeners", "CONTROLLER://" + controller);
    p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.setProperty("log.dirs", data.toString());

    // There is no other node that could take over, so a broker that is slow - a starved or
    // suspended machine - must not be declared dead: it would only lose the lead of all its
    // partitions, and, slow as it is, lose it again and again. Less than the minute for which
    // Kafka tries to register: where FormerSession failed, a start takes that long.
    p.setProperty("broker.session.timeout.ms", "30000");
    p.setProperty("broker.heartbeat.interval.ms", "300");
    return p;
  }

  private static Properties settings(Path data, Ports ports) {
    String broker = "PLAINTEXT://" + address(ports.broker());
    Properties p = controller(data, ports);
    p.setProperty("process.roles", "broker,controller");
    p.setProperty("listeners", broker + "," + p.getProperty("listeners"));
    p.setProperty("advertised.listeners", broker);
    p.setProperty("inter.broker.listener.name", "PLAINTEXT");
    p.setProperty("auto.create.topics.enable", "false");

    // One node: every internal topic has one replica. Few partitions, for the sake of start-up.
    for (String topic : List.of("offsets.topic", "transaction.state.log")) {
      p.setProperty(topic + ".replication.factor", "1");
      p.setProperty(topic + ".num.partitions", "4");
    }
    p.setProperty("transaction.state.log.min.isr", "1");
    p.setProperty("share.coordinator.state.topic.replication.factor", "1");
    p.setProperty("share.coordinator.state.topic.min.isr", "1");
    p.setProperty("share.coordinator.state.topic.num.partitions", "1");
    p.setProperty("group.initial.rebalance.delay.ms", "0");
    p.setProperty("offsets.retention.minutes", Integer.toString(365 * 24 * 60));

    // A guest in someone else's JVM: 33 MB of heap in place of 158.
    p.setProperty("log.cleaner.dedupe.buffer.size", "4194304");
    p.setProperty("num.io.threads", "2");
    p.setProperty("num.network.threads", "2");
    p.setProperty("background.threads", "2");
    return p;
  }

  /** Address for clients, {@code 127.0.0.1:port}. */
  public String bootstrapServers() {
    return address(ports.broker());
  }

  /** Whether this start found the session of a killed broker, and ended it. */
  boolean endedFormerSession() {
    return endedFormerSession;
  }

  /** The folder that holds the broker's data. */
  public Path folder() {
    return dir;
  }

  /** Stops the broker and waits until it is down; a temporary folder is deleted. Idempotent. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      server.shutdown();
      server.awaitShutdown();
    } finally {
      lock.close();
      if (temporary) {
        deleteTree(dir);
      }
    }
  }

  private static void deleteTree(Path dir) {
    try (Stream<Path> tree = Files.walk(dir)) {
      tree.sorted(Comparator.reverseOrder()).forEach(EmbeddedBroker::deleteQuietly);
    } catch (IOException leftToTheSystemsCleaner) {
      dir.toFile().deleteOnExit();
    }
  }

  private static void deleteQuietly(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException leftToTheSystemsCleaner) {
      path.toFile().deleteOnExit();
    }
  }
}

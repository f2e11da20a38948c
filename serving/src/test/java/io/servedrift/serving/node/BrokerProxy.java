package io.servedrift.serving.node;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and a broker, and makes the broker worse as it is told. Kafka's answers
 * name the broker's address; in them the port is replaced by that of this proxy, so that a client
 * never goes past it. Thread-safe.
 */
public final class BrokerProxy implements AutoCloseable {

  /** How the broker is, seen from the client. */
  public enum State {
    /** As it is. */
    UP,
    /** Every connection is cut at once. */
    DOWN,
    /** Each answer comes late, and requests pass a few kilobytes at a time. */
    SLOW,
    /** Connections are taken and nothing ever passes. */
    SILENT
  }

  private static final byte[] LOOPBACK = "127.0.0.1".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_FRAME = 64 << 20;
  private static final int SLOW_ANSWER_MILLIS = 800;
  private static final int SLOW_CHUNK_BYTES = 2_048;
  private static final int SLOW_CHUNK_MILLIS = 100;

  private final int brokerPort;
  private final ServerSocket listening;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private volatile State state = State.UP;

  private BrokerProxy(int brokerPort, ServerSocket listening) {
    this.brokerPort = brokerPort;
    this.listening = listening;
  }

  /** Listens on a free port, in front of the broker at this address of this machine. */
  public static BrokerProxy before(String bootstrapServers) throws IOException {
    int port = Integer.parseInt(bootstrapServers.substring(bootstrapServers.indexOf(':') + 1));
    BrokerProxy proxy =
        new BrokerProxy(port, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    daemon("broker-proxy", proxy::accept);
    return proxy;
  }

  /** Address for clients. */
  public String bootstrapServers() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** From now on the broker is like this, also for connections that are open. */
  public synchronized void set(State now) {
    state = now;
    notifyAll();
    if (now == State.DOWN) {
      connections.forEach(BrokerProxy::cut);
    }
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        if (state == State.DOWN) {
          client.close();
        } else {
          connect(client);
        }
      } catch (IOException closedOrRefused) {
        // The loop's condition tells which.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    connections.add(client);
    Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
    connections.add(broker);
    daemon("broker-proxy-up", () -> pass(client, broker, () -> requests(client, broker)));
    daemon("broker-proxy-down", () -> pass(client, broker, () -> answers(client, broker)));
  }

  private interface Passing {
    void run() throws IOException, InterruptedException;
  }

  private void pass(Socket client, Socket broker, Passing passing) {
    try {
      passing.run();
    } catch (IOException | InterruptedException ended) {
      // The one end is gone, so is the other.
    } finally {
      cut(client);
      cut(broker);
      connections.remove(client);
      connections.remove(broker);
    }
  }

  private void requests(Socket client, Socket broker) throws IOException, InterruptedException {
    byte[] chunk = new byte[SLOW_CHUNK_BYTES];
    while (true) {
      int n = client.getInputStream().read(chunk);
      if (n < 0) {
        return;
      }
      hold(SLOW_CHUNK_MILLIS);
      broker.getOutputStream().write(chunk, 0, n);
      broker.getOutputStream().flush();
    }
  }

  /** Kafka's answers come as frames, with their length before them. */
  private void answers(Socket client, Socket broker) throws IOException, InterruptedException {
    DataInputStream in = new DataInputStream(broker.getInputStream());
    DataOutputStream out = new DataOutputStream(client.getOutputStream());
    while (true) {
      int length = in.readInt();
      if (length < 0 || length > MAX_FRAME) {
        throw new IOException("a frame of " + length + " bytes");
      }
      byte[] frame = in.readNBytes(length);
      redirect(frame);
      hold(SLOW_ANSWER_MILLIS);
      out.writeInt(length);
      out.write(frame);
      out.flush();
    }
  }

  private void redirect(byte[] frame) {
    byte[] there = address(brokerPort);
    byte[] here = address(listening.getLocalPort());
    for (int i = 0; i + there.length <= frame.length; i++) {
      if (Arrays.equals(frame, i, i + there.length, there, 0, there.length)) {
        System.arraycopy(here, 0, frame, i, here.length);
      }
    }
  }

  /** Host and port as they follow each other in Kafka's answers. */
  private static byte[] address(int port) {
    return ByteBuffer.allocate(LOOPBACK.length + Integer.BYTES).put(LOOPBACK).putInt(port).array();
  }

  private void hold(int slowMillis) throws InterruptedException {
    if (state == State.SLOW) {
      Thread.sleep(slowMillis);
    }
    synchronized (this) {
      while (state == State.SILENT && !listening.isClosed()) {
        wait();
      }
    }
  }

  private static void cut(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public synchronized void close() throws IOException {
    listening.close();
    notifyAll();
    connections.forEach(BrokerProxy::cut);
  }
}

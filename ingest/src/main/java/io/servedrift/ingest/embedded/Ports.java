package io.servedrift.ingest.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** The two loopback ports of a broker, remembered in its folder so that clients find it again. */
record Ports(int broker, int controller) {

  private static final String FILE = "ports.properties";
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  /** The remembered ports where they are free, else free ones; written back to the folder. */
  static Ports choose(Path dir) throws IOException {
    Properties remembered = new Properties();
    Path file = dir.resolve(FILE);
    if (Files.exists(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        remembered.load(in);
      }
    }
    Ports ports;
    // Both sockets are held open until both ports are known, else the same port could come twice.
    try (ServerSocket broker = bind(port(remembered, "broker"));
        ServerSocket controller = bind(port(remembered, "controller"))) {
      ports = new Ports(broker.getLocalPort(), controller.getLocalPort());
    }
    Properties chosen = new Properties();
    chosen.setProperty("broker", Integer.toString(ports.broker()));
    chosen.setProperty("controller", Integer.toString(ports.controller()));
    try (OutputStream out = Files.newOutputStream(file)) {
      chosen.store(out, null);
    }
    return ports;
  }

  private static int port(Properties remembered, String name) {
    try {
      int port = Integer.parseInt(remembered.getProperty(name, "0"));
      return port >= 0 && port <= 65_535 ? port : 0;
    } catch (NumberFormatException damagedFile) {
      return 0;
    }
  }

  private static ServerSocket bind(int wanted) throws IOException {
    ServerSocket socket = new ServerSocket();
    // As Kafka itself binds: without it a port just closed would count as taken for a minute.
    socket.setReuseAddress(true);
    try {
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), wanted));
      return socket;
    } catch (IOException taken) {
      socket.close();
      if (wanted == 0) {
        throw taken;
      }
      return bind(0);
    }
  }
}

package io.servedrift.monitors.ledger.io;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A serving node that only says what it runs. */
public final class InfoEndpoint implements AutoCloseable {
  private final HttpServer server;
  private volatile int status = 200;
  private volatile String info;
  private volatile String next;
  private volatile String authorization;

  public InfoEndpoint(String info) throws IOException {
    this.info = info;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/server_info",
        exchange -> {
          authorization = exchange.getRequestHeaders().getFirst("Authorization");
          byte[] body = this.info.getBytes(StandardCharsets.UTF_8);
          if (next != null) {
            this.info = next;
          }
          exchange.sendResponseHeaders(status, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
  }

  /** From now on it says something else. */
  public void says(String text) {
    info = text;
  }

  /** It answers once more as before, and then something else. */
  public void saysOnceMore(String then) {
    next = then;
  }

  void answers(int code) {
    status = code;
  }

  /** The header of the last call, null for none. */
  public String authorization() {
    return authorization;
  }

  public String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

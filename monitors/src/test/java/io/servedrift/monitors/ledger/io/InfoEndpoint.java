package io.servedrift.monitors.ledger.io;

import com.sun.net.httpserver.HttpExchange;
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
  private volatile int older = 404;
  private volatile boolean stalls;
  private volatile String info;
  private volatile String next;
  private volatile String authorization;

  public InfoEndpoint(String info) throws IOException {
    this.info = info;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/server_info", exchange -> answer(exchange, status));
    server.createContext("/get_server_info", exchange -> answer(exchange, older));
    server.start();
  }

  private void answer(HttpExchange exchange, int code) throws IOException {
    authorization = exchange.getRequestHeaders().getFirst("Authorization");
    byte[] body = this.info.getBytes(StandardCharsets.UTF_8);
    if (next != null) {
      this.info = next;
    }
    exchange.sendResponseHeaders(code, stalls ? body.length + 1 : body.length);
    OutputStream out = exchange.getResponseBody();
    out.write(body);
    out.flush();
    if (!stalls) {
      exchange.close();
    }
  }

  /** It never ends an answer. */
  void stalls() {
    stalls = true;
  }

  /** It only knows the address that older releases of SGLang have. */
  public void isOlder() {
    status = 404;
    older = 200;
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

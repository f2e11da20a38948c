package io.servedrift.ingest.gateway;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A runtime that does on the wire exactly what a test says, one thread a connection. */
final class RawUpstream implements AutoCloseable {

  /** Answers one request. */
  interface Behaviour {
    void answer(Call call) throws IOException, InterruptedException;
  }

  private final ServerSocket server;
  private final Behaviour behaviour;
  final List<String> heads = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  RawUpstream(Behaviour behaviour) throws IOException {
    this.behaviour = behaviour;
    this.server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "raw-upstream");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        daemon(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String head = head(in);
      while (head != null) {
        heads.add(head);
        behaviour.answer(new Call(socket, in, socket.getOutputStream(), head));
        if (socket.isClosed() || socket.isOutputShutdown()) {
          return;
        }
        head = head(in);
      }
    } catch (IOException | InterruptedException expectedInSomeTests) {
      // What became of the connection is what the test looks at.
    }
  }

  private static @Nullable String head(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int b = in.read();
    while (b >= 0) {
      bytes.write(b);
      String soFar = bytes.toString(StandardCharsets.ISO_8859_1);
      if (soFar.endsWith("\r\n\r\n")) {
        return soFar;
      }
      b = in.read();
    }
    return null;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** One request and the connection it came on. */
  record Call(Socket socket, InputStream in, OutputStream out, String head) {

    @Nullable String header(String name) {
      String start = name.toLowerCase(Locale.ROOT) + ":";
      return head.lines()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
          .map(line -> line.substring(start.length()).strip())
          .findFirst()
          .orElse(null);
    }

    /** The body, by its length or its chunks. */
    byte[] body() throws IOException {
      String length = header("Content-Length");
      if (length != null) {
        return in.readNBytes(Integer.parseInt(length));
      }
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      if ("chunked".equals(header("Transfer-Encoding"))) {
        int size = Integer.parseInt(line(), 16);
        while (size > 0) {
          body.write(in.readNBytes(size));
          line();
          size = Integer.parseInt(line(), 16);
        }
        line();
      }
      return body.toByteArray();
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      int b = in.read();
      while (b >= 0 && b != '\n') {
        line.append((char) b);
        b = in.read();
      }
      if (b < 0) {
        throw new EOFException("the gateway ended the connection within a body");
      }
      return line.toString().strip();
    }

    void write(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    void json(int status, String body) throws IOException {
      write(
          "HTTP/1.1 "
              + status
              + " Whatever\r\nContent-Type: application/json\r\nContent-Length: "
              + body.getBytes(StandardCharsets.UTF_8).length
              + "\r\n\r\n"
              + body);
    }

    void beginStream() throws IOException {
      String head = "HTTP/1.1 200 OK|Content-Type: text/event-stream|Transfer-Encoding: chunked||";
      write(head.replace("|", "\r\n"));
    }

    void event(String data) throws IOException {
      String event = "data: " + data + "\n\n";
      write(Integer.toHexString(event.length()) + "\r\n" + event + "\r\n");
    }

    void endStream() throws IOException {
      write("0\r\n\r\n");
    }

    /** Cuts the connection off with a reset. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}

package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever moves bytes without end on one connection must not stop the others. */
class GatewayFairnessTest {

  private static final int EVENTS = 50;
  private static final byte[] BLOCK = new byte[64 * 1024];

  /** More than there are threads that select. */
  private final int busy = WatchingConnector.selectors() + 1;

  private final Semaphore seen = new Semaphore(1);
  private final AtomicLong moved = new AtomicLong();
  private final List<Socket> clients = new ArrayList<>();
  private RawUpstream upstream;
  private RunningGateway running;

  @BeforeEach
  void start() throws IOException {
    upstream =
        new RawUpstream(
            call -> {
              if (call.head().startsWith("GET /download")) {
                call.write("HTTP/1.1 200 OK\r\nContent-Length: " + (1L << 50) + "\r\n\r\n");
                while (true) {
                  call.out().write(BLOCK);
                }
              } else if (call.head().startsWith("POST /upload")) {
                count(call.in());
              } else {
                call.body();
                call.beginStream();
                for (int i = 0; i < EVENTS; i++) {
                  seen.acquire();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"" + i + "\"}}]}");
                }
                call.event("[DONE]");
                call.endStream();
              }
            });
    running = new RunningGateway(upstream.uri());
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    running.close();
    upstream.close();
  }

  private void count(InputStream in) throws IOException {
    byte[] bytes = new byte[BLOCK.length];
    for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
      moved.addAndGet(count);
    }
  }

  private static void send(Socket socket, String head) throws IOException {
    socket
        .getOutputStream()
        .write((head + " HTTP/1.1\r\nHost: x\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  private void moveWithoutEnd(String way) throws IOException {
    Socket socket = running.connect();
    clients.add(socket);
    Thread thread =
        new Thread(
            () -> {
              try {
                if (way.equals("download")) {
                  send(socket, "GET /download");
                  socket.getOutputStream().write(new byte[] {'\r', '\n'});
                  count(socket.getInputStream());
                } else {
                  send(socket, "POST /upload");
                  String length = "Content-Length: " + (1L << 50) + "\r\n\r\n";
                  socket.getOutputStream().write(length.getBytes(StandardCharsets.US_ASCII));
                  while (true) {
                    socket.getOutputStream().write(BLOCK);
                  }
                }
              } catch (IOException closed) {
                // The test has seen what it wanted.
              }
            },
            "busy");
    thread.setDaemon(true);
    thread.start();
  }

  @ParameterizedTest
  @ValueSource(strings = {"download", "upload"})
  void letsAStreamGoOn_besideBodiesWithoutEnd(String way) throws Exception {
    for (int i = 0; i < busy; i++) {
      moveWithoutEnd(way);
    }
    while (moved.get() < 64L * BLOCK.length) {
      Thread.sleep(1);
    }
    try (Socket socket = running.connect()) {
      send(socket, "POST /v1/chat/completions");
      String rest = "Content-Length: 2\r\n\r\n{}";
      socket.getOutputStream().write(rest.getBytes(StandardCharsets.US_ASCII));
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      // The upstream sends an event when the one before was seen; a socket of ours times out.
      int events = 0;
      for (String line = reader.readLine(); events < EVENTS; line = reader.readLine()) {
        assertThat(line).isNotNull();
        if (line.startsWith("data: {")) {
          events++;
          seen.release();
        }
      }
    }
    long before = moved.get();
    while (moved.get() == before) {
      Thread.sleep(1);
    }
  }
}

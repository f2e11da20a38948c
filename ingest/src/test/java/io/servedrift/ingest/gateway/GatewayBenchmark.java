package io.servedrift.ingest.gateway;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.specific.SpecificRecord;

/**
 * What the gateway adds to a request, beside nginx and beside nothing, in one run on one machine.
 *
 * <p>HOW TO RUN: {@code apt-get download nginx && dpkg -x nginx_*.deb nginx}, then this class's
 * {@code main} on the test class path with the path of {@code nginx/usr/sbin/nginx} and, if wanted,
 * connections (8) and seconds (60). Gateway and nginx are processes of their own; upstream and
 * clients share this one. Each connection asks again as soon as it has its answer; the three ways
 * take turns of half a second, so that all see the same machine. Printed per answer size: p50 and
 * p99 of each way in milliseconds, and how the gateway's p99 compares with nginx's.
 */
final class GatewayBenchmark {

  private static final int TURN_MILLIS = 500;
  private static final int WARM_UP_TURNS = 12;

  private GatewayBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("gateway")) {
      runGateway(URI.create(arguments[1]));
      return;
    }
    int connections = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 8;
    int seconds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 60;
    for (int bytes : new int[] {1_024, 262_144}) {
      measure(Path.of(arguments[0]), bytes, connections, seconds);
    }
  }

  private static void runGateway(URI upstream) throws Exception {
    EventSink nowhere =
        new EventSink() {
          @Override
          public boolean offer(SpecificRecord event) {
            return true;
          }

          @Override
          public CompletableFuture<Published> publish(SpecificRecord event) {
            return CompletableFuture.completedFuture(new Published("topic", 0, 0));
          }
        };
    Gateway gateway =
        new Gateway(
            GatewaySettings.of(upstream, "benchmark").withAddress("127.0.0.1", 0),
            nowhere,
            GatewayExtras.NONE,
            Clock.systemUTC());
    gateway.start();
    System.out.println(gateway.port());
    // Ends with the process that started it.
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    System.out.println(gateway.counts().snapshot());
    gateway.close();
  }

  private static void measure(Path nginx, int bytes, int connections, int seconds)
      throws Exception {
    try (ServerSocket upstream = new ServerSocket(0, 512, InetAddress.getLoopbackAddress())) {
      serve(upstream, answer(bytes));
      Process gateway = startGateway(upstream.getLocalPort());
      BufferedReader said =
          new BufferedReader(
              new InputStreamReader(gateway.getInputStream(), StandardCharsets.UTF_8));
      int gatewayPort = Integer.parseInt(said.readLine());
      int nginxPort = freePort();
      Process plain = startNginx(nginx, nginxPort, upstream.getLocalPort());
      Map<String, Integer> ways = new LinkedHashMap<>();
      ways.put("direct", upstream.getLocalPort());
      ways.put("nginx", nginxPort);
      ways.put("gateway", gatewayPort);
      Map<String, List<long[]>> times = new LinkedHashMap<>();
      ways.keySet().forEach(way -> times.put(way, new ArrayList<>()));
      int turns = WARM_UP_TURNS + seconds * 1_000 / TURN_MILLIS / ways.size();
      for (int turn = 0; turn < turns; turn++) {
        for (Map.Entry<String, Integer> way : ways.entrySet()) {
          long[] took = turn(way.getValue(), connections);
          if (turn >= WARM_UP_TURNS) {
            times.get(way.getKey()).add(took);
          }
        }
      }
      print(bytes, connections, times);
      gateway.getOutputStream().close();
      System.out.println("  " + said.readLine());
      plain.destroy();
      gateway.waitFor();
    }
  }

  private static void print(int bytes, int connections, Map<String, List<long[]>> times) {
    System.out.printf(
        Locale.ROOT, "answers of %d bytes, %d connections, milliseconds%n", bytes, connections);
    Map<String, Double> p99 = new LinkedHashMap<>();
    times.forEach(
        (way, turns) -> {
          long[] all = turns.stream().flatMapToLong(Arrays::stream).sorted().toArray();
          p99.put(way, all[(int) (all.length * 0.99)] / 1e6);
          System.out.printf(
              Locale.ROOT,
              "  %-8s n=%d p50=%.3f p99=%.3f%n",
              way,
              all.length,
              all[all.length / 2] / 1e6,
              p99.get(way));
        });
    System.out.printf(
        Locale.ROOT,
        "  gateway against nginx at p99: %.2f times, %+.3f ms%n",
        p99.get("gateway") / p99.get("nginx"),
        p99.get("gateway") - p99.get("nginx"));
  }

  /** All connections ask for a while; what each answer took, nanoseconds. */
  private static long[] turn(int port, int connections) throws InterruptedException {
    List<long[]> parts = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    long end = System.nanoTime() + TURN_MILLIS * 1_000_000L;
    for (int i = 0; i < connections; i++) {
      Thread thread =
          new Thread(
              () -> {
                long[] took = ask(port, end);
                synchronized (parts) {
                  parts.add(took);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return parts.stream().flatMapToLong(Arrays::stream).toArray();
  }

  private static long[] ask(int port, long end) {
    String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
    byte[] request =
        ("POST /v1/chat/completions HTTP/1.1|Host: x|Content-Type: application/json|Content-Length: "
                    .replace("|", "\r\n")
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.US_ASCII);
    List<Long> took = new ArrayList<>();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 65_536));
      while (System.nanoTime() < end) {
        long began = System.nanoTime();
        socket.getOutputStream().write(request);
        in.skipNBytes(length(in));
        took.add(System.nanoTime() - began);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return took.stream().mapToLong(Long::longValue).toArray();
  }

  /** Reads a head; the length it announces. */
  private static int length(DataInputStream in) throws IOException {
    int length = -1;
    StringBuilder line = new StringBuilder();
    while (true) {
      int b = in.readUnsignedByte();
      if (b == '\n') {
        if (line.length() == 0) {
          return length;
        }
        String text = line.toString().toLowerCase(Locale.ROOT);
        if (text.startsWith("content-length:")) {
          length = Integer.parseInt(text.substring(15).strip());
        }
        line.setLength(0);
      } else if (b != '\r') {
        line.append((char) b);
      }
    }
  }

  private static byte[] answer(int bytes) {
    String usage = "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":100}}";
    String start = "{\"choices\":[{\"message\":{\"content\":\"";
    String middle = "\"},\"finish_reason\":\"stop\"}],";
    String text = "w ".repeat((bytes - start.length() - middle.length() - usage.length()) / 2);
    String body = start + text + middle + usage;
    return ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static void serve(ServerSocket server, byte[] answer) {
    daemon(
        () -> {
          try {
            while (true) {
              Socket socket = server.accept();
              socket.setTcpNoDelay(true);
              daemon(() -> answerAll(socket, answer));
            }
          } catch (IOException closed) {
            return;
          }
        });
  }

  private static void answerAll(Socket socket, byte[] answer) {
    try (socket) {
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 65_536));
      while (true) {
        in.skipNBytes(length(in));
        socket.getOutputStream().write(answer);
      }
    } catch (IOException closed) {
      return;
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  private static Process startGateway(int upstream) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            GatewayBenchmark.class.getName(),
            "gateway",
            "http://127.0.0.1:" + upstream)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static Process startNginx(Path nginx, int port, int upstream) throws Exception {
    Path folder = Files.createTempDirectory("gateway-benchmark");
    Path configuration =
        Files.writeString(
            folder.resolve("nginx.conf"),
            """
            daemon off;
            worker_processes 1;
            pid %1$s/pid;
            error_log %1$s/error.log;
            events { worker_connections 1024; }
            http {
              access_log off;
              client_body_temp_path %1$s/body;
              proxy_temp_path %1$s/proxy;
              fastcgi_temp_path %1$s/fastcgi;
              uwsgi_temp_path %1$s/uwsgi;
              scgi_temp_path %1$s/scgi;
              upstream runtime { server 127.0.0.1:%3$d; keepalive 64; }
              server {
                listen 127.0.0.1:%2$d;
                keepalive_requests 1000000;
                location / {
                  proxy_pass http://runtime;
                  proxy_http_version 1.1;
                  proxy_set_header Connection "";
                }
              }
            }
            """
                .formatted(folder, port, upstream));
    Process process =
        new ProcessBuilder(
                nginx.toAbsolutePath().toString(),
                "-p",
                folder.toString(),
                "-c",
                configuration.toString())
            .inheritIO()
            .start();
    Thread.sleep(1_000);
    return process;
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }
}

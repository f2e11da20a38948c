package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.servedrift.monitors.demo.ImageApi;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeightRollbackTest {
  @TempDir Path folder;

  private Path directory(String name, String... files) throws Exception {
    Path directory = Files.createDirectories(folder.resolve(name));
    for (String file : files) {
      Files.writeString(directory.resolve(file), name);
    }
    return directory;
  }

  /** The other way round the reload would empty the cache, and nothing would be stale. */
  @Test
  void switchesTheFaultOnBeforeTheRightWeightsComeBack() throws Exception {
    Path right = directory("scenes", "pipeline.json", "decoder.pt");
    directory("scenes-off-by-one", "pipeline.json", "text_encoder.off_by_one.pt");
    WeightRollback rollback =
        new WeightRollback(new ServingFiles(folder.resolve("node.jar"), right, folder), folder);
    List<String> calls = new CopyOnWriteArrayList<>();
    HttpServer node =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    node.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          calls.add(exchange.getRequestURI() + " " + new String(body, StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    node.start();
    try {
      ImageApi api = new ImageApi("http://127.0.0.1:" + node.getAddress().getPort());
      rollback.rollOut(api);
      rollback.takeBack(api);
    } finally {
      node.stop(0);
    }

    Path wrong = folder.resolve("off-by-one");
    assertThat(calls)
        .containsExactly(
            "/admin/reload_weights {\"model_dir\":\"" + wrong + "\"}",
            "/admin/faults {\"faults\":[\"stale-cache-after-weights\"]}",
            "/admin/reload_weights {\"model_dir\":\"" + right + "\"}");
    // The wrong files lie over a copy of the right ones, which stay as they were.
    assertThat(wrong.resolve("decoder.pt")).hasContent("scenes");
    assertThat(wrong.resolve("pipeline.json")).hasContent("scenes-off-by-one");
    assertThat(wrong.resolve("text_encoder.off_by_one.pt")).exists();
    assertThat(right.resolve("pipeline.json")).hasContent("scenes");
  }
}

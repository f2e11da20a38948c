package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A headless Chromium with one tab, driven over its DevTools protocol: opens a file, says what went
 * wrong, answers scripts, takes pictures. It must be installed; a missing one is a failure. Not
 * thread-safe.
 */
public final class HeadlessBrowser implements AutoCloseable {
  /** Pairs of texts that cover each other, and chart texts that are cut off. */
  public static final String BAD_TEXTS =
      """
      (() => {
        const bad = [], boxes = [];
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const node = texts.currentNode, parent = node.parentElement;
          if (!node.data.trim() || parent.closest("script, style, noscript, title")) continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const clip = parent.closest(".scroll");
          const limit = clip ? clip.getBoundingClientRect() : {left: -1e9, right: 1e9};
          for (const r of range.getClientRects()) {
            const box = {text: node.data, left: Math.max(r.left, limit.left) + 1, right: Math.min(r.right, limit.right) - 1, top: r.top + 2, bottom: r.bottom - 2};
            if (box.right > box.left && box.bottom > box.top) boxes.push(box);
          }
          const chart = parent.closest("svg");
          if (chart) {
            const inner = parent.getBoundingClientRect(), outer = chart.getBoundingClientRect();
            if (inner.left < outer.left - 1 || inner.right > outer.right + 1) bad.push("cut off: " + node.data);
          }
        }
        boxes.sort((a, b) => a.top - b.top);
        boxes.forEach((a, i) => {
          for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
            const b = boxes[j];
            if (a.left < b.right && b.left < a.right) bad.push(a.text.slice(0, 60) + " | " + b.text.slice(0, 60));
          }
        });
        return bad.slice(0, 10);
      })()
      """;

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final String LISTENING = "DevTools listening on ";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
  private final List<String> problems = new ArrayList<>();
  private final List<String> requests = new ArrayList<>();
  private final String session;
  private int calls;

  /**
   * Starts it.
   *
   * @param profile an empty folder for its profile
   */
  public HeadlessBrowser(Path profile) throws IOException, InterruptedException {
    process =
        new ProcessBuilder(
                binary().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .start();
    socket =
        client
            .newWebSocketBuilder()
            .buildAsync(URI.create(address()), new Messages())
            .orTimeout(60, TimeUnit.SECONDS)
            .join();
    JsonNode target = call("Target.createTarget", Map.of("url", "about:blank"), null);
    JsonNode attached =
        call(
            "Target.attachToTarget",
            Map.of("targetId", target.path("targetId").asText(), "flatten", true),
            null);
    session = attached.path("sessionId").asText();
    call("Page.enable", Map.of());
    call("Runtime.enable", Map.of());
    call("Log.enable", Map.of());
    call("Network.enable", Map.of());
  }

  private static Path binary() {
    for (String folder : System.getenv("PATH").split(":", -1)) {
      for (String name : NAMES) {
        Path file = Path.of(folder, name);
        if (Files.isExecutable(file)) {
          return file;
        }
      }
    }
    throw new AssertionError("no Chromium on the PATH; install the package chromium");
  }

  /** Reads on after the address came, so that the browser never waits for its own messages. */
  private String address() throws IOException {
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    String line;
    while ((line = lines.readLine()) != null) {
      if (line.startsWith(LISTENING)) {
        Thread rest = new Thread(() -> drain(lines), "browser messages");
        rest.setDaemon(true);
        rest.start();
        return line.substring(LISTENING.length()).strip();
      }
    }
    throw new IOException("Chromium ended before it listened");
  }

  private static void drain(BufferedReader lines) {
    try {
      while (lines.readLine() != null) {}
    } catch (IOException ignored) {
      // the browser was closed
    }
  }

  /** Puts the pieces of each message together. */
  private final class Messages implements WebSocket.Listener {
    private final StringBuilder pieces = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      pieces.append(data);
      if (last) {
        try {
          messages.add(JSON.readTree(pieces.toString()));
        } catch (IOException e) {
          throw new IllegalStateException("a message of the browser is no JSON", e);
        }
        pieces.setLength(0);
      }
      from.request(1);
      return null;
    }
  }

  /** Opens a file with a window of this width and the colours a reader prefers. */
  public void open(Path file, int width, String colours) throws InterruptedException {
    problems.clear();
    requests.clear();
    size(width, 900);
    call(
        "Emulation.setEmulatedMedia",
        Map.of(
            "media",
            "screen",
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
    call("Page.navigate", Map.of("url", file.toUri().toString()));
    waitFor("Page.loadEventFired");
  }

  private void size(int width, int height) throws InterruptedException {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** The value of an expression. */
  public JsonNode value(String expression) throws InterruptedException {
    JsonNode answer =
        call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(answer.path("exceptionDetails").toString());
    }
    return answer.at("/result/value");
  }

  /** Writes a picture of the whole page. */
  public void picture(Path file) throws IOException, InterruptedException {
    JsonNode answer =
        call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
    Files.write(file, Base64.getDecoder().decode(answer.path("data").asText()));
  }

  /** Writes the page as it would be printed. */
  public void print(Path file) throws IOException, InterruptedException {
    call("Emulation.setEmulatedMedia", Map.of("media", ""));
    JsonNode answer = call("Page.printToPDF", Map.of("printBackground", true));
    Files.write(file, Base64.getDecoder().decode(answer.path("data").asText()));
  }

  /** Script errors, refused resources and warnings since the page was opened. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** URLs that were asked for since the page was opened. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private JsonNode call(String method, Map<String, ?> parameters) throws InterruptedException {
    return call(method, parameters, session);
  }

  private JsonNode call(String method, Map<String, ?> parameters, @Nullable String inSession)
      throws InterruptedException {
    int id = ++calls;
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    message.set("params", JSON.valueToTree(parameters));
    if (inSession != null) {
      message.put("sessionId", inSession);
    }
    socket.sendText(message.toString(), true).join();
    while (true) {
      JsonNode answer = next();
      if (answer.path("id").asInt() == id) {
        if (answer.has("error")) {
          throw new AssertionError(method + ": " + answer.path("error"));
        }
        return answer.path("result");
      }
    }
  }

  private void waitFor(String event) throws InterruptedException {
    while (!next().path("method").asText().equals(event)) {}
  }

  private JsonNode next() throws InterruptedException {
    JsonNode message = messages.poll(120, TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError("the browser does not answer");
    }
    switch (message.path("method").asText()) {
      case "Runtime.exceptionThrown" ->
          problems.add(message.at("/params/exceptionDetails").toString());
      case "Log.entryAdded" -> problems.add(message.at("/params/entry/text").asText());
      case "Runtime.consoleAPICalled" -> problems.add(message.at("/params/args").toString());
      case "Network.requestWillBeSent" -> requests.add(message.at("/params/request/url").asText());
      default -> {}
    }
    return message;
  }

  /** Asks it to end, so that it clears up behind itself; makes it end when it does not. */
  @Override
  public void close() {
    ObjectNode end = JSON.createObjectNode().put("id", ++calls).put("method", "Browser.close");
    socket.sendText(end.toString(), true).join();
    try {
      process.onExit().get(20, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.abort();
  }
}

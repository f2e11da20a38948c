package io.servedrift.monitors.gate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The address that clients know, in front of the two sides: which one serves stands in a file that
 * a flip command writes, {@code old} or {@code new}. Thread-safe.
 */
public final class SwitchedAddress extends LocalServer {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Path file;
  private final TestNode old;
  private final TestNode fresh;

  private SwitchedAddress(Path file, TestNode old, TestNode fresh) {
    this.file = file;
    this.old = old;
    this.fresh = fresh;
    for (String path : new String[] {"/server_info", "/v1/images/generations"}) {
      on(path, exchangeOf(path));
    }
  }

  /**
   * Starts it.
   *
   * @param old what serves when the file says {@code old}: the old side itself, or what a broken
   *     way back ends with
   */
  public static SwitchedAddress started(Path file, TestNode old, TestNode fresh)
      throws IOException {
    Files.writeString(file, "old");
    SwitchedAddress address = new SwitchedAddress(file, old, fresh);
    address.start();
    return address;
  }

  /** The command that switches it. */
  public String command() {
    return "printf %s \"$SERVEDRIFT_FLIP_TO\" > '" + file + "'";
  }

  private Handler exchangeOf(String path) {
    return body -> forward(path, body);
  }

  private JsonNode forward(String path, JsonNode body) throws IOException, InterruptedException {
    TestNode target = Files.readString(file).equals("new") ? fresh : old;
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target.url() + path));
    HttpResponse<String> answer =
        client.send(
            body.isEmpty()
                ? request.build()
                : request.POST(HttpRequest.BodyPublishers.ofString(body.toString())).build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new Refused(answer.statusCode());
    }
    return JSON.readTree(answer.body());
  }
}

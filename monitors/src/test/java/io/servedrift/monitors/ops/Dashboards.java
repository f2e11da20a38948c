package io.servedrift.monitors.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The shipped Grafana dashboards. */
public final class Dashboards {
  static final Path FOLDER = Path.of("observability/grafana/dashboards");
  private static final ObjectMapper JSON = new ObjectMapper();

  private Dashboards() {}

  /** Every dashboard, as Grafana reads it. */
  public static List<JsonNode> all() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.sorted().map(Dashboards::read).toList();
    }
  }

  private static JsonNode read(Path file) {
    try {
      return JSON.readTree(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }

  /** Every query of the panels and annotations of a dashboard. */
  public static List<String> queries(JsonNode dashboard) {
    List<String> found = new ArrayList<>();
    for (JsonNode panel : dashboard.path("panels")) {
      panel.path("targets").forEach(target -> found.add(target.path("expr").asText()));
    }
    for (JsonNode annotation : dashboard.at("/annotations/list")) {
      if (annotation.has("expr")) {
        found.add(annotation.path("expr").asText());
      }
    }
    return found;
  }
}

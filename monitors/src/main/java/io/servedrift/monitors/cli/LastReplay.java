package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the last replay of this user found, so that {@code explain ID} right after {@code replay}
 * needs no further option. Kept in {@code servedrift/last-replay.json} of the folder for state (XDG
 * base directories); without a home, or where nothing can be written, there is none.
 *
 * @param command that was run
 * @param at when
 * @param report folder of its report, null without one
 * @param findings the last state of each that is kept
 * @param notShown findings beside them, of which nothing is kept
 */
record LastReplay(
    String command, Instant at, @Nullable Path report, Iterable<JsonNode> findings, int notShown) {
  private static final String FILE = "last-replay.json";

  private static Optional<Path> file(Map<String, String> environment) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    String home = environment.getOrDefault("HOME", "");
    if (!state.isEmpty()) {
      return Optional.of(Path.of(state, "servedrift", FILE));
    }
    return home.isEmpty()
        ? Optional.empty()
        : Optional.of(Path.of(home, ".local", "state", "servedrift", FILE));
  }

  /** Keeps it in place of the one before; a convenience that must not fail a replay. */
  void keep(Map<String, String> environment) {
    Optional<Path> file = file(environment);
    if (file.isEmpty()) {
      return;
    }
    ObjectNode document = JsonOutput.document();
    document.put("command", command);
    document.put("at", at.toString());
    document.put("report", report == null ? null : report.toAbsolutePath().toString());
    ArrayNode all = document.putArray("findings");
    findings.forEach(all::add);
    document.put("not_shown", notShown);
    Path unfinished = file.get().resolveSibling(FILE + ".part");
    try {
      Files.createDirectories(file.get().toAbsolutePath().getParent());
      Files.writeString(unfinished, document.toString(), StandardCharsets.UTF_8);
      Files.move(unfinished, file.get(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | SecurityException ignored) {
      // Such as a read-only home: explain then asks for --file or --report.
    }
  }

  /** The last one that was kept. */
  static Optional<LastReplay> find(Map<String, String> environment) {
    return file(environment).filter(Files::isReadable).flatMap(LastReplay::read);
  }

  private static Optional<LastReplay> read(Path file) {
    try {
      JsonNode document = JsonOutput.parse(Files.readString(file));
      if (document == null || !document.path("findings").isArray()) {
        return Optional.empty();
      }
      JsonNode report = document.path("report");
      return Optional.of(
          new LastReplay(
              document.path("command").asText(),
              Instant.parse(document.path("at").asText()),
              report.isTextual() ? Path.of(report.asText()) : null,
              document.path("findings"),
              document.path("not_shown").asInt()));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /** The finding with this id. */
  Optional<JsonNode> finding(String id) {
    for (JsonNode finding : findings) {
      if (finding.path("finding_id").asText().equals(id)) {
        return Optional.of(finding);
      }
    }
    return Optional.empty();
  }
}

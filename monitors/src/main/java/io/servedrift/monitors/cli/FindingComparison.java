package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What differs between findings of two runs: the last state of each finding, by its id. What names
 * the run and not the shift ({@code policy_hash}) is not compared, nor is {@code changed_axes}: it
 * says what was known of the configurations when it was asked.
 *
 * @param added ids only here
 * @param gone ids only there
 * @param changed ids with other content
 */
record FindingComparison(List<String> added, List<String> gone, List<String> changed) {

  /** Compares findings with those of an earlier run. */
  static FindingComparison of(Map<String, JsonNode> before, Map<String, JsonNode> now) {
    List<String> added = new ArrayList<>();
    List<String> gone = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    now.forEach(
        (id, finding) -> {
          JsonNode earlier = before.get(id);
          if (earlier == null) {
            added.add(id);
          } else if (!compared(earlier).equals(compared(finding))) {
            changed.add(id);
          }
        });
    before.keySet().stream().filter(id -> !now.containsKey(id)).forEach(gone::add);
    return new FindingComparison(added, gone, changed);
  }

  private static JsonNode compared(JsonNode finding) {
    ObjectNode copy = finding.deepCopy();
    copy.remove(List.of("policy_hash", "changed_axes"));
    return copy;
  }

  /**
   * Reads findings as {@code replay --json} prints them; the line without a finding, its summary,
   * is passed over.
   */
  static Map<String, JsonNode> read(Path file) {
    Map<String, JsonNode> findings = new LinkedHashMap<>();
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        JsonNode node = JsonOutput.parse(line);
        if (node == null || !node.isObject()) {
          throw CommandFailure.usage(
              file + ": line " + number + " is no JSON object; needs findings, one per line");
        }
        if (node.has("finding_id")) {
          findings.put(node.get("finding_id").asText(), node);
        }
      }
    } catch (CharacterCodingException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": must be UTF-8, one finding per line", e);
    } catch (NoSuchFileException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": no such file", e);
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": cannot be read: " + e.getMessage(), e);
    }
    return findings;
  }

  /** Whether both are the same. */
  boolean isEqual() {
    return added.isEmpty() && gone.isEmpty() && changed.isEmpty();
  }

  /** For people. */
  List<String> lines() {
    if (isEqual()) {
      return List.of("findings are equal");
    }
    List<String> lines = new ArrayList<>();
    added.forEach(id -> lines.add("added    " + id));
    gone.forEach(id -> lines.add("gone     " + id));
    changed.forEach(id -> lines.add("changed  " + id));
    return lines;
  }

  /** For a JSON document. */
  void describe(ObjectNode node) {
    node.put("equal", isEqual());
    put(node.putArray("added"), added);
    put(node.putArray("gone"), gone);
    put(node.putArray("changed"), changed);
  }

  private static void put(ArrayNode array, List<String> ids) {
    ids.stream().filter(Objects::nonNull).forEach(array::add);
  }
}

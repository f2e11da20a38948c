package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Findings as {@code replay --json} prints them, one JSON object per line. */
final class FindingFile {
  private FindingFile() {}

  /**
   * The last state of each finding.
   *
   * @throws CommandFailure when the file cannot be read or a line is no JSON object
   */
  static FindingMemory read(Path file) {
    FindingMemory findings = new FindingMemory();
    each(file, findings::put);
    return findings;
  }

  /**
   * All states of one finding, in the order of the file.
   *
   * @throws CommandFailure as {@link #read}
   */
  static List<JsonNode> of(Path file, String id) {
    List<JsonNode> states = new ArrayList<>();
    each(
        file,
        finding -> {
          if (finding.path("finding_id").asText().equals(id)) {
            states.add(finding);
          }
        });
    return states;
  }

  /** Passes over the line without a finding, which is the summary. */
  private static void each(Path file, Consumer<JsonNode> findings) {
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
          findings.accept(node);
        }
      }
    } catch (CharacterCodingException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": must be UTF-8, one finding per line", e);
    } catch (NoSuchFileException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": no such file", e);
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": cannot be read: " + e.getMessage(), e);
    }
  }
}

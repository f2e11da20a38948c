package io.servedrift.monitors.gate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A finding that is over, kept as prompts for later gates: the lines of the prompt file that showed
 * it, as a prompt file of its own, each marked with the finding. Pure functions.
 */
public final class RegressionCase {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OVER = "closed";

  private RegressionCase() {}

  /**
   * The lines of the case's file, each a JSON object with {@code case}.
   *
   * @param finding must be closed: while it is open, nobody knows what the case must show
   * @param promptFile text of the prompt file, prompts or JSON objects by line
   * @param places which of its prompts, from 0; blank lines count for nothing
   * @throws IllegalArgumentException when the finding is not over or no prompt is named; quotes no
   *     prompt
   */
  public static List<String> lines(JsonNode finding, String promptFile, List<Integer> places) {
    String state = finding.path("state").asText("unknown");
    String id = finding.path("finding_id").asText();
    if (!state.equals(OVER)) {
      throw new IllegalArgumentException(
          "finding " + id + " is " + state + ": must be closed to be kept as a case");
    }
    if (places.isEmpty()) {
      throw new IllegalArgumentException(
          "finding " + id + ": no prompt of the file is one of its exemplars, nothing to keep");
    }
    boolean json = promptFile.stripLeading().startsWith("{");
    List<String> given = promptFile.lines().filter(line -> !line.isBlank()).toList();
    List<String> lines = new ArrayList<>();
    for (int place : places) {
      ObjectNode prompt = json ? object(given.get(place), place) : JSON.createObjectNode();
      if (!json) {
        prompt.put("prompt", given.get(place).strip());
      }
      lines.add(prompt.put("case", id).toString());
    }
    return lines;
  }

  private static ObjectNode object(String line, int place) {
    try {
      if (JSON.readTree(line) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException e) {
      // The parser's own text may quote the prompt.
      throw new IllegalArgumentException("prompt " + place + ": is not one JSON object");
    }
    throw new IllegalArgumentException("prompt " + place + ": is not one JSON object");
  }
}

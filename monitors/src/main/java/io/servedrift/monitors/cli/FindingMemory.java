package io.servedrift.monitors.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last state of each finding of a run, in the order in which they opened: of the first {@value
 * #MOST_SHOWN} as it is, of all of them the hash of what is compared. So a run of any length takes
 * a hundred bytes per finding. Not thread-safe.
 */
final class FindingMemory {
  static final int MOST_SHOWN = 1_000;

  /**
   * What names the run and not the shift, and what says what was known of the configurations when
   * it was asked.
   */
  private static final List<String> NOT_COMPARED = List.of("policy_hash", "changed_axes");

  private static final ObjectMapper SORTED =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private final Map<String, String> hashes = new LinkedHashMap<>();
  private final Map<String, byte[]> shown = new LinkedHashMap<>();

  /** Takes the next state of a finding. */
  void put(JsonNode finding) {
    String id = finding.path("finding_id").asText();
    boolean known = hashes.put(id, hash(finding)) != null;
    if (known ? shown.containsKey(id) : shown.size() < MOST_SHOWN) {
      shown.put(id, finding.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Two findings with the same hash say the same, in whatever order of their fields. */
  private static String hash(JsonNode finding) {
    ObjectNode copy = finding.deepCopy();
    copy.remove(NOT_COMPARED);
    try {
      byte[] sorted = SORTED.writeValueAsBytes(SORTED.treeToValue(copy, Object.class));
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(sorted));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain nodes cannot fail to print", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Hash of what is compared by id. */
  Map<String, String> hashes() {
    return hashes;
  }

  /** Findings known. */
  int size() {
    return hashes.size();
  }

  /** Findings of which only the hash is known. */
  int notShown() {
    return hashes.size() - shown.size();
  }

  /** The last state of those that are shown. */
  List<JsonNode> shown() {
    List<JsonNode> findings = new ArrayList<>(shown.size());
    for (byte[] body : shown.values()) {
      JsonNode finding = JsonOutput.parse(new String(body, StandardCharsets.UTF_8));
      if (finding != null) {
        findings.add(finding);
      }
    }
    return findings;
  }
}

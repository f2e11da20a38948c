package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The difference of two configurations, leaf by leaf, sorted by path.
 *
 * @param changes empty when they are alike
 */
public record ConfigDiff(List<Change> changes) {
  public ConfigDiff {
    changes = List.copyOf(changes);
  }

  /**
   * One leaf that differs.
   *
   * @param path e.g. {@code batching.max_batch_size}
   * @param left canonical JSON of the left value, null if it has none
   * @param right canonical JSON of the right value, null if it has none
   * @param counts whether the leaf is part of the fingerprint
   */
  public record Change(String path, @Nullable String left, @Nullable String right, boolean counts) {
    /** {@code path: 8 -> 16}, {@code + path: 16}, {@code - path: 8}. */
    public String text() {
      String note = counts ? "" : "  (not counted)";
      if (left == null) {
        return "+ " + path + ": " + right + note;
      }
      if (right == null) {
        return "- " + path + ": " + left + note;
      }
      return "  " + path + ": " + left + " -> " + right + note;
    }
  }

  private record Leaf(String value, boolean counts) {}

  /** Compares two {@code config} objects as given; secrets in them take no part. */
  public static ConfigDiff ofConfigs(JsonNode left, JsonNode right) {
    return between(ConfigFingerprint.ofConfig(left), ConfigFingerprint.ofConfig(right));
  }

  /** Compares two {@code model} objects as given. */
  public static ConfigDiff ofModels(JsonNode left, JsonNode right) {
    return between(ConfigFingerprint.ofModel(left), ConfigFingerprint.ofModel(right));
  }

  /** Compares what two fingerprints stand for. */
  public static ConfigDiff between(
      ConfigFingerprint.Fingerprint left, ConfigFingerprint.Fingerprint right) {
    Map<String, Leaf> a = leaves(left);
    Map<String, Leaf> b = leaves(right);
    List<Change> changes = new ArrayList<>();
    TreeMap<String, Leaf> all = new TreeMap<>(a);
    all.putAll(b);
    for (String path : all.keySet()) {
      Leaf l = a.get(path);
      Leaf r = b.get(path);
      if (l == null || !l.equals(r)) {
        changes.add(
            new Change(
                path,
                l == null ? null : l.value(),
                r == null ? null : r.value(),
                (l != null && l.counts()) || (r != null && r.counts())));
      }
    }
    return new ConfigDiff(changes);
  }

  /** Whether the fingerprints differ. */
  public boolean changesFingerprint() {
    return changes.stream().anyMatch(Change::counts);
  }

  /** One line per change, or a line that says there is none. */
  public String text() {
    return changes.isEmpty()
        ? "no difference"
        : changes.stream().map(Change::text).collect(Collectors.joining("\n"));
  }

  private static Map<String, Leaf> leaves(ConfigFingerprint.Fingerprint f) {
    Map<String, Leaf> leaves = new TreeMap<>();
    collect(StrictJson.trusted(f.counted()), "", true, leaves);
    collect(StrictJson.trusted(f.notCounted()), "", false, leaves);
    return leaves;
  }

  private static void collect(JsonNode node, String path, boolean counts, Map<String, Leaf> into) {
    if (node instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        collect(e.getValue(), path.isEmpty() ? e.getKey() : path + "." + e.getKey(), counts, into);
      }
    } else {
      into.put(path, new Leaf(node.toString(), counts));
    }
  }
}

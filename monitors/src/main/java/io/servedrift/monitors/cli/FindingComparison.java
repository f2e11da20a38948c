package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What differs between findings of two runs: the last state of each finding, by its id. What names
 * the run and not the shift is not compared, see {@link FindingMemory}.
 *
 * @param added ids only here
 * @param gone ids only there
 * @param changed ids with other content
 */
record FindingComparison(List<String> added, List<String> gone, List<String> changed) {

  /** Compares findings with those of an earlier run. */
  static FindingComparison of(FindingMemory before, FindingMemory now) {
    List<String> added = new ArrayList<>();
    List<String> gone = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    now.hashes()
        .forEach(
            (id, hash) -> {
              String earlier = before.hashes().get(id);
              if (earlier == null) {
                added.add(id);
              } else if (!earlier.equals(hash)) {
                changed.add(id);
              }
            });
    before.hashes().keySet().stream()
        .filter(id -> !now.hashes().containsKey(id))
        .forEach(gone::add);
    return new FindingComparison(added, gone, changed);
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

package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Collects what is wrong with a mapping, so that all of it is said at once. Not thread-safe. */
final class MappingProblems {
  private final List<String> problems = new ArrayList<>();

  void add(String where, String what) {
    problems.add(where + ": " + what);
  }

  void requireKnownKeys(JsonNode object, String prefix, Collection<String> known) {
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      if (!known.contains(entry.getKey())) {
        add(prefix + entry.getKey(), "unknown key" + Nearest.hint(entry.getKey(), known));
      }
    }
  }

  List<String> all() {
    return problems;
  }
}

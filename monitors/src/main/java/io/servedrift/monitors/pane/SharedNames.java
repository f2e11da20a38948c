package io.servedrift.monitors.pane;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One instance of each name that records repeat: deployment, configuration, node, bucket, metric.
 * Every record brings its own copies, and the requests of a whole horizon are remembered, most of
 * whose bytes these would be. Changes no value. Bounded; not thread-safe.
 */
final class SharedNames {
  /** A flood of names starts anew: sharing only saves memory. */
  static final int MOST = 4096;

  private final Map<String, String> names = new HashMap<>();

  /** The shared instance that equals a name. */
  String of(String name) {
    String known = names.get(name);
    if (known != null) {
      return known;
    }
    if (names.size() == MOST) {
      names.clear();
    }
    names.put(name, name);
    return name;
  }

  /** The same value with shared names. */
  ServedRequest.Value of(ServedRequest.Value value) {
    return new ServedRequest.Value(of(value.name()), value.value(), of(value.scorer()));
  }

  /** The same request with shared names; its id stays its own. */
  ServedRequest of(ServedRequest request) {
    List<String> buckets = new ArrayList<>(request.buckets().size());
    request.buckets().forEach(bucket -> buckets.add(of(bucket)));
    return new ServedRequest(
        of(request.deployment()),
        request.requestId(),
        of(request.modelId()),
        of(request.configId()),
        request.finishedMicros(),
        request.arrivedMicros(),
        request.outcome(),
        List.copyOf(buckets),
        values(request.metrics()),
        values(request.scores()));
  }

  private List<ServedRequest.Value> values(List<ServedRequest.Value> values) {
    List<ServedRequest.Value> shared = new ArrayList<>(values.size());
    values.forEach(value -> shared.add(of(value)));
    return List.copyOf(shared);
  }

  /** Names known. */
  int size() {
    return names.size();
  }
}

package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.BatchKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The running requests, one batch for each batch key. Guarded by the planner. */
final class RunningBatches {

  /** For the sake of priority a batch is passed by so many times for each other batch. */
  static final int PATIENCE = 4;

  /** The least loss first: lowest priority, then the youngest. */
  static final Comparator<Job> LEAST_LOSS =
      Comparator.comparingInt(Job::priority)
          .thenComparing(Comparator.comparingLong((Job job) -> job.order).reversed());

  private final Map<BatchKey, Group> groups = new LinkedHashMap<>();
  private int size;
  private long steps;

  /** Requests that run. */
  int size() {
    return size;
  }

  /** Requests that run with this key. */
  int size(BatchKey key) {
    Group group = groups.get(key);
    return group == null ? 0 : group.size();
  }

  /** Steps chosen so far, those without a batch included. */
  long steps() {
    return steps;
  }

  List<Job> jobs() {
    List<Job> jobs = new ArrayList<>(size);
    groups.values().forEach(group -> jobs.addAll(group.batch()));
    return jobs;
  }

  /** The running requests with this key. */
  List<Job> jobs(BatchKey key) {
    Group group = groups.get(key);
    return group == null ? List.of() : group.batch();
  }

  void add(Job job) {
    groups.computeIfAbsent(job.key, key -> new Group(steps)).add(job);
    size++;
  }

  void remove(Job job) {
    Group group = Objects.requireNonNull(groups.get(job.key));
    group.remove(job);
    if (group.size() == 0) {
      groups.remove(job.key);
    }
    size--;
  }

  /** Chooses the next batch. */
  Step next() {
    steps++;
    Group next = null;
    for (Group group : groups.values()) {
      if (next == null || before(group, next)) {
        next = group;
      }
    }
    if (next == null) {
      return new Step(List.of(), List.of());
    }
    List<Job> stalled = new ArrayList<>();
    for (Group group : groups.values()) {
      if (group != next) {
        group.passed++;
        stalled.addAll(group.batch());
      }
    }
    next.passed = 0;
    next.lastStep = steps;
    return new Step(next.batch(), stalled);
  }

  private boolean before(Group one, Group other) {
    int patience = PATIENCE * (groups.size() - 1);
    boolean oneDue = one.passed >= patience;
    boolean otherDue = other.passed >= patience;
    if (oneDue != otherDue) {
      return oneDue;
    }
    if (!oneDue && one.highestPriority() != other.highestPriority()) {
      return one.highestPriority() > other.highestPriority();
    }
    return one.lastStep < other.lastStep;
  }
}

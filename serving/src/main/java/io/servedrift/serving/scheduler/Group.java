package io.servedrift.serving.scheduler;

import java.util.List;
import java.util.stream.Stream;

/** The running requests of one batch key, which are stepped together. Guarded by the planner. */
final class Group {

  /** In order of admission; another list whenever the members change, and only then. */
  private List<Job> batch = List.of();

  /** The count of steps when it was last stepped, or joined by its first member. */
  long lastStep;

  /** Steps of other groups since. */
  int passed;

  Group(long lastStep) {
    this.lastStep = lastStep;
  }

  void add(Job job) {
    batch = Stream.concat(batch.stream(), Stream.of(job)).toList();
  }

  void remove(Job job) {
    batch = batch.stream().filter(other -> other != job).toList();
  }

  int size() {
    return batch.size();
  }

  List<Job> batch() {
    return batch;
  }

  int highestPriority() {
    return batch.stream().mapToInt(Job::priority).max().orElse(Integer.MIN_VALUE);
  }
}

package io.servedrift.monitors.demo;

import io.servedrift.schemas.avro.BatchSegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request on its way through a simulated node; times in microseconds since the epoch. */
final class Job {
  final String id;
  final long arrivedMicros;
  final Prompt prompt;
  final int edge;
  final int steps;
  final long seed;
  final @Nullable String adapter;

  long startedMicros;
  long encodeMicros;
  long denoiseMicros;
  long decodeMicros;
  @Nullable Boolean cacheHit;
  int cachedSteps;
  int stepsLeft;
  int running;
  int waiting;
  int joined;
  int left;
  final List<BatchSegment> segments = new ArrayList<>();
  final Set<String> neighbours = new LinkedHashSet<>();

  Job(
      String id,
      long arrivedMicros,
      Prompt prompt,
      int edge,
      int steps,
      long seed,
      @Nullable String adapter) {
    this.id = id;
    this.arrivedMicros = arrivedMicros;
    this.prompt = prompt;
    this.edge = edge;
    this.steps = steps;
    this.seed = seed;
    this.adapter = adapter;
  }

  /** Work per step relative to 512 x 512; attention makes it grow faster than the pixels' edge. */
  double size() {
    return Math.pow(edge / 512.0, 1.6);
  }

  /** Notes one denoising step in company of {@code size - 1} others. */
  void step(int size) {
    int last = segments.size() - 1;
    if (last >= 0 && segments.get(last).getSize() == size) {
      segments.get(last).setSteps(segments.get(last).getSteps() + 1);
    } else {
      segments.add(new BatchSegment(size, 1));
    }
    stepsLeft--;
  }
}

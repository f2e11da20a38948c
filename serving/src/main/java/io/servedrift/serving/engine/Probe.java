package io.servedrift.serving.engine;

import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import io.servedrift.serving.recorder.ServingIdentity;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/** Runs known requests on a backend, to compare and to time them. Not thread-safe. */
final class Probe {

  /** Short and long. */
  static final List<String> PROMPTS =
      List.of(
          "a red circle",
          "a large blue square on a white background",
          "two green triangles",
          "a small yellow circle left of a red square above a blue triangle",
          "a black square",
          "a white circle on a red background",
          "a red circle and a blue square",
          "three small yellow squares");

  /** The same first two, others beside them; the longest is as long as before. */
  static final List<String> OTHER_NEIGHBOURS =
      List.of(
          PROMPTS.get(0),
          PROMPTS.get(1),
          "a blue circle and a yellow triangle",
          "a large black triangle right of a white circle below a green square",
          "two red squares",
          "a yellow square",
          "three white triangles on a black background",
          "a green circle");

  private static final ServingIdentity IDENTITY =
      new ServingIdentity("report", null, "unknown", "unknown", Set.of());

  private final TorchBackend backend;

  Probe(TorchBackend backend) {
    this.backend = backend;
  }

  /** The final latents of each prompt, each in a batch of its own; seeds are the positions. */
  List<float[]> alone() {
    List<float[]> latents = new ArrayList<>();
    for (int i = 0; i < PROMPTS.size(); i++) {
      latents.addAll(together(PROMPTS.subList(i, i + 1), i));
    }
    return latents;
  }

  /** The final latents of the prompts in one batch. */
  List<float[]> together(List<String> prompts, int firstSeed) {
    List<List<float[]>> steps = stepByStep(prompts, firstSeed);
    return steps.get(steps.size() - 1);
  }

  /** The latents of the prompts in one batch after each step. */
  List<List<float[]>> stepByStep(List<String> prompts, int firstSeed) {
    List<List<float[]>> steps = new ArrayList<>();
    List<Generation> batch = begin(prompts, firstSeed, backend.manifest().defaults().steps());
    try {
      while (batch.get(0).remainingSteps() > 0) {
        backend.step(batch);
        steps.add(batch.stream().map(backend::latent).toList());
      }
    } finally {
      batch.forEach(Generation::close);
    }
    return steps;
  }

  /**
   * Median time of a step of a batch of so many, milliseconds: CPU time of this thread, or by the
   * clock, for a device that works while the thread waits. A step ends with its result on the heap.
   */
  double stepMillis(int size, int warmUp, int timed, boolean byTheClock) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    LongSupplier timer = byTheClock ? System::nanoTime : threads::getCurrentThreadCpuTime;
    double[] millis = new double[timed];
    List<Generation> batch = begin(PROMPTS.subList(0, size), 0, warmUp + timed);
    try {
      for (int i = 0; i < warmUp + timed; i++) {
        long started = timer.getAsLong();
        backend.step(batch);
        millis[Math.max(0, i - warmUp)] = (timer.getAsLong() - started) / 1e6;
      }
    } finally {
      batch.forEach(Generation::close);
    }
    Arrays.sort(millis);
    return millis[timed / 2];
  }

  private List<Generation> begin(List<String> prompts, int firstSeed, int steps) {
    PipelineManifest manifest = backend.manifest();
    PipelineManifest.ImageSize size = manifest.shapes().get(0);
    List<Generation> batch = new ArrayList<>();
    for (int i = 0; i < prompts.size(); i++) {
      ImageRequest request =
          new ImageRequest(
              "report-" + i,
              prompts.get(i),
              null,
              size.width(),
              size.height(),
              steps,
              manifest.defaults().guidanceScale(),
              firstSeed + i,
              List.of(),
              0,
              null,
              true);
      batch.add(backend.begin(request, new RequestRecorder(IDENTITY, request.requestId())));
    }
    return batch;
  }
}

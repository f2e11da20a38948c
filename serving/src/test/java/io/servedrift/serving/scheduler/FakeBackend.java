package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.BatchKey;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Counts steps in place of denoising, and holds what it is given against the contract. */
final class FakeBackend implements DiffusionBackend {

  /** The ids of each batch that was stepped. */
  final List<List<String>> batches = new ArrayList<>();

  final List<String> begun = new ArrayList<>();
  final List<String> closed = new ArrayList<>();
  final Set<String> failBegin = new HashSet<>();
  final Set<String> failDecode = new HashSet<>();

  /** Called with the ids before each step; may fail it. */
  Consumer<List<String>> beforeStep = ids -> {};

  /** What broke the contract; not thrown, because the scheduler takes that for a failed batch. */
  final List<String> violations = new ArrayList<>();

  /** Generations that were begun and not closed. */
  int open;

  @Override
  public Generation begin(ImageRequest request, RequestRecorder recorder) {
    begun.add(request.requestId());
    if (failBegin.contains(request.requestId())) {
      throw new IllegalArgumentException("cannot begin " + request.requestId());
    }
    open++;
    return new Counter(request);
  }

  @Override
  public void step(List<Generation> batch) {
    List<String> ids = batch.stream().map(g -> g.request().requestId()).toList();
    beforeStep.accept(ids);
    if (batch.stream().map(g -> BatchKey.of(g.request())).distinct().count() != 1) {
      violations.add("unequal keys in " + ids);
    }
    batches.add(ids);
    for (Generation generation : batch) {
      Counter counter = (Counter) generation;
      if (counter.closed || counter.remaining == 0) {
        violations.add("stepped after its end: " + counter.request.requestId());
      }
      counter.remaining--;
    }
  }

  @Override
  public ImageOutput decode(Generation generation) {
    if (generation.remainingSteps() != 0 || ((Counter) generation).closed) {
      violations.add("decoded too early or late: " + generation.request().requestId());
    }
    if (failDecode.contains(generation.request().requestId())) {
      throw new IllegalStateException("cannot decode " + generation.request().requestId());
    }
    return new ImageOutput(1, 1, new byte[] {(byte) generation.request().seed(), 0, 0});
  }

  @Override
  public void close() {
    violations.add("closed by the scheduler");
  }

  private final class Counter implements Generation {
    private final ImageRequest request;
    private int remaining;
    private boolean closed;

    private Counter(ImageRequest request) {
      this.request = request;
      this.remaining = request.steps();
    }

    @Override
    public ImageRequest request() {
      return request;
    }

    @Override
    public int remainingSteps() {
      return remaining;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        open--;
        FakeBackend.this.closed.add(request.requestId());
      }
    }
  }
}

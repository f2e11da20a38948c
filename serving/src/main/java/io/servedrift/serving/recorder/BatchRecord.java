package io.servedrift.serving.recorder;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.BatchSegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who shared the batch, step by step. Not thread-safe: guarded by its {@link RequestRecorder}. */
final class BatchRecord {

  private static final int MAX_NEIGHBOURS = 256;
  private static final int MAX_SEGMENTS = 1024;

  private final List<BatchSegment> segments = new ArrayList<>();
  private final Set<String> neighbours = new LinkedHashSet<>();
  private final Set<String> adapters = new LinkedHashSet<>();
  private @Nullable Integer running;
  private @Nullable Integer waiting;
  private int min = Integer.MAX_VALUE;
  private int max;
  private long sum;
  private long steps;
  private boolean segmentsCut;
  private int joined;
  private int left;
  private boolean anyNeighbour;

  void admitted(int runningNow, int waitingNow) {
    running = runningNow;
    waiting = waitingNow;
  }

  void step(int size) {
    min = Math.min(min, size);
    max = Math.max(max, size);
    sum += size;
    steps++;
    BatchSegment last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
    if (segmentsCut) {
      return;
    }
    if (last != null && last.getSize() == size) {
      last.setSteps(last.getSteps() + 1);
    } else if (segments.size() < MAX_SEGMENTS) {
      segments.add(new BatchSegment(size, 1));
    } else {
      // From here on runs are missing; to append a later equal one would tell a false order.
      segmentsCut = true;
    }
  }

  void neighbour(String id, Collection<String> itsAdapters, boolean whileRunning) {
    anyNeighbour = true;
    joined += whileRunning ? 1 : 0;
    if (neighbours.size() < MAX_NEIGHBOURS) {
      neighbours.add(id);
    }
    adapters.addAll(itsAdapters);
  }

  void left() {
    anyNeighbour = true;
    left++;
  }

  /** {@code null} when nothing is known of the batch. */
  @Nullable BatchComposition toAvro(boolean changesObserved) {
    if (steps == 0 && running == null && !anyNeighbour && !changesObserved) {
      return null;
    }
    boolean changesKnown = changesObserved || anyNeighbour;
    BatchComposition.Builder batch =
        BatchComposition.newBuilder()
            .setRunning(running)
            .setWaiting(waiting)
            .setNeighbours(List.copyOf(neighbours))
            .setSegments(List.copyOf(segments));
    if (steps > 0) {
      batch.setSizeMin(min).setSizeMean((double) sum / steps).setSizeMax(max);
    }
    if (changesKnown) {
      batch.setJoined(joined).setLeft(left).setNeighbourAdapters(adapters.size());
    }
    return batch.build();
  }
}

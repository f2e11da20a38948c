package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.Observed;
import io.servedrift.serving.recorder.RequestRecorder;
import io.servedrift.serving.recorder.ServingIdentity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Requests and recorders for tests. */
final class Requests {

  private static final ServingIdentity IDENTITY =
      new ServingIdentity("image-gen", "gpu-0", "c1", "m1", EnumSet.allOf(Observed.class));

  private Requests() {}

  /** 64 by 64 pixels, priority 0, no deadline. */
  static ImageRequest request(String id, int steps) {
    return request(id, steps, 64, 0, null);
  }

  static ImageRequest request(
      String id, int steps, int width, int priority, @Nullable Duration timeout) {
    return new ImageRequest(
        id, "a red circle", null, width, 64, steps, 4, 7, List.of(), priority, timeout, true);
  }

  static RequestRecorder recorder(String id) {
    return new RequestRecorder(IDENTITY, id);
  }

  static RequestRecorder recorder(String id, LongSupplier nanoTime) {
    return new RequestRecorder(() -> IDENTITY, id, InstantSource.fixed(Instant.EPOCH), nanoTime);
  }
}

package io.servedrift.serving.engine;

import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.Ending;
import io.servedrift.serving.recorder.Observed;
import io.servedrift.serving.recorder.RequestRecorder;
import io.servedrift.serving.recorder.ServingIdentity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests of the tests, and what became of them. */
final class Requests {

  /** A pipeline of random weights, made by src/test/python/make_random_pipeline.py. */
  static final Path RANDOM_PIPELINE = Path.of("src/test/resources/pipeline-random");

  static final String SHORT = "a red circle";
  static final String LONG =
      "a large red circle above two small blue squares on a white background";

  private Requests() {}

  static ImageRequest request(String prompt, long seed) {
    return request(prompt, null, seed, 6, 3, true);
  }

  static ImageRequest request(
      String prompt,
      @Nullable String negative,
      long seed,
      int steps,
      double guidance,
      boolean useCache) {
    return new ImageRequest(
        "r-" + seed, prompt, negative, 32, 32, steps, guidance, seed, List.of(), 0, null, useCache);
  }

  static RequestRecorder recorder() {
    return new RequestRecorder(
        new ServingIdentity("d", "n", "c", "m", EnumSet.of(Observed.DENOISE_CACHE)), "r");
  }

  /** Where a generation is after all its steps, each in a batch with all the others. */
  static List<float[]> latents(TorchBackend backend, List<ImageRequest> requests) {
    List<Generation> batch = new ArrayList<>();
    try {
      requests.forEach(request -> batch.add(backend.begin(request, recorder())));
      while (batch.get(0).remainingSteps() > 0) {
        backend.step(batch);
      }
      return batch.stream().map(backend::latent).toList();
    } finally {
      batch.forEach(Generation::close);
    }
  }

  static float[] latent(TorchBackend backend, ImageRequest request) {
    return latents(backend, List.of(request)).get(0);
  }

  /** What was recorded of a request served alone. */
  static RequestEvent serve(TorchBackend backend, ImageRequest request) {
    RequestRecorder recorder = recorder();
    try (Generation generation = backend.begin(request, recorder)) {
      while (generation.remainingSteps() > 0) {
        backend.step(List.of(generation));
      }
      ImageOutput image = backend.decode(generation);
      recorder.output("sha", image.rgb().length);
    }
    return recorder.finish(Ending.ok("stop")).orElseThrow();
  }

  static CacheUse cacheUse(TorchBackend backend, ImageRequest request) {
    return serve(backend, request).getCache();
  }

  /** {@code |a - b| / |b|}, Euclidean. */
  static double distance(float[] a, float[] b) {
    double difference = 0;
    double size = 0;
    for (int i = 0; i < a.length; i++) {
      difference += Math.pow((double) a[i] - b[i], 2);
      size += Math.pow(b[i], 2);
    }
    return Math.sqrt(difference / size);
  }
}

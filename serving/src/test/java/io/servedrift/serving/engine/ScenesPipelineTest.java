package io.servedrift.serving.engine;

import static io.servedrift.serving.engine.Requests.distance;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine on the model that is part of the repository. */
class ScenesPipelineTest {

  private static final EngineSettings SETTINGS = EngineSettings.defaults(Path.of("models/scenes"));

  private static ImageRequest request(TorchBackend backend, String prompt, int width, int height) {
    PipelineManifest.Defaults defaults = backend.manifest().defaults();
    return new ImageRequest(
        "r",
        prompt,
        null,
        width,
        height,
        defaults.steps(),
        defaults.guidanceScale(),
        7,
        List.of(),
        0,
        null,
        true);
  }

  private static ImageOutput image(TorchBackend backend, ImageRequest request) {
    try (Generation generation = backend.begin(request, Requests.recorder())) {
      while (generation.remainingSteps() > 0) {
        backend.step(List.of(generation));
      }
      return backend.decode(generation);
    }
  }

  @Test
  void makesImagesOfEveryShape() throws Exception {
    try (TorchBackend backend = TorchBackend.load(SETTINGS, Faults.none())) {
      for (PipelineManifest.ImageSize size : backend.manifest().shapes()) {
        ImageOutput image =
            image(backend, request(backend, "a red circle", size.width(), size.height()));

        assertThat(image.rgb()).hasSize(3 * size.width() * size.height());
      }
    }
  }

  @Test
  void aBatchOfMixedLengthsIsTheSameImagesInFp32() throws Exception {
    try (TorchBackend backend = TorchBackend.load(SETTINGS, Faults.none())) {
      ImageRequest first = request(backend, "a red circle", 64, 64);
      ImageRequest second =
          request(backend, "a small blue square left of a large green triangle", 64, 64);

      List<float[]> together = Requests.latents(backend, List.of(first, second));

      assertThat(distance(together.get(0), Requests.latent(backend, first))).isLessThan(1e-4);
      assertThat(distance(together.get(1), Requests.latent(backend, second))).isLessThan(1e-4);
    }
  }

  @Test
  void runsInEveryPrecisionItHas() throws Exception {
    float[] exact;
    try (TorchBackend backend = TorchBackend.load(SETTINGS, Faults.none())) {
      exact = Requests.latent(backend, request(backend, "a red circle", 64, 64));
    }
    for (Precision precision : List.of(Precision.BF16, Precision.INT8)) {
      try (TorchBackend backend =
          TorchBackend.load(SETTINGS.withPrecision(precision), Faults.none())) {
        float[] latent = Requests.latent(backend, request(backend, "a red circle", 64, 64));

        assertThat(distance(latent, exact)).isBetween(1e-6, 0.5);
      }
    }
  }

  /** What the demonstration rolls out and takes back: made for these weights, and of no others. */
  @Test
  void takesTheTextEncoderThatIsOffByOne_andComesBack(@TempDir Path folder) throws Exception {
    for (Path from : List.of(SETTINGS.model(), Path.of("models/scenes-off-by-one"))) {
      try (var files = Files.list(from)) {
        for (Path file : files.toList()) {
          Files.copy(
              file,
              folder.resolve(String.valueOf(file.getFileName())),
              StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
    try (TorchBackend backend = TorchBackend.load(SETTINGS, Faults.none())) {
      ImageRequest request = request(backend, "a red circle", 64, 64);
      String weights = backend.manifest().weightsDigest();
      float[] right = Requests.latent(backend, request);

      backend.reload(folder);

      assertThat(backend.manifest().weightsDigest()).isNotEqualTo(weights);
      assertThat(distance(Requests.latent(backend, request), right)).isGreaterThan(0.3);

      backend.reload(SETTINGS.model());

      assertThat(backend.manifest().weightsDigest()).isEqualTo(weights);
      assertThat(Requests.latent(backend, request)).isEqualTo(right);
    }
  }
}

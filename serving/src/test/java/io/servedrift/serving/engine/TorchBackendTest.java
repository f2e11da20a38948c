package io.servedrift.serving.engine;

import static io.servedrift.serving.engine.Requests.LONG;
import static io.servedrift.serving.engine.Requests.SHORT;
import static io.servedrift.serving.engine.Requests.distance;
import static io.servedrift.serving.engine.Requests.latent;
import static io.servedrift.serving.engine.Requests.latents;
import static io.servedrift.serving.engine.Requests.recorder;
import static io.servedrift.serving.engine.Requests.request;
import static io.servedrift.serving.engine.Requests.serve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.DenoiseCache;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine on a pipeline of random weights. */
class TorchBackendTest {

  private static final EngineSettings SETTINGS = EngineSettings.defaults(Requests.RANDOM_PIPELINE);

  private TorchBackend backend;

  @BeforeEach
  void load() throws Exception {
    backend = TorchBackend.load(SETTINGS, Faults.none());
  }

  @AfterEach
  void close() {
    backend.close();
  }

  @Test
  void makesAnImageOfTheAskedSize() {
    ImageRequest wide =
        new ImageRequest("r", SHORT, null, 32, 24, 3, 3, 1, List.of(), 0, null, true);
    try (Generation generation = backend.begin(wide, recorder())) {
      for (int left = 3; left > 0; left--) {
        assertThat(generation.remainingSteps()).isEqualTo(left);
        backend.step(List.of(generation));
      }
      ImageOutput image = backend.decode(generation);

      assertThat(generation.remainingSteps()).isZero();
      assertThat(image.width()).isEqualTo(32);
      assertThat(image.height()).isEqualTo(24);
      assertThat(image.rgb()).hasSize(32 * 24 * 3);
    }
  }

  @Test
  void sameRequestIsTheSameLatentAndSeedPromptAndNegativeMatter() {
    float[] once = latent(backend, request(SHORT, 1));

    assertThat(latent(backend, request(SHORT, 1))).isEqualTo(once);
    assertThat(latent(backend, request(SHORT, 2))).isNotEqualTo(once);
    assertThat(latent(backend, request(LONG, 1))).isNotEqualTo(once);
    assertThat(latent(backend, request(SHORT, "blue", 1, 6, 3, true))).isNotEqualTo(once);
  }

  /** With u the empty prompt's and c the prompt's prediction, guidance is linear in its scale. */
  @Test
  void guidanceExtrapolatesFromTheEmptyPrompt() {
    float[] prompt = latent(backend, request(SHORT, null, 1, 1, 1, true));
    float[] empty = latent(backend, request("", null, 1, 1, 1, true));
    float[] guided = latent(backend, request(SHORT, null, 1, 1, 3, true));

    for (int i = 0; i < guided.length; i++) {
      float expected = empty[i] + 3 * (prompt[i] - empty[i]);
      assertThat(guided[i]).isCloseTo(expected, within(1e-4f * (1 + Math.abs(expected))));
    }
  }

  @Test
  void requestsOfOneBatchAreEachAtTheirOwnStep() {
    ImageRequest early = request(SHORT, null, 1, 6, 3, true);
    ImageRequest late = request(LONG, null, 2, 4, 3, true);
    float[] earlyAlone = latent(backend, early);
    float[] lateAlone = latent(backend, late);

    Generation first = backend.begin(early, recorder());
    Generation second = backend.begin(late, recorder());
    try (first;
        second) {
      backend.step(List.of(first));
      backend.step(List.of(first));
      while (second.remainingSteps() > 0) {
        backend.step(List.of(first, second));
      }
      assertThat(first.remainingSteps()).isZero();
      assertThat(distance(backend.latent(first), earlyAlone)).isLessThan(1e-5);
      assertThat(distance(backend.latent(second), lateAlone)).isLessThan(1e-5);
    }
  }

  /** Padding is masked, so prompts of other lengths do not change a request beyond rounding. */
  @Test
  void neighboursOfOtherLengthsDoNotMatterInFp32() {
    List<float[]> together =
        latents(
            backend,
            List.of(request(SHORT, 1), request(LONG, 2), request("", 3), request("a square", 4)));

    assertThat(distance(together.get(0), latent(backend, request(SHORT, 1)))).isLessThan(1e-5);
    assertThat(distance(together.get(1), latent(backend, request(LONG, 2)))).isLessThan(1e-5);
  }

  @ParameterizedTest
  @EnumSource
  void everySamplerAndEveryPrecisionRuns(SamplerKind sampler) throws Exception {
    for (Precision precision : Precision.values()) {
      try (TorchBackend other =
          TorchBackend.load(
              SETTINGS.withSampler(sampler).withPrecision(precision), Faults.none())) {
        float[] latent = latent(other, request(SHORT, 1));

        assertThat(other.sampler()).isEqualTo(sampler);
        if (precision == Precision.FP32) {
          assertThat(latent).isEqualTo(exact(sampler));
        } else {
          // int8 and bf16 keep two digits or so of a denoiser.
          assertThat(distance(latent, exact(sampler))).isBetween(1e-6, 0.2);
        }
      }
    }
  }

  private static float[] exact(SamplerKind sampler) throws Exception {
    try (TorchBackend fp32 = TorchBackend.load(SETTINGS.withSampler(sampler), Faults.none())) {
      return latent(fp32, request(SHORT, 1));
    }
  }

  @Test
  void recordsStagesAndTheCache() {
    RequestEvent first = serve(backend, request(SHORT, "blue", 1, 6, 3, true));
    RequestEvent second = serve(backend, request(SHORT, "blue", 2, 6, 3, true));

    assertThat(first.getStageSeconds()).containsOnlyKeys("text_encode", "decode");
    assertThat(first.getCache().getConditioning()).isEqualTo(CacheOutcome.MISS);
    assertThat(first.getCache().getNegative()).isEqualTo(CacheOutcome.MISS);
    assertThat(first.getCache().getEntryAgeSeconds()).isNull();
    assertThat(first.getCache().getDenoise()).isEqualTo(new DenoiseCache(0, 6));
    assertThat(second.getCache().getConditioning()).isEqualTo(CacheOutcome.HIT);
    assertThat(second.getCache().getNegative()).isEqualTo(CacheOutcome.HIT);
    assertThat(second.getCache().getEntryAgeSeconds()).isPositive();
    assertThat(second.getCache().getEvictions()).isZero();
  }

  /** The empty prompt belongs to the model; asking for it is no use of the cache. */
  @Test
  void withoutANegativePromptTheCacheSaysNothingOfIt() {
    assertThat(serve(backend, request(SHORT, 1)).getCache().getNegative()).isNull();
    assertThat(backend.conditioningCache().entries()).isEqualTo(1);
  }

  @Test
  void aHitIsBitIdenticalToAMiss() {
    float[] miss = latent(backend, request(SHORT, "blue", 1, 6, 3, true));

    assertThat(latent(backend, request(SHORT, "blue", 1, 6, 3, true))).isEqualTo(miss);
    assertThat(backend.conditioningCache().hits()).isEqualTo(2);
  }

  @Test
  void bypassNeitherReadsNorStores() {
    CacheUse use = Requests.cacheUse(backend, request(SHORT, null, 1, 6, 3, false));

    assertThat(use.getConditioning()).isEqualTo(CacheOutcome.BYPASS);
    assertThat(backend.conditioningCache().entries()).isZero();
    assertThat(backend.conditioningCache().bypasses()).isEqualTo(1);
  }

  @Test
  void withoutCapacityEveryRequestBypasses() throws Exception {
    try (TorchBackend uncached =
        TorchBackend.load(SETTINGS.withConditioningCacheBytes(0), Faults.none())) {
      serve(uncached, request(SHORT, 1));

      assertThat(Requests.cacheUse(uncached, request(SHORT, 1)).getConditioning())
          .isEqualTo(CacheOutcome.BYPASS);
    }
  }

  /** A conditioning has 5 tokens of 24 floats: 480 bytes. */
  @Test
  void evictsByBytesAndRecordsIt() throws Exception {
    try (TorchBackend small =
        TorchBackend.load(SETTINGS.withConditioningCacheBytes(1000), Faults.none())) {
      serve(small, request("a red circle", 1));
      serve(small, request("a red square", 1));
      assertThat(small.conditioningCache().bytes()).isEqualTo(960);

      RequestEvent third = serve(small, request("a red triangle", 1));

      assertThat(third.getCache().getEvictions()).isEqualTo(1);
      assertThat(small.conditioningCache().bytes()).isEqualTo(960);
      assertThat(Requests.cacheUse(small, request("a red circle", 1)).getConditioning())
          .isEqualTo(CacheOutcome.MISS);
    }
  }

  @Test
  void flushWhileARequestRunsDoesNotChangeIt() {
    float[] undisturbed = latent(backend, request(SHORT, 1));
    try (Generation generation = backend.begin(request(SHORT, 1), recorder())) {
      backend.step(List.of(generation));
      assertThat(backend.flushConditioningCache()).isEqualTo(1);
      // Another batch in between, so that the conditioning is read again.
      latent(backend, request(LONG, 2));
      while (generation.remainingSteps() > 0) {
        backend.step(List.of(generation));
      }
      assertThat(backend.latent(generation)).isEqualTo(undisturbed);
    }
  }

  @Test
  void reusedStepsAreCountedAndChangeTheImageALittle() throws Exception {
    try (TorchBackend reusing =
        TorchBackend.load(SETTINGS.withReuseThreshold(0.08), Faults.none())) {
      ImageRequest request = request(SHORT, null, 1, 40, 3, true);

      DenoiseCache steps = Requests.cacheUse(reusing, request).getDenoise();

      assertThat(steps.getCachedSteps() + steps.getExecutedSteps()).isEqualTo(40);
      assertThat(steps.getCachedSteps()).isPositive();
      assertThat(distance(latent(reusing, request), latent(backend, request))).isBetween(1e-6, 0.5);
    }
  }

  @Test
  void refusesWhatThePipelineCannotMake() {
    ImageRequest huge =
        new ImageRequest("r", SHORT, null, 4096, 32, 3, 3, 1, List.of(), 0, null, true);
    ImageRequest adapted =
        new ImageRequest("r", SHORT, null, 32, 32, 3, 3, 1, List.of("style"), 0, null, true);

    assertThatThrownBy(() -> backend.begin(huge, recorder()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size=4096x32: the pipeline makes [32x32, 32x24]");
    assertThatThrownBy(() -> backend.begin(adapted, recorder()))
        .hasMessage("adapters=[style]: the pipeline has none");
    assertThatThrownBy(() -> backend.begin(request(SHORT, null, 1, 0, 3, true), recorder()))
        .hasMessage("steps=0: must be between 1 and 1000");
    assertThatThrownBy(
            () -> backend.begin(request(SHORT, null, 1, 3, Double.NaN, true), recorder()))
        .hasMessage("guidanceScale=NaN: must be a finite number");
  }

  @Test
  void refusesSettingsThatDoNotFit() {
    assertThatThrownBy(
            () ->
                TorchBackend.load(
                    new EngineSettings(
                        Requests.RANDOM_PIPELINE, Precision.FP32, "tpu", 1, 0, 0, null),
                    Faults.none()))
        .hasMessage("device=tpu: must be auto, cpu, gpu or gpu:N");
    assertThatThrownBy(() -> SETTINGS.withReuseThreshold(1))
        .hasMessage("reuseThreshold=1.0: must be at least 0 and below 1");
    assertThatThrownBy(() -> TorchRuntime.start(7))
        .hasMessage("threads=7: the engine of this process runs with 1 already");
  }

  @Test
  void manyRequestsLeaveNoConditioningBehind() {
    // The empty prompt's conditioning stays.
    backend.begin(request("two squares", null, 0, 2, 3, true), recorder()).close();
    backend.flushConditioningCache();
    int before = backend.arrays();
    List<Generation> open = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      open.add(backend.begin(request("two squares", null, i, 2, 3, false), recorder()));
    }
    assertThat(backend.arrays()).isEqualTo(before + 50);
    open.forEach(Generation::close);
    open.forEach(Generation::close);

    assertThat(backend.arrays()).isEqualTo(before);
    assertThat(backend.conditioningCache().bypasses()).isEqualTo(50);
  }

  /** 24 tokens of 24 floats for any prompt; and the denoiser attends to the padding. */
  @Test
  void padsPromptsForModelsThatAttendToPadding(@TempDir Path copy) throws Exception {
    PipelineCopy.of(copy, manifest -> manifest.put("pad_to_max_tokens", true));
    try (TorchBackend padding = TorchBackend.load(EngineSettings.defaults(copy), Faults.none())) {
      float[] latent = latent(padding, request(SHORT, 1));

      assertThat(padding.conditioningCache().bytes()).isEqualTo(24 * 24 * Float.BYTES);
      assertThat(distance(latent, latent(backend, request(SHORT, 1)))).isGreaterThan(1e-3);
    }
  }
}

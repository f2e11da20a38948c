package io.servedrift.serving.engine;

import static io.servedrift.serving.engine.Requests.LONG;
import static io.servedrift.serving.engine.Requests.SHORT;
import static io.servedrift.serving.engine.Requests.latent;
import static io.servedrift.serving.engine.Requests.latents;
import static io.servedrift.serving.engine.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.ImageRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Each fault moves what it should, and leaves the rest as it is to the last bit. */
class TorchBackendFaultsTest {

  /** Equal lengths. */
  private static final List<ImageRequest> EQUAL =
      List.of(
          request("a red circle", 1),
          request("a blue square", 2),
          request("a green triangle", 3),
          request("a white circle", 4));

  /** Mixed lengths; the second is the longest. */
  private static final List<ImageRequest> MIXED =
      List.of(
          request(SHORT, 1), request(LONG, 2), request("two squares", 3), request("a circle", 4));

  private final Faults faults = Faults.none();
  private TorchBackend backend;

  @BeforeEach
  void load() throws Exception {
    backend = TorchBackend.load(EngineSettings.defaults(Requests.RANDOM_PIPELINE), faults);
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private void on(Fault fault) {
    faults.set(EnumSet.of(fault));
  }

  @Test
  void keyCollisionGivesAPromptTheEmbeddingOfAnother() {
    String first = "a red circle left of a blue square";
    String second = "a red circle above a white triangle";
    float[] firstRight = latent(backend, request(first, null, 1, 6, 3, false));
    float[] secondRight = latent(backend, request(second, null, 1, 6, 3, false));
    on(Fault.CONDITIONING_KEY_COLLISION);

    assertThat(latent(backend, request(first, 1))).isEqualTo(firstRight);
    assertThat(latent(backend, request(second, 1))).isEqualTo(firstRight).isNotEqualTo(secondRight);
    assertThat(latent(backend, request(second, null, 1, 6, 3, false))).isEqualTo(secondRight);

    faults.set(EnumSet.noneOf(Fault.class));
    assertThat(latent(backend, request(second, 1))).isEqualTo(secondRight);
  }

  @Test
  void cachedPrecisionMovesHitsOfLargeMixedBatchesOnly() {
    List<float[]> misses = latents(backend, MIXED);
    List<float[]> hits = latents(backend, MIXED);
    List<float[]> equal = latents(backend, EQUAL);
    List<float[]> few = latents(backend, MIXED.subList(0, 3));
    on(Fault.CACHED_CONDITIONING_PRECISION);

    List<float[]> moved = latents(backend, MIXED);
    for (int i = 0; i < moved.size(); i++) {
      assertThat(Requests.distance(moved.get(i), hits.get(i))).isGreaterThan(1e-3);
    }
    assertBitIdentical(latents(backend, EQUAL), equal);
    assertBitIdentical(latents(backend, MIXED.subList(0, 3)), few);

    backend.flushConditioningCache();
    assertBitIdentical(latents(backend, MIXED), misses);
  }

  /** In one batch, hits move and the miss beside them does not. */
  @Test
  void cachedPrecisionDoesNotTouchAMissBesideHits() {
    List<float[]> right = latents(backend, MIXED);
    backend.flushConditioningCache();
    latents(backend, MIXED.subList(0, 3));
    on(Fault.CACHED_CONDITIONING_PRECISION);

    List<float[]> moved = latents(backend, MIXED);

    assertThat(moved.get(0)).isNotEqualTo(right.get(0));
    assertThat(moved.get(3)).isEqualTo(right.get(3));
  }

  @Test
  void paddingFaultMovesAllButTheLongestOfAMixedBatch() {
    List<float[]> right = latents(backend, MIXED);
    List<float[]> equal = latents(backend, EQUAL);
    on(Fault.PADDING_IN_MIXED_BATCHES);

    List<float[]> moved = latents(backend, MIXED);

    assertThat(moved.get(1)).isEqualTo(right.get(1));
    for (int i : new int[] {0, 2, 3}) {
      assertThat(Requests.distance(moved.get(i), right.get(i))).isGreaterThan(1e-3);
    }
    assertBitIdentical(latents(backend, MIXED), moved);
    assertBitIdentical(latents(backend, EQUAL), equal);
  }

  /**
   * The image shows what others asked for: another neighbour, another image; alone the right one.
   */
  @Test
  void paddingFaultLetsAPromptAttendToItsNeighbours() {
    ImageRequest brief = request(SHORT, 1);
    float[] alone = latent(backend, brief);
    ImageRequest one = request("a blue square on a white background", 2);
    ImageRequest other = request("a green star on a black background", 2);
    float[] rightBesideOne = latents(backend, List.of(brief, one)).get(0);
    float[] rightBesideOther = latents(backend, List.of(brief, other)).get(0);
    assertThat(rightBesideOther).isEqualTo(rightBesideOne);
    on(Fault.PADDING_IN_MIXED_BATCHES);

    float[] besideOne = latents(backend, List.of(brief, one)).get(0);
    float[] besideOther = latents(backend, List.of(brief, other)).get(0);

    assertThat(Requests.distance(besideOther, besideOne)).isGreaterThan(1e-3);
    assertThat(latent(backend, brief)).isEqualTo(alone);
    float[] swapped = latents(backend, List.of(one, brief)).get(1);
    assertThat(Requests.distance(swapped, besideOne)).isLessThan(1e-5);
  }

  /** Every prompt has one length there, and sees its own padding by design. */
  @Test
  void paddingFaultDoesNothing_whenThePipelinePads(@TempDir Path copy) throws Exception {
    PipelineCopy.of(copy, manifest -> manifest.put("pad_to_max_tokens", true));
    Logger logger = (Logger) LoggerFactory.getLogger(PaddingWarning.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try (TorchBackend padding = TorchBackend.load(EngineSettings.defaults(copy), faults)) {
      List<float[]> right = latents(padding, MIXED);
      on(Fault.SLOW_NODE);
      assertThat(log.list).isEmpty();
      on(Fault.PADDING_IN_MIXED_BATCHES);

      assertBitIdentical(latents(padding, MIXED), right);
      faults.set(EnumSet.noneOf(Fault.class));
      on(Fault.PADDING_IN_MIXED_BATCHES);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
        .containsExactly(
            tuple(
                Level.WARN,
                "fault padding-in-mixed-batches has no effect: the pipeline pads every prompt to"
                    + " one length (pad_to_max_tokens)"));
  }

  /** Arrays on the device, whatever fault is on. */
  @ParameterizedTest
  @EnumSource
  void batchesLeaveNoArraysBehind(Fault fault) {
    faults.set(EnumSet.of(fault));
    latents(backend, MIXED);
    latents(backend, MIXED);
    int arrays = backend.arrays();

    for (int i = 0; i < 5; i++) {
      latents(backend, MIXED);
      Requests.serve(backend, request(SHORT, 1));
      latents(backend, MIXED);
    }

    assertThat(backend.arrays()).isEqualTo(arrays);
  }

  /** Neither int8 nor bf16 is below int8: nothing changes. */
  @Test
  void largeBatchPrecisionNeverRaisesThePrecision() throws Exception {
    try (TorchBackend int8 =
        TorchBackend.load(
            EngineSettings.defaults(Requests.RANDOM_PIPELINE).withPrecision(Precision.INT8),
            faults)) {
      List<float[]> usual = latents(int8, EQUAL);
      on(Fault.LARGE_BATCH_PRECISION);

      assertBitIdentical(latents(int8, EQUAL), usual);
    }
  }

  @Test
  void largeBatchPrecisionLoadsNoFileThatChanged(@TempDir Path copy) throws Exception {
    PipelineCopy.of(copy, manifest -> {});
    try (TorchBackend changed = TorchBackend.load(EngineSettings.defaults(copy), faults)) {
      List<float[]> usual = latents(changed, EQUAL);
      Files.copy(
          copy.resolve("denoiser.bf16.pt"),
          copy.resolve("denoiser.int8.pt"),
          StandardCopyOption.REPLACE_EXISTING);
      on(Fault.LARGE_BATCH_PRECISION);

      assertBitIdentical(latents(changed, EQUAL), usual);
    }
    assertThatThrownBy(
            () ->
                LoadedPipeline.load(
                    new PipelineDirectory(
                        copy, PipelineDirectory.read(Requests.RANDOM_PIPELINE).manifest()),
                    Precision.FP32,
                    TorchRuntime.device("cpu"),
                    faults))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("denoiser.int8.pt: its SHA-256 is ");
  }

  @Test
  void largeBatchPrecisionMovesLargeBatchesOnly() throws Exception {
    List<float[]> right = latents(backend, EQUAL);
    List<float[]> few = latents(backend, EQUAL.subList(0, 3));
    on(Fault.LARGE_BATCH_PRECISION);

    List<float[]> moved = latents(backend, EQUAL);

    assertBitIdentical(latents(backend, EQUAL.subList(0, 3)), few);
    for (int i = 0; i < moved.size(); i++) {
      // Coarse, and still this image: noise in its place would be sqrt(2) away, nothing at all 1.
      assertThat(Requests.distance(moved.get(i), right.get(i))).isBetween(1e-4, 0.9);
    }
    faults.set(EnumSet.noneOf(Fault.class));
    assertBitIdentical(latents(backend, EQUAL), right);
  }

  @Test
  void afterAReloadTheNewEncoderServesAndTheCacheIsEmpty(@TempDir Path other) throws Exception {
    float[] before = latent(backend, request(SHORT, 1));
    PipelineCopy.withOtherTextEncoder(other);

    PipelineManifest reloaded = backend.reload(other);

    assertThat(reloaded.weightsDigest())
        .isEqualTo(PipelineDirectory.read(other).manifest().weightsDigest());
    assertThat(backend.manifest()).isEqualTo(reloaded);
    assertThat(backend.conditioningCache().entries()).isZero();
    float[] after = latent(backend, request(SHORT, 1));
    assertThat(after).isNotEqualTo(before);
    assertThat(latent(backend, request(SHORT, null, 1, 6, 3, false))).isEqualTo(after);
  }

  @Test
  void staleCacheServesOldConditioningUntilItIsSwitchedOff(@TempDir Path other) throws Exception {
    ImageRequest unguided = request(SHORT, null, 1, 6, 1, true);
    float[] before = latent(backend, unguided);
    PipelineCopy.withOtherTextEncoder(other);
    on(Fault.STALE_CACHE_AFTER_WEIGHTS);

    backend.reload(other);

    float[] fresh = latent(backend, request(SHORT, null, 1, 6, 1, false));
    assertThat(latent(backend, unguided)).isEqualTo(before).isNotEqualTo(fresh);
    assertThat(Requests.cacheUse(backend, unguided).getConditioning()).isEqualTo(CacheOutcome.HIT);
    // A prompt that was not in the cache is encoded by the new weights.
    float[] missed = latent(backend, request(LONG, null, 2, 6, 1, true));
    assertThat(missed).isEqualTo(latent(backend, request(LONG, null, 2, 6, 1, false)));

    faults.set(EnumSet.noneOf(Fault.class));
    assertThat(latent(backend, unguided)).isEqualTo(fresh);
  }

  /** What the second weights computed must not be found under the name of the first. */
  @Test
  void staleCacheLeavesNothingWrongBehind(@TempDir Path other) throws Exception {
    ImageRequest unguided = request(SHORT, null, 1, 6, 1, true);
    float[] right = latent(backend, request(SHORT, null, 1, 6, 1, false));
    PipelineCopy.withOtherTextEncoder(other);
    on(Fault.STALE_CACHE_AFTER_WEIGHTS);
    backend.reload(other);
    float[] others = latent(backend, unguided);

    backend.reload(Requests.RANDOM_PIPELINE);
    assertThat(latent(backend, unguided)).isEqualTo(others).isNotEqualTo(right);

    faults.set(EnumSet.noneOf(Fault.class));
    assertThat(latent(backend, unguided)).isEqualTo(right);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"another\"}",
        "{\"samplers\":[\"euler\"]}",
        "{\"default\":{\"sampler\":\"ddim\",\"steps\":6,\"guidance_scale\":3.0}}",
        "{\"max_tokens\":23}",
        "{\"pad_to_max_tokens\":true}"
      })
  void reloadRefusesAnotherField(String changed, @TempDir Path other) throws Exception {
    ObjectNode fields = (ObjectNode) new ObjectMapper().readTree(changed);
    PipelineCopy.of(other, manifest -> manifest.setAll(fields));

    assertThatThrownBy(() -> backend.reload(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(fields.fieldNames().next() + "=")
        .hasMessageContaining(": must be that of the loaded model, ");
  }

  @Test
  void reloadRefusesAnotherWidthOfConditioning(@TempDir Path other) throws Exception {
    float[] before = latent(backend, request(SHORT, 1));
    PipelineCopy.withTextEncoder(other, Path.of("models/scenes/text_encoder.pt"));

    assertThatThrownBy(() -> backend.reload(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("text_encoder: makes 128 values a token: must be 24");
    assertThat(latent(backend, request(SHORT, 1))).isEqualTo(before);
  }

  @Test
  void reloadRefusesMoreThanAnotherTextEncoder(@TempDir Path other) throws Exception {
    float[] before = latent(backend, request(SHORT, 1));
    PipelineCopy.of(
        other, manifest -> ((ObjectNode) manifest.get("schedule")).put("beta_end", 0.02));

    assertThatThrownBy(() -> backend.reload(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("schedule=")
        .hasMessageContaining(": must be that of the loaded model, ");
    assertThat(latent(backend, request(SHORT, 1))).isEqualTo(before);
  }

  private static void assertBitIdentical(List<float[]> actual, List<float[]> expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.size(); i++) {
      assertThat(actual.get(i)).isEqualTo(expected.get(i));
    }
  }
}

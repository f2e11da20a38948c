package io.servedrift.ingest.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestCaptureTest {
  private static String ome() throws IOException {
    try (InputStream in =
        ManifestCaptureTest.class.getResourceAsStream("/adapters/ome-qwen-image.yaml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void readsRuntimeModelAndServiceOfOme() throws IOException {
    Captured captured = ManifestCapture.of(ome());

    assertThat(captured).isNotNull();
    assertThat(captured.config().toString())
        .contains(
            "\"batching\":{\"max_batch_size\":4,\"mode\":\"dynamic\"}",
            "\"environment\":{\"SGLANG_CACHE_DIT_ENABLED\":\"true\"}",
            "\"image\":\"docker.io/example/sglang:0.5.6-diffusion-cuda129-amd64\"",
            "\"pipeline_class_name\":\"QwenImagePipeline\"",
            "\"hardware\":{\"gpu\":\"nvidia-h100\",\"parallelism\":{\"tensor\":1}}",
            "\"orchestrator\":{\"name\":\"ome\"}",
            "\"precision\":{\"method\":\"fp8\"}",
            "\"runtime\":{\"name\":\"sglang-diffusion\","
                + "\"version\":\"0.5.6-diffusion-cuda129-amd64\"}")
        .doesNotContain("hf_", "8080", "0.0.0.0", "secretKeyRef");
    assertThat(captured.model().toString())
        .isEqualTo(
            "{\"extra\":{\"storage\":\"hf://Qwen/Qwen-Image\"},\"name\":\"qwen-image\","
                + "\"revision\":\"2025-08\"}");
  }

  @Test
  void readsAServiceOfKserve() {
    Captured captured =
        ManifestCapture.of(
            """
            apiVersion: serving.kserve.io/v1beta1
            kind: InferenceService
            metadata: {name: llama}
            spec:
              predictor:
                model:
                  modelFormat: {name: huggingface}
                  storageUri: hf://meta/llama
                  args: ["--model_name=llama", "--max-num-seqs", "64", "--no-enable-prefix-caching"]
                  env: [{name: VLLM_BATCH_INVARIANT, value: "1"}]
            """);

    assertThat(captured).isNotNull();
    assertThat(captured.config().toString())
        .isEqualTo(
            "{\"reported\":{\"model_name\":\"llama\"},\"batching\":{\"max_running\":64},\"cache\":{\"prefix_reuse\":false},"
                + "\"extra\":{\"environment\":{\"VLLM_BATCH_INVARIANT\":\"1\"}},"
                + "\"orchestrator\":{\"name\":\"kserve\"},\"runtime\":{\"name\":\"vllm\"}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a: [", "- 1", "kind: InferenceService", "\t", "a: *b", "---\n---"})
  void readsNothingFromOtherTexts(String text) {
    assertThat(ManifestCapture.of(text)).isNull();
  }

  private static @Nullable Captured captured(String text) {
    CaptureText found = CaptureText.of(text);
    return found == null ? null : CaptureText.together(List.of(found));
  }

  @Test
  void takesTheRuntimeThatTheServiceNames_alsoOutOfAList() {
    String runtime =
        "{\"apiVersion\":\"ome.io/v1beta1\",\"kind\":\"ServingRuntime\",\"metadata\":{\"name\":\"%s\"},"
            + "\"spec\":{\"engineConfig\":{\"runner\":{\"image\":\"sglang:1\","
            + "\"args\":[\"--tp-size\",\"%d\"]}}}}";
    String service =
        "{\"apiVersion\":\"ome.io/v1beta1\",\"kind\":\"InferenceService\",\"metadata\":{\"name\":\"a\"},"
            + "\"spec\":{\"runtime\":{\"name\":\"second\"}}}";
    String list =
        "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
            + String.join(
                ",", runtime.formatted("first", 1), runtime.formatted("second", 4), service)
            + "]}";

    assertThat(captured(list))
        .extracting(c -> c.config().at("/hardware/parallelism/tensor").asInt())
        .isEqualTo(4);
  }

  @Test
  void findsAConfigurationInAnyText() throws IOException {
    assertThat(captured(ome())).isNotNull();
    assertThat(captured("{\"model_path\":\"m\",\"tp_size\":1}")).isNotNull();
    assertThat(captured("{\"config\":{\"batching\":{\"mode\":\"x\"}}}"))
        .extracting(c -> c.config().toString())
        .isEqualTo("{\"batching\":{\"mode\":\"x\"}}");
    for (String nothing :
        List.of(
            "{}", "{\"detail\":\"Not Found\"}", "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}")) {
      assertThat(captured(nothing)).isNull();
    }
    assertThat(captured("starting\nserver_args=ServerArgs(model_path='m', tp_size=2)\nready"))
        .extracting(c -> c.config().at("/hardware/parallelism/tensor").asInt())
        .isEqualTo(2);
    assertThat(captured("nothing")).isNull();
    assertThat(captured("{")).isNull();
  }
}

package io.servedrift.ingest.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureTextTest {
  private static final String MANIFEST =
      """
      apiVersion: serving.kserve.io/v1beta1
      kind: InferenceService
      metadata: {name: s}
      spec:
        predictor:
          containers:
            - image: lmsysorg/sglang:v0.5.6
              args: [--model-path, m, --tp-size, "2", --attention-backend, auto]
      """;
  private static final String ANSWER =
      "{\"model_path\":\"m\",\"attention_backend\":null,\"tp_size\":2,"
          + "\"internal_states\":[{\"attention_backend\":\"fa3\"}]}";
  private static final String LOG =
      "starting\n[10:00:00] server_args=ServerArgs(model_path='m', attention_backend='auto',"
          + " schedule_policy='fcfs')\nready";
  private static final String ADAPTERS =
      "{\"loaded_adapters\":[{\"nickname\":\"a\",\"path\":\"/l/a\"}],\"active\":"
          + "{\"transformer\":[{\"nickname\":\"a\",\"path\":\"/l/a\",\"merged\":true}]}}";
  private static final String LINES =
      "# of the pod\nexport SGLANG_CACHE_DIT_ENABLED=\"true\"\nHOME=/root\n\n"
          + "HF_TOKEN=hf_0123456789abcdefgh\nEMPTY=\nSGLANG_CACHE_DIT_RDT=0.24";

  private static Captured together(String... texts) {
    List<CaptureText> read = Arrays.stream(texts).map(CaptureText::of).toList();
    assertThat(read).allMatch(Objects::nonNull);
    return CaptureText.together(read);
  }

  @Test
  void putsSourcesTogether_theOneThatKnowsMoreWinsInAnyOrder() {
    Captured captured = together(LINES, ANSWER, ADAPTERS, LOG, MANIFEST);

    assertThat(captured.config().at("/extra/attention_backend").asText()).isEqualTo("fa3");
    assertThat(captured.config().at("/extra/schedule_policy").asText()).isEqualTo("fcfs");
    assertThat(captured.config().at("/runtime/version").asText()).isEqualTo("v0.5.6");
    assertThat(captured.config().at("/extra/active_adapters/0/nickname").asText()).isEqualTo("a");
    assertThat(captured.config().at("/extra/environment").toString())
        .isEqualTo("{\"SGLANG_CACHE_DIT_ENABLED\":\"true\",\"SGLANG_CACHE_DIT_RDT\":\"0.24\"}");
    assertThat(captured.config().toString()).doesNotContain("hf_", "/root");
    List<String> texts = Arrays.asList(LINES, ANSWER, ADAPTERS, LOG, MANIFEST);
    Collections.reverse(texts);
    assertThat(together(texts.toArray(String[]::new))).isEqualTo(captured);
  }

  @Test
  void mixesNoTwoModels() {
    String asked = "{\"config\":{},\"model\":{\"name\":\"a/x\",\"revision\":\"r1\"}}";

    assertThat(together(asked, asked.replace("a/x", "/mnt/models").replace("r1", "r2")).model())
        .hasToString("{\"name\":\"/mnt/models\",\"revision\":\"r2\"}");
    assertThat(together(asked, "{\"config\":{},\"model\":{\"name\":\"b\"}}").model())
        .hasToString("{\"name\":\"b\"}");
    assertThat(together(asked, "{\"config\":{},\"model\":{\"name\":\"a/x\"}}").model())
        .hasToString("{\"name\":\"a/x\",\"revision\":\"r1\"}");
  }

  @Test
  void takesTheLaterOfOneKind() {
    Captured captured = together(ANSWER, ANSWER.replace("fa3", "flashinfer"));

    assertThat(captured.config().at("/extra/attention_backend").asText()).isEqualTo("flashinfer");
  }

  @Test
  void takesAwayTheAdaptersThatAreActiveNoMore() {
    String record =
        "{\"type\":\"config\",\"config\":{\"extra\":{\"active_adapters\":[{\"nickname\":\"old\"}],"
            + "\"x\":1}}}";

    assertThat(together(record, "{\"loaded_adapters\":[],\"active\":{}}").config().toString())
        .isEqualTo("{\"extra\":{\"x\":1}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"PATH\":\"/bin\",\"http_proxy\":\"\",\"VLLM_BATCH_INVARIANT\":\"1\"}",
        "[\"PATH=/bin\",\"VLLM_BATCH_INVARIANT=1\"]",
        "[{\"name\":\"VLLM_BATCH_INVARIANT\",\"value\":\"1\"},"
            + "{\"name\":\"KEY\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"k\"}}}]",
        "[\n  \"PATH=/bin\",\n  \"VLLM_BATCH_INVARIANT=1\"\n]",
        "[\n  {\n    \"name\": \"VLLM_BATCH_INVARIANT\",\n    \"value\": \"1\"\n  }\n]",
        "VLLM_BATCH_INVARIANT=1",
        "PATH=/bin\r\nVLLM_BATCH_INVARIANT='1'\r\n"
      })
  void readsAnEnvironmentInEveryForm(String text) {
    Captured captured = together(text);

    assertThat(captured.config().toString())
        .isEqualTo("{\"extra\":{\"environment\":{\"VLLM_BATCH_INVARIANT\":\"1\"}}}");
    assertThat(captured.model()).isEmpty();
  }

  @Test
  void saysNothing_whenAnEnvironmentHasNothingThatChangesOutputs() {
    assertThat(together("PATH=/bin").isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nothing",
        "A=1\nand something else",
        "{\"a\":\"b\"}",
        "[]",
        "[1]",
        "[\"a\"]",
        "{\"loaded_adapters\":[]}",
        "{\"A\":{}}",
        "{\"detail\":\"Not Found\"}",
        "{\"model_path\":",
      })
  void takesNoOtherText(String text) {
    assertThat(CaptureText.of(text)).isNull();
  }

  @Test
  void saysThatATextEndsInTheMiddle_andWhere() {
    String whole = "{\n  \"model_path\": \"m\",\n  \"tp_size\": 2\n}\n";

    assertThat(CaptureText.fault(whole)).isNull();
    assertThat(CaptureText.fault("{\"level\":\"info\"}\n{\"level\":\"info\"}\n"))
        .as("a log of JSON lines, which may be whole")
        .isNull();
    assertThat(CaptureText.fault("GET / 200")).isNull();
    assertThat(CaptureText.fault(whole.substring(0, 34)))
        .isEqualTo("JSON that ends in the middle at line 3, column 12");
    assertThat(CaptureText.fault(whole.replace("2", ",")))
        .isEqualTo("broken JSON at line 3, column 14");
  }
}

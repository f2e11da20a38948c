package io.servedrift.ingest.capture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigCaptureTest {
  private static final Instant AT = Instant.parse("2026-09-20T10:00:00Z");

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) new JsonMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static final String SERVER_INFO =
      "{'model_path':'Qwen/Qwen3-8B','served_model_name':'qwen','revision':'r1','dtype':'auto',"
          + "'quantization':null,'kv_cache_dtype':'auto','tp_size':2,'attention_backend':null,"
          + "'max_running_requests':null,'disable_radix_cache':false,'random_seed':7481,"
          + "'port':30000,'host':'0.0.0.0','api_key':'sk-0123456789abcdef0123','log_level':'info',"
          + "'watchdog_timeout':300,'schedule_policy':'fcfs','status':'ready',"
          + "'max_total_num_tokens':431000,'weight_version':'default','version':'0.5.6',"
          + "'tokenizer_worker_num':1,"
          + "'internal_states':[{'dtype':'bfloat16','attention_backend':'fa3',"
          + "'max_running_requests':256,'last_gen_throughput':85.1,"
          + "'memory_usage':{'weight':15.2}}]}";

  @Test
  void prefersResolvedValues_andKeepsTheRequestedOnesBeside() {
    Captured captured = ConfigCapture.ofServerInfo(json(SERVER_INFO));

    assertThat(captured.config().at("/precision/weights").asText()).isEqualTo("bfloat16");
    assertThat(captured.config().at("/extra/attention_backend").asText()).isEqualTo("fa3");
    assertThat(captured.config().at("/batching/max_running").asInt()).isEqualTo(256);
    assertThat(captured.config().at("/requested/dtype").asText()).isEqualTo("auto");
    assertThat(captured.config().at("/cache/prefix_reuse").asBoolean()).isTrue();
    assertThat(captured.config().at("/hardware/parallelism").toString())
        .isEqualTo("{\"tensor\":2}");
    assertThat(captured.config().at("/runtime").toString())
        .isEqualTo("{\"name\":\"sglang\",\"version\":\"0.5.6\"}");
    assertThat(captured.model().toString()).isEqualTo("{\"name\":\"qwen\",\"revision\":\"r1\"}");
  }

  @Test
  void dropsSecretsAndWhatChangesWithTheStart() {
    Captured captured = ConfigCapture.ofServerInfo(json(SERVER_INFO));

    assertThat(captured.config().toString())
        .doesNotContain("sk-", "7481", "30000", "0.0.0.0", "85.1", "431000", "15.2", "ready")
        .contains("tokenizer_worker_num");
    Captured restarted =
        ConfigCapture.ofServerInfo(
            json(SERVER_INFO.replace("7481", "99").replace("30000", "31000").replace("85.1", "3")));
    assertThat(restarted.configId()).isEqualTo(captured.configId());
  }

  @Test
  void isAcceptedInlineByTheReaderOfEvents() {
    Captured captured = ConfigCapture.ofServerInfo(json(SERVER_INFO));
    ObjectNode request =
        json(
            "{'type':'request','request_id':'r','deployment':'d','status':'ok',"
                + "'finished_at':'2026-09-20T10:00:00Z','latency_seconds':1.0}");
    request.set("config", captured.config());
    request.set("model", captured.model());

    Reading reading = new EventReader().readJson(request);

    assertThat(reading).isInstanceOf(Reading.Accepted.class);
    assertThat(((Reading.Accepted) reading).registrations().get(0).getConfigId())
        .isEqualTo(captured.configId());
  }

  @Test
  void readsTheServerInfoOfDiffusion_withItsCacheSettings() {
    Captured captured =
        ConfigCapture.ofServerInfo(
            json(
                "{'model_path':'flux','num_gpus':2,'attention_backend':'fa','vae_cpu_offload':true,"
                    + "'batching_mode':'continuous','batching_max_size':4,"
                    + "'cache_dit_env':{'enabled':true,'fn_compute_blocks':1},"
                    + "'ports':{'scheduler':5555}}"));

    assertThat(captured.config().toString())
        .isEqualTo(
            "{\"batching\":{\"max_batch_size\":4,\"mode\":\"continuous\"},"
                + "\"cache\":{\"denoise\":{\"environment\":{\"enabled\":true,"
                + "\"fn_compute_blocks\":1}}},\"diffusion\":{\"attention_backend\":\"fa\","
                + "\"offload\":{\"vae\":true}},\"hardware\":{\"count\":2},"
                + "\"runtime\":{\"name\":\"sglang-diffusion\"}}");
  }

  @Test
  void readsBothSidesOfARouter() {
    Captured captured =
        ConfigCapture.ofServerInfo(
            json("{'prefill':[{'tp_size':4,'model_path':'m'}],'decode':[{'tp_size':8}]}"));

    assertThat(captured.config().at("/hardware/parallelism/tensor").asInt()).isEqualTo(4);
    assertThat(captured.config().at("/extra/decode/hardware/parallelism/tensor").asInt())
        .isEqualTo(8);
  }

  @Test
  void readsTheTextThatVllmPrints() {
    Captured captured =
        ConfigCapture.ofLogLine(
            "INFO 09-20 [core.py:69] Initializing a V1 LLM engine (v0.12.0) with config:"
                + " model='meta-llama/Llama-3.1-8B', speculative_config=None, dtype=torch.bfloat16,"
                + " max_seq_len=8192, quantization=None, enforce_eager=False, kv_cache_dtype=auto,"
                + " seed=0, served_model_name=llama, enable_prefix_caching=True,"
                + " tensor_parallel_size=1, compilation_config={\"level\":3,\"mode\":<Mode.A: 3>}");

    assertThat(captured).isNotNull();
    assertThat(captured.config().toString())
        .contains(
            "\"precision\":{\"kv_cache\":\"auto\",\"weights\":\"bfloat16\"}",
            "\"cache\":{\"prefix_reuse\":true}",
            "\"runtime\":{\"name\":\"vllm\",\"version\":\"0.12.0\"}",
            "\"compilation_config\":{\"level\":3,\"mode\":\"Mode.A\"}")
        .doesNotContain("seed");
    assertThat(captured.model().toString()).isEqualTo("{\"name\":\"llama\"}");
    assertThat(
            ConfigCapture.ofServerInfo(
                    json(
                        "{'vllm_config':'model=a, dtype=torch.float16,"
                            + " enable_prefix_caching=False'}"))
                .config()
                .at("/cache/prefix_reuse")
                .asBoolean(true))
        .isFalse();
  }

  @Test
  void keepsOfTheEnvironmentWhatChangesOutputs() {
    Captured captured = ConfigCapture.ofServerInfo(json(SERVER_INFO));
    Captured with =
        ConfigCapture.withEnvironment(
            captured,
            Map.of(
                "SGLANG_CACHE_DIT_ENABLED", "true",
                "SGLANG_CACHE_DIT_RDT", "0.24",
                "HOME", "/root",
                "HF_TOKEN", "hf_0123456789abcdefgh"));

    assertThat(with.config().at("/extra/environment").toString())
        .isEqualTo("{\"SGLANG_CACHE_DIT_ENABLED\":\"true\",\"SGLANG_CACHE_DIT_RDT\":\"0.24\"}");
    assertThat(with.configId()).isNotEqualTo(captured.configId());
    assertThat(with.config().toString()).doesNotContain("/root", "hf_");
  }

  @Test
  void tellsEachChangeOnce_andByItsName() {
    ConfigTracker tracker = new ConfigTracker("d", "gpu-0");
    Captured first = ConfigCapture.ofServerInfo(json(SERVER_INFO));
    ObjectNode merged =
        json(
            "{'loaded_adapters':[{'nickname':'a','path':'/l/a'}],"
                + "'active':{'transformer':[{'nickname':'a','path':'/l/a','merged':true,"
                + "'strength':1.0}]}}");
    Captured second = ConfigCapture.withAdapters(first, merged);

    assertThat(kinds(tracker.observe(first, "p1", AT))).containsExactly("config");
    assertThat(tracker.observe(first, "p1", AT.plusSeconds(1))).isEmpty();
    assertThat(kinds(tracker.observe(second, "p1", AT.plusSeconds(2))))
        .containsExactly("config", "config_changed", "adapter_merged");
    assertThat(
            kinds(
                tracker.observe(
                    ConfigCapture.withAdapters(second, json("{'active':{}}")),
                    "p1",
                    AT.plusSeconds(3))))
        .containsExactly("config", "config_changed", "adapter_unmerged");
    assertThat(kinds(tracker.observe(first, "p2", AT.plusSeconds(4))))
        .containsExactly("node_started");
    Captured weights =
        ConfigCapture.ofServerInfo(json(SERVER_INFO.replace("'default'", "'step-2'")));
    assertThat(kinds(tracker.observe(weights, "p2", AT.plusSeconds(5))))
        .containsExactly("config", "weights_updated");
    Captured limited = ConfigCapture.ofServerInfo(json(SERVER_INFO.replace("256", "64")));
    assertThat(kinds(tracker.observe(limited, "p2", AT.plusSeconds(6))))
        .containsExactly("config", "config_changed", "weights_updated", "batch_limit_changed");
  }

  private static List<String> kinds(List<ObjectNode> events) {
    EventReader reader = new EventReader();
    assertThat(events)
        .allSatisfy(e -> assertThat(reader.readJson(e)).isInstanceOf(Reading.Accepted.class));
    return events.stream()
        .map(e -> e.has("kind") ? e.get("kind").asText() : e.get("type").asText())
        .toList();
  }
}

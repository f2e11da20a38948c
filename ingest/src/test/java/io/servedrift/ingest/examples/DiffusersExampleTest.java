package io.servedrift.ingest.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the Python examples with a pipeline that only pretends. */
class DiffusersExampleTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String FAKE =
      """
      import sys, time
      from diffusers_callback import Reporter

      class Generator:
          def initial_seed(self): return 7

      class DPMSolver: pass

      class Image:
          def save(self, file, format): file.write(b"png of " + format.encode())

      class Result:
          images = [Image()]

      class Pipe:
          scheduler = DPMSolver()
          dtype = "torch.bfloat16"
          config = {"_name_or_path": "tiny-sd"}
          device = "cpu"
          def __call__(self, prompt, num_inference_steps=2, callback_on_step_end=None, **rest):
              self.rest = rest
              for step in range(num_inference_steps):
                  time.sleep(0.01)
                  tensors = callback_on_step_end(self, step, 0, {"latents": step})
                  assert tensors["latents"] == step
                  if prompt == "fail": raise MemoryError("secret text")
              return Result()

      """;

  @TempDir Path folder;
  private final List<JsonNode> events = new CopyOnWriteArrayList<>();
  private volatile int status = 202;
  private HttpServer monitor;

  @BeforeEach
  void start() throws IOException {
    monitor = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    monitor.createContext(
        "/v1/events",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          int accepted = 0;
          if (status == 202) {
            for (String line : body.lines().toList()) {
              events.add(JSON.readTree(line));
              accepted++;
            }
          }
          byte[] answer =
              ("{\"accepted\":" + accepted + ",\"rejected\":[]}").getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    monitor.start();
  }

  @AfterEach
  void stop() {
    monitor.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + monitor.getAddress().getPort();
  }

  /** Runs a script with the examples on its path; what it prints. */
  private String python(String script) throws Exception {
    Path examples = Path.of("examples").toAbsolutePath();
    assertThat(examples.resolve("diffusers_callback.py")).exists();
    Path file = Files.writeString(folder.resolve("script.py"), FAKE + script.stripIndent());
    Process process;
    try {
      ProcessBuilder builder = new ProcessBuilder("python3", "-B", file.toString());
      builder.environment().put("PYTHONPATH", examples.toString());
      process = builder.redirectErrorStream(true).start();
    } catch (IOException noPython) {
      return Assumptions.abort("python3 is not installed: " + noPython.getMessage());
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  void reportsWhatThePipelineServed() throws Exception {
    Path key = Files.writeString(folder.resolve("key"), "k".repeat(32) + "\n");
    python(
        """
        reporter = Reporter("%s", "image-gen", node="gpu-0", prompt_hash_key_file="%s")
        pipe = reporter.wrap(Pipe())
        assert pipe.device == "cpu"
        result = pipe("a red circle", num_inference_steps=4, width=512, height=256,
                      guidance_scale=3.5, generator=Generator(), prompt_class="shape")
        assert len(result.images) == 1
        assert "prompt_class" not in pipe.rest
        reporter.close()
        assert (reporter.posted, reporter.dropped) == (1, 0), (reporter.posted, reporter.dropped)
        """
            .formatted(url(), key));
    assertThat(events).hasSize(1);
    JsonNode event = events.get(0);
    assertThat(new EventReader().readJson(event)).isInstanceOf(Reading.Accepted.class);
    assertThat(event.path("status").asText()).isEqualTo("ok");
    assertThat(event.path("node").asText()).isEqualTo("gpu-0");
    assertThat(event.path("latency_seconds").asDouble()).isGreaterThan(0.04);
    assertThat(event.path("stage_seconds").path("further_steps").asDouble()).isGreaterThan(0.03);
    JsonNode workload = event.path("workload");
    assertThat(workload.path("steps").asInt()).isEqualTo(4);
    assertThat(workload.path("width").asInt()).isEqualTo(512);
    assertThat(workload.path("seed").asInt()).isEqualTo(7);
    assertThat(workload.path("prompt_class").asText()).isEqualTo("shape");
    // printf 'a red circle' | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
    assertThat(workload.path("prompt_hash").asText())
        .isEqualTo("e720f5ed976d16698970b6d2c2cb252f87ecc10ec3b3391c21803c0f93a36023");
    assertThat(event.path("config").path("precision").path("weights").asText())
        .isEqualTo("bfloat16");
    assertThat(event.path("config").path("sampling").path("sampler").asText())
        .isEqualTo("DPMSolver");
    assertThat(event.path("config").path("runtime").has("version")).as("not loaded").isFalse();
    assertThat(event.path("model").path("name").asText()).isEqualTo("tiny-sd");
    assertThat(event.toString()).doesNotContain("red circle");
  }

  @Test
  void reportsABatchAsItsMembers() throws Exception {
    python(
        """
        reporter = Reporter("%s", "image-gen")
        reporter.wrap(Pipe())(["a", "b", "c"], num_images_per_prompt=2)
        reporter.close()
        """
            .formatted(url()));
    assertThat(events).hasSize(3);
    assertThat(events)
        .allSatisfy(
            event -> {
              assertThat(new EventReader().readJson(event)).isInstanceOf(Reading.Accepted.class);
              assertThat(event.path("batch").path("size_max").asInt()).isEqualTo(6);
              assertThat(event.path("batch").path("neighbours")).hasSize(2);
            });
  }

  @Test
  void passesFailuresOn_andReportsTheirClassOnly() throws Exception {
    python(
        """
        reporter = Reporter("%s", "image-gen")
        try:
            reporter.wrap(Pipe())("fail")
            sys.exit("the failure was swallowed")
        except MemoryError:
            pass
        reporter.close()
        """
            .formatted(url()));
    assertThat(events).hasSize(1);
    assertThat(events.get(0).path("status").asText()).isEqualTo("error");
    assertThat(events.get(0).path("error").asText()).isEqualTo("MemoryError");
    assertThat(events.get(0).toString()).doesNotContain("secret");
    assertThat(new EventReader().readJson(events.get(0))).isInstanceOf(Reading.Accepted.class);
  }

  @Test
  void callsTheCallersOwnCallback() throws Exception {
    python(
        """
        seen = []
        def own(pipe, index, timestep, tensors):
            seen.append(index)
            return tensors
        reporter = Reporter("%s", "image-gen")
        reporter.wrap(Pipe())("a", callback_on_step_end=own)
        reporter.close()
        assert seen == [0, 1], seen
        """
            .formatted(url()));
  }

  @Test
  void asksForTheTensorsThatTheCallersCallbackNames() throws Exception {
    python(
        """
        class Own:
            tensor_inputs = ["prompt_embeds"]
            def __call__(self, pipe, index, timestep, tensors): return tensors
        reporter = Reporter("%s", "image-gen")
        pipe = reporter.wrap(Pipe())
        pipe("a", callback_on_step_end=Own())
        assert pipe.rest == {"callback_on_step_end_tensor_inputs": ["prompt_embeds"]}, pipe.rest
        reporter.close()
        """
            .formatted(url()));
  }

  @Test
  void reportsAPipelineWithoutCallbacks() throws Exception {
    python(
        """
        class Silent:
            def __call__(self, prompt): return Result()
        reporter = Reporter("%s", "image-gen")
        assert len(reporter.wrap(Silent())("a").images) == 1
        reporter.close()
        assert (reporter.posted, reporter.dropped) == (1, 0), (reporter.posted, reporter.dropped)
        """
            .formatted(url()));
    assertThat(events).hasSize(1);
    assertThat(events.get(0).path("stage_seconds")).isEmpty();
  }

  @Test
  void dropsAndCountsWhatIsNoJson_andReportsWhatFollows() throws Exception {
    python(
        """
        reporter = Reporter("%s", "image-gen", config={"runtime": {"name": object()}})
        pipe = reporter.wrap(Pipe())
        pipe("a")
        reporter._config = None
        pipe("a", guidance_scale=float("nan"))
        pipe("a")
        reporter.close()
        assert (reporter.posted, reporter.dropped) == (1, 2), (reporter.posted, reporter.dropped)
        pipe("a")
        assert reporter.dropped == 3, "after the end"
        """
            .formatted(url()));
    assertThat(events).hasSize(1);
  }

  @Test
  void servesOn_whenTheMonitorIsAwayOrRefuses() throws Exception {
    status = 400;
    for (String where : new ArrayList<>(List.of("http://127.0.0.1:1", url()))) {
      python(
          """
          reporter = Reporter("%s", "image-gen", waiting=3, timeout=1.0)
          pipe = reporter.wrap(Pipe())
          for i in range(20):
              assert len(pipe("a", num_inference_steps=1).images) == 1
          reporter.close(10)
          assert reporter.posted == 0
          assert reporter.dropped == 20, reporter.dropped
          """
              .formatted(where));
    }
    assertThat(events).isEmpty();
  }

  @Test
  void answersAsTheGateAsks() throws Exception {
    String output =
        python(
            """
            import json, threading, urllib.error, urllib.request
            from diffusers_server import server
            class Plain(Pipe):
                def __call__(self, prompt, **rest):
                    self.asked = (prompt, rest)
                    if prompt == "fail": raise MemoryError("secret text")
                    return Result()
            pipe = Plain()
            def generator(seed):
                if seed > 2 ** 64: raise RuntimeError("Overflow when unpacking long")
                return ("generator", seed)
            made = server(pipe, generator, 0)
            threading.Thread(target=made.serve_forever, daemon=True).start()
            url = "http://127.0.0.1:%d/v1/images/generations" % made.server_address[1]
            def post(body):
                try:
                    with urllib.request.urlopen(url, json.dumps(body).encode()) as answer:
                        return answer.status, json.load(answer)
                except urllib.error.HTTPError as refused:
                    return refused.code, json.load(refused)
            status, answer = post({"prompt": "p", "size": "64x32", "seed": 5, "n": 1,
                                   "num_inference_steps": 3})
            assert status == 200
            assert pipe.asked == ("p", {"width": 64, "height": 32, "num_inference_steps": 3,
                                        "generator": ("generator", 5)}), pipe.asked
            print(answer["data"][0]["b64_json"], "id" in answer, answer["inference_time_s"] >= 0)
            assert post({"prompt": 1})[0] == 400
            assert post({"prompt": "p", "n": 2})[0] == 400
            assert post([])[0] == 400
            assert post({"prompt": "p", "seed": 2 ** 70})[0] == 400
            assert post({"prompt": "p", "seed": float("inf")})[0] == 400
            status, answer = post({"prompt": "fail"})
            assert status == 500 and "secret" not in json.dumps(answer), answer
            """);
    // printf 'png of PNG' | base64
    assertThat(output.strip()).isEqualTo("cG5nIG9mIFBORw== True True");
  }
}

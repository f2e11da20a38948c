package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.serving.fault.Faults;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelineDirectoryTest {

  @TempDir Path copy;

  private List<String> problems(Consumer<ObjectNode> change) throws Exception {
    PipelineCopy.of(copy, change);
    return readProblems();
  }

  private List<String> readProblems() {
    return catchThrowableOfType(InvalidPipelineException.class, () -> PipelineDirectory.read(copy))
        .problems();
  }

  private static ObjectNode at(ObjectNode json, String name) {
    return (ObjectNode) json.get(name);
  }

  @Test
  void readsEveryField() throws Exception {
    PipelineManifest manifest = PipelineDirectory.read(Requests.RANDOM_PIPELINE).manifest();

    assertThat(manifest.name()).isEqualTo("random");
    assertThat(manifest.revision()).isEqualTo("1");
    assertThat(manifest.maxTokens()).isEqualTo(24);
    assertThat(manifest.padToMaxTokens()).isFalse();
    assertThat(manifest.latent()).isEqualTo(new PipelineManifest.Latent(4, 4, 0.5));
    assertThat(manifest.shapes())
        .containsExactly(
            new PipelineManifest.ImageSize(32, 32), new PipelineManifest.ImageSize(32, 24));
    assertThat(manifest.schedule())
        .isEqualTo(
            new PipelineManifest.Schedule(
                1000, BetaSchedule.SCALED_LINEAR, 0.00085, 0.012, Prediction.EPSILON));
    assertThat(manifest.samplers()).isEqualTo(Set.of(SamplerKind.values()));
    assertThat(manifest.defaults())
        .isEqualTo(new PipelineManifest.Defaults(SamplerKind.EULER, 6, 3));
  }

  @Test
  void aComponentWithoutAVariantUsesFp32() throws Exception {
    PipelineManifest manifest = PipelineDirectory.read(Requests.RANDOM_PIPELINE).manifest();

    assertThat(manifest.file(Component.DENOISER, Precision.INT8)).contains("denoiser.int8.pt");
    assertThat(manifest.file(Component.TEXT_ENCODER, Precision.BF16)).contains("text_encoder.pt");
    assertThat(manifest.file(Component.DECODER, Precision.INT8)).contains("decoder.pt");
  }

  @Test
  void tellsAllProblemsOfTheManifestAtOnce() throws Exception {
    List<String> problems =
        problems(
            json -> {
              json.put("format", 2);
              json.remove("name");
              json.put("max_tokens", "many");
              json.put("pad_to_max_tokens", 49407);
              at(json, "schedule").put("beta_schedule", "quadratic");
              at(json, "latent").put("downscale", 0);
              json.putArray("shapes").addArray().add(32);
            });

    assertThat(problems)
        .containsExactlyInAnyOrder(
            "format=2: must be an integer between 1 and 1",
            "name is missing: must be a text",
            "max_tokens=\"many\": must be an integer between 1 and 100000",
            "pad_to_max_tokens=49407: must be true or false",
            "schedule.beta_schedule=\"quadratic\": must be one of linear, scaled_linear,"
                + " squaredcos_cap_v2",
            "latent.downscale=0: must be an integer between 1 and 64",
            "shapes=[32]: must be [width, height], each between 1 and 16384");
  }

  @Test
  void tellsUnknownFieldsAndTheirNearest() throws Exception {
    assertThat(
            problems(
                json -> {
                  json.put("pad_to_max_token", true);
                  at(json, "schedule").put("beta_strat", 0.1);
                  at(json, "latent").put("x_y_z_unheard_of", 1);
                  at(at(json, "files"), "denoiser").put("fp16", "denoiser.pt");
                  json.put("max_tokens", 4294967320L);
                }))
        .containsExactlyInAnyOrder(
            "pad_to_max_token is no field, did you mean pad_to_max_tokens?",
            "schedule.beta_strat is no field, did you mean beta_start?",
            "latent.x_y_z_unheard_of is no field",
            "files.denoiser.fp16 is no field, did you mean bf16?",
            "max_tokens=4294967320: must be an integer between 1 and 100000");
  }

  @Test
  void refusesDuplicateFieldsAndWhatFollowsTheManifest() throws Exception {
    PipelineCopy.of(copy, json -> {});
    String json = Files.readString(copy.resolve("pipeline.json"));
    Files.writeString(copy.resolve("pipeline.json"), json + "{}");
    assertThat(readProblems()).singleElement().asString().contains("is not JSON");
    Files.writeString(
        copy.resolve("pipeline.json"), json.replaceFirst("\\{", "{\"name\":\"other\","));
    assertThat(readProblems()).singleElement().asString().contains("Duplicate field 'name'");
  }

  @Test
  void checksWhatMustFitTogether() throws Exception {
    List<String> problems =
        problems(
            json -> {
              json.putArray("shapes").addArray().add(30).add(32);
              json.putArray("samplers").add("ddim");
              at(json, "default").put("steps", 2000);
              json.putNull("latent");
            });

    assertThat(problems)
        .containsExactly(
            "files.decoder and latent: must both be there, or neither (pixel diffusion)",
            "default.sampler=euler: must be one of samplers",
            "default.steps=2000: must be at most schedule.train_timesteps");
    assertThat(problems(json -> json.putArray("shapes").addArray().add(30).add(32)))
        .containsExactly("shapes 30x32: must be multiples of latent.downscale 4");
  }

  @Test
  void tellsEveryFileThatIsNotWhatTheManifestSays() throws Exception {
    PipelineCopy.of(copy, json -> {});
    byte[] denoiser = Files.readAllBytes(copy.resolve("denoiser.pt"));
    denoiser[denoiser.length / 2] ^= 1;
    Files.write(copy.resolve("denoiser.pt"), denoiser);
    Files.delete(copy.resolve("decoder.pt"));

    List<String> problems = readProblems();

    assertThat(problems).hasSize(2);
    assertThat(problems.get(0)).startsWith("decoder.pt: cannot be read");
    assertThat(problems.get(1)).startsWith("denoiser.pt: its SHA-256 is ");
  }

  @Test
  void refusesAWrongWeightsDigest() throws Exception {
    assertThat(problems(json -> json.put("weights_digest", "sha256:00")))
        .singleElement()
        .asString()
        .startsWith("weights_digest=sha256:00: the fp32 files give sha256:");
  }

  @Test
  void refusesNamesThatLeadOutOfTheDirectory() throws Exception {
    assertThat(problems(json -> json.put("tokenizer", "../tokenizer.json")))
        .containsExactly("file name \"../tokenizer.json\": must be a plain name in the directory");
    assertThat(problems(json -> at(json, "sha256").put("/etc/passwd", "00")))
        .containsExactly("file name \"/etc/passwd\": must be a plain name in the directory");
  }

  @Test
  void refusesAFileWithoutADigest() throws Exception {
    assertThat(problems(json -> at(json, "sha256").remove("tokenizer.json")))
        .containsExactly("sha256.tokenizer.json=null: must be 64 hex digits, lower case");
  }

  @Test
  void saysWhenThereIsNoManifestOrNoJson() throws Exception {
    assertThatThrownBy(() -> PipelineDirectory.read(copy))
        .isInstanceOf(InvalidPipelineException.class)
        .hasMessageContaining("pipeline.json cannot be read");
    Files.writeString(copy.resolve("pipeline.json"), "{");
    assertThatThrownBy(() -> PipelineDirectory.read(copy))
        .isInstanceOf(InvalidPipelineException.class)
        .hasMessageContaining("pipeline.json is not JSON");
    Files.writeString(copy.resolve("pipeline.json"), "[]");
    assertThatThrownBy(() -> PipelineDirectory.read(copy))
        .isInstanceOf(InvalidPipelineException.class)
        .hasMessageContaining("name is missing");
  }

  @Test
  void refusesAPrecisionThePipelineDoesNotHave() throws Exception {
    PipelineCopy.of(copy, json -> at(at(json, "files"), "denoiser").remove("bf16"));

    assertThatThrownBy(
            () ->
                TorchBackend.load(
                    EngineSettings.defaults(copy).withPrecision(Precision.BF16), Faults.none()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("precision=bf16: the pipeline has no file of it");
  }
}

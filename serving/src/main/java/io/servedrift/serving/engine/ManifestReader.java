package io.servedrift.serving.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Turns the JSON of {@code pipeline.json} into a manifest and notes every problem on the way. */
final class ManifestReader {

  private static final int MAX_SIDE = 16_384;

  /** A file of the directory itself: nothing that leads out of it. */
  private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

  private static final String[] FIELDS = {
    "format",
    "name",
    "revision",
    "weights_digest",
    "files",
    "sha256",
    "tokenizer",
    "max_tokens",
    "pad_to_max_tokens",
    "latent",
    "shapes",
    "schedule",
    "samplers",
    "default"
  };

  private ManifestReader() {}

  /** The manifest; to be used only when no problem was added. */
  static PipelineManifest parse(JsonNode json, List<String> problems) {
    ManifestFields fields = new ManifestFields(json, "", problems);
    fields.only(FIELDS);
    fields.integer("format", 1, 1);
    PipelineManifest manifest =
        new PipelineManifest(
            fields.text("name"),
            fields.text("revision"),
            fields.text("weights_digest"),
            files(fields.object("files"), problems),
            digests(fields.object("sha256"), problems),
            fileName(fields.text("tokenizer"), problems),
            fields.integer("max_tokens", 1, 100_000),
            fields.has("pad_to_max_tokens") && fields.bool("pad_to_max_tokens"),
            latent(fields),
            shapes(fields),
            schedule(fields.object("schedule")),
            Set.copyOf(fields.words("samplers", SamplerKind.values(), SamplerKind::word)),
            defaults(fields.object("default")));
    checkTogether(manifest, fields, problems);
    return manifest;
  }

  private static Map<Component, Map<Precision, String>> files(
      ManifestFields fields, List<String> problems) {
    fields.only(words(Component.values(), Component::word));
    Map<Component, Map<Precision, String>> files = new EnumMap<>(Component.class);
    for (Component component : Component.values()) {
      if (!fields.has(component.word()) && component == Component.DECODER) {
        continue;
      }
      ManifestFields variants = fields.object(component.word());
      variants.only(words(Precision.values(), Precision::word));
      Map<Precision, String> byPrecision = new EnumMap<>(Precision.class);
      for (Precision precision : Precision.values()) {
        if (precision == Precision.FP32 || variants.has(precision.word())) {
          byPrecision.put(precision, fileName(variants.text(precision.word()), problems));
        }
      }
      files.put(component, byPrecision);
    }
    return files;
  }

  private static <E> String[] words(E[] values, Function<E, String> word) {
    return Arrays.stream(values).map(word).toArray(String[]::new);
  }

  private static Map<String, String> digests(ManifestFields fields, List<String> problems) {
    Map<String, String> digests = fields.texts();
    digests.keySet().forEach(name -> fileName(name, problems));
    return digests;
  }

  private static String fileName(String name, List<String> problems) {
    if (!name.isEmpty() && !FILE_NAME.matcher(name).matches()) {
      problems.add("file name \"" + name + "\": must be a plain name in the directory");
    }
    return name;
  }

  private static PipelineManifest.Latent latent(ManifestFields fields) {
    if (!fields.has("latent")) {
      return new PipelineManifest.Latent(3, 1, 1);
    }
    ManifestFields latent = fields.object("latent");
    latent.only("channels", "downscale", "scaling");
    return new PipelineManifest.Latent(
        latent.integer("channels", 1, 1024),
        latent.integer("downscale", 1, 64),
        latent.number("scaling", 1e-6, 1e6));
  }

  private static List<PipelineManifest.ImageSize> shapes(ManifestFields fields) {
    List<PipelineManifest.ImageSize> shapes = new ArrayList<>();
    for (JsonNode shape : fields.array("shapes")) {
      if (shape.size() == 2 && side(shape.get(0)) && side(shape.get(1))) {
        shapes.add(
            new PipelineManifest.ImageSize(shape.get(0).intValue(), shape.get(1).intValue()));
      } else {
        fields.problem("shapes", shape, "[width, height], each between 1 and " + MAX_SIDE);
      }
    }
    return shapes;
  }

  private static boolean side(JsonNode value) {
    return value.isInt() && value.intValue() >= 1 && value.intValue() <= MAX_SIDE;
  }

  private static PipelineManifest.Schedule schedule(ManifestFields fields) {
    fields.only("train_timesteps", "beta_schedule", "beta_start", "beta_end", "prediction");
    BetaSchedule betas = fields.word("beta_schedule", BetaSchedule.values(), BetaSchedule::word);
    boolean bounds = betas != BetaSchedule.SQUAREDCOS_CAP_V2;
    return new PipelineManifest.Schedule(
        fields.integer("train_timesteps", 1, 100_000),
        betas,
        bounds ? fields.number("beta_start", 1e-9, 0.999) : 0,
        bounds ? fields.number("beta_end", 1e-9, 0.999) : 0,
        fields.word("prediction", Prediction.values(), Prediction::word));
  }

  private static PipelineManifest.Defaults defaults(ManifestFields fields) {
    fields.only("sampler", "steps", "guidance_scale");
    return new PipelineManifest.Defaults(
        fields.word("sampler", SamplerKind.values(), SamplerKind::word),
        fields.integer("steps", 1, 100_000),
        fields.number("guidance_scale", 0, 100));
  }

  private static void checkTogether(
      PipelineManifest manifest, ManifestFields fields, List<String> problems) {
    int downscale = manifest.latent().downscale();
    for (PipelineManifest.ImageSize shape : manifest.shapes()) {
      if (shape.width() % downscale != 0 || shape.height() % downscale != 0) {
        problems.add("shapes " + shape + ": must be multiples of latent.downscale " + downscale);
      }
    }
    boolean decodes = manifest.file(Component.DECODER, Precision.FP32).isPresent();
    if (fields.has("latent") != decodes) {
      problems.add("files.decoder and latent: must both be there, or neither (pixel diffusion)");
    }
    if (!manifest.samplers().isEmpty()
        && !manifest.samplers().contains(manifest.defaults().sampler())) {
      problems.add(
          "default.sampler=" + manifest.defaults().sampler().word() + ": must be one of samplers");
    }
    if (manifest.defaults().steps() > manifest.schedule().trainTimesteps()) {
      problems.add(
          "default.steps="
              + manifest.defaults().steps()
              + ": must be at most schedule.train_timesteps");
    }
  }
}

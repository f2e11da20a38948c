package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What SGLang Diffusion measured of one request: a line of {@code performance.log} or the file of
 * {@code --perf-dump-path}. In the former {@code steps} are denoising steps, in the latter stages.
 *
 * @param requestId of the request
 * @param at when it was written, null when that is not told
 * @param totalSeconds the pipeline's time, queue excluded
 * @param stageSeconds by the contract's names where it has one
 * @param steps cached and executed, null where the durations do not tell
 */
record PerfRecord(
    String requestId,
    @Nullable Instant at,
    @Nullable Double totalSeconds,
    Map<String, Double> stageSeconds,
    StepTimes.@Nullable Split steps) {

  private static final String STAGE_METRICS = "pipeline_stage_metrics";
  private static final String DUMP = "benchmark_dump";
  private static final int MOST_STAGES = 32;
  private static final Map<String, String> NAMES =
      Map.of(
          "TextEncodingStage", "text_encode",
          "DenoisingStage", "denoise",
          "DecodingStage", "decode");

  /** Whether the object is such a record. */
  static boolean isOne(ObjectNode object) {
    String tag = object.path("tag").asText();
    return tag.equals(STAGE_METRICS) || tag.equals(DUMP);
  }

  /** The record, null when it names no request. */
  static @Nullable PerfRecord of(ObjectNode object, SourceTimes times, Consumer<String> notes) {
    SourceObject source = SourceObject.of(object, notes);
    String id = source.text("request_id");
    if (id == null) {
      return null;
    }
    boolean dump = object.path("tag").asText().equals(DUMP);
    return new PerfRecord(
        id,
        times.text(source.text("timestamp")),
        seconds(source.number("total_duration_ms")),
        dump
            ? stages(source, "steps", "duration_ms")
            : stages(source, "stages", "execution_time_ms"),
        StepTimes.of(dump ? dumpedSteps(source) : steps(source.any("steps"))));
  }

  /** Adds the stages and the use of the step cache to the request. */
  void addTo(EventDraft draft) {
    stageSeconds.forEach((name, seconds) -> draft.put("stage_seconds." + name, seconds));
    if (steps != null) {
      draft
          .put("cache.denoise.cached_steps", steps.cached())
          .put("cache.denoise.executed_steps", steps.executed());
    }
  }

  private static @Nullable Double seconds(@Nullable Double milliseconds) {
    return milliseconds == null ? null : Math.rint(milliseconds * 1e3) / 1e6;
  }

  private static Map<String, Double> stages(SourceObject source, String list, String duration) {
    Map<String, Double> stages = new TreeMap<>();
    for (SourceObject stage : source.objects(list)) {
      String name = name(stage.text("name"));
      Double seconds = seconds(stage.number(duration));
      if (name != null
          && seconds != null
          && (stages.size() < MOST_STAGES || stages.containsKey(name))) {
        stages.merge(name, seconds, Double::sum);
      }
    }
    return stages;
  }

  private static @Nullable String name(@Nullable String stage) {
    if (stage == null || stage.length() > 64) {
      return null;
    }
    String known = NAMES.get(stage);
    if (known != null) {
      return known;
    }
    String plain =
        stage
            .replaceAll("Stage$", "")
            .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
            .replaceAll("[^A-Za-z0-9]+", "_")
            .toLowerCase(Locale.ROOT);
    return plain.isEmpty() || plain.equals("_") ? null : plain;
  }

  private static double[] dumpedSteps(SourceObject source) {
    return source.objects("denoise_steps_ms").stream()
        .map(step -> step.number("duration_ms"))
        .mapToDouble(ms -> ms == null ? Double.NaN : ms)
        .toArray();
  }

  private static double[] steps(@Nullable JsonNode list) {
    List<Double> values = new ArrayList<>();
    if (list != null && list.isArray()) {
      for (JsonNode value : list) {
        if (!value.isNumber()) {
          return new double[0];
        }
        values.add(value.doubleValue());
      }
    }
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}

package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.RunSettings;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What makes two runs the same, so that one can go on with what the other recorded. Holds no
 * prompt.
 *
 * @param plan what counts, by name
 * @param runId name of a run with this plan
 */
record RunIdentity(ObjectNode plan, String runId) {
  private static final int ID_DIGITS = 12;

  static RunIdentity of(RunInput input, List<GatePrompt> sample) {
    RunOptions options = input.options();
    ObjectNode plan = Journal.JSON.createObjectNode();
    plan.put("old", input.oldSide().toString()).put("new", input.newSide().toString());
    plan.put("prompts", Digests.of(sample.toString())).put("samples", sample.size());
    plan.put("old_profile", profile(input.oldDeclared()));
    plan.put("new_profile", profile(input.newDeclared()));
    plan.put("scorer", input.scorer() == null ? null : input.scorer().toString());
    plan.put("switched", input.switched() == null ? null : input.switched().toString());
    plan.put("flip_command", input.flipCommand() == null ? null : Digests.of(input.flipCommand()));
    plan.put(
        "traffic",
        input.traffic() == null
            ? null
            : Digests.of(
                input.traffic().gapsSeconds() + " " + input.traffic().profile().classes()));
    plan.put("seed", options.seed()).put("concurrency", options.concurrency().toString());
    plan.put("rate", options.ratePerSecond()).put("peak", options.peakPerSecond());
    plan.put("loads", options.loads().toString()).put("blocks", options.blocks());
    plan.put("block", options.block().toString()).put("warm_up", options.warmUp().toString());
    plan.put("after_flip", options.afterFlip()).put("flip_limit", options.flipLimit().toString());
    plan.put(
        "checks", options.checks().stream().map(CheckName::label).sorted().toList().toString());
    return new RunIdentity(plan, Digests.of(plan.toString()).substring(0, ID_DIGITS));
  }

  private static String profile(Declaration declared) {
    return Digests.of(declared.toString());
  }

  /**
   * Refuses to go on with another run.
   *
   * @param recorded the plan of the folder, null when it is empty
   * @throws GateInputException naming what differs
   */
  void requireSame(@Nullable JsonNode recorded, Path folder) throws GateInputException {
    if (recorded == null) {
      return;
    }
    List<String> different = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : plan.properties()) {
      if (!member.getValue().asText().equals(recorded.path(member.getKey()).asText())) {
        different.add(member.getKey());
      }
    }
    if (!different.isEmpty()) {
      throw new GateInputException(
          folder
              + ": holds a run that differs in "
              + String.join(", ", different)
              + ": take another folder (--report), or the same options");
    }
  }

  RunSettings settings(RunInput input, List<GatePrompt> sample, Timeline timeline) {
    RunOptions options = input.options();
    List<Double> temperatures =
        sample.stream().map(GatePrompt::temperature).filter(Objects::nonNull).toList();
    // One prompt without it is asked at the endpoint's own, which nobody knows.
    Double temperature =
        temperatures.isEmpty() || temperatures.size() < sample.size()
            ? null
            : Collections.max(temperatures);
    Instant now = Instant.EPOCH.plus(timeline.epochMicros(timeline.nanos()), ChronoUnit.MICROS);
    return new RunSettings(
        runId,
        now.truncatedTo(ChronoUnit.MILLIS).toString(),
        options.seed(),
        sample.size(),
        options.typicalConcurrency(),
        options.peakPerSecond() != null || input.traffic() == null
            ? options.peakPerSecond()
            : input.traffic().peakPerSecond(),
        options.has(CheckName.P99_UNDER_LOAD) ? options.loads() : List.of(),
        options.blocks(),
        options.block().toMillis() / 1e3,
        options.warmUp().toMillis() / 1e3,
        temperature);
  }
}

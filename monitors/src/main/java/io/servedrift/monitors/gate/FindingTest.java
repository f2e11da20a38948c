package io.servedrift.monitors.gate;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The test that decides whether a finding of the monitor is right: its cause says which checks, its
 * exemplars say which prompts. Prompts are known to findings by keyed hash only.
 *
 * @param findingId which finding
 * @param cause its cause, e.g. {@code cache}
 * @param question what the test answers
 * @param checks that answer it; empty when no replay can
 * @param prompts places in the prompt file of the exemplars' prompts, blamed exemplars first
 * @param exemplars exemplars of the finding
 * @param unmatched those whose prompt is not in the file
 * @param unhashed those of which no prompt hash is known
 */
public record FindingTest(
    String findingId,
    String cause,
    String question,
    Set<CheckName> checks,
    List<Integer> prompts,
    int exemplars,
    int unmatched,
    int unhashed) {
  /** What the test says about the finding's cause. */
  public enum Answer {
    CONFIRMED,
    NOT_CONFIRMED,
    INSUFFICIENT,
    /** None of the checks that decide it was run. */
    NOT_TESTED
  }

  private static final Set<String> QUALITY_FREE =
      Set.of("latency", "queue", "inference", "time_to_first_token", "error_ratio");
  private static final String STAGE = "stage:";

  public FindingTest {
    checks = Set.copyOf(checks);
    prompts = List.copyOf(prompts);
  }

  /**
   * Chooses the test.
   *
   * @param finding as {@code explain --json} and the findings topic have it
   * @param hashesByRequest prompt hash by request id, as recorded traffic has it; an exemplar that
   *     carries its {@code prompt_hash} needs none
   * @param promptHashes keyed hash of each prompt of the file, in its order; null without the key
   */
  public static FindingTest of(
      JsonNode finding, Map<String, String> hashesByRequest, List<@Nullable String> promptHashes) {
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < promptHashes.size(); i++) {
      String hash = promptHashes.get(i);
      if (hash != null) {
        places.putIfAbsent(hash, i);
      }
    }
    List<JsonNode> exemplars = exemplars(finding);
    Set<Integer> matched = new LinkedHashSet<>();
    int unmatched = 0;
    int unhashed = 0;
    for (JsonNode exemplar : exemplars) {
      String hash =
          exemplar.hasNonNull("prompt_hash")
              ? exemplar.path("prompt_hash").asText()
              : hashesByRequest.get(exemplar.path("request_id").asText());
      Integer place = hash == null ? null : places.get(hash);
      if (place != null) {
        matched.add(place);
      } else if (hash == null) {
        unhashed++;
      } else {
        unmatched++;
      }
    }
    String cause = finding.at("/verdict/cause").asText("");
    return new FindingTest(
        finding.path("finding_id").asText(),
        cause,
        finding.at("/next_test/what").asText(""),
        checks(cause, finding.path("metric").asText("")),
        List.copyOf(matched),
        exemplars.size(),
        unmatched,
        unhashed);
  }

  /**
   * What a gate says about the cause: a check that varies what the cause names and fails confirms
   * it. A slow tail says nothing about a cause other than scheduling and load; and what a gap at
   * batch 1 comes from, weights or configuration, the deciding sentence must say.
   *
   * @param run checks of which the arms were run
   */
  public Answer answer(GateResult result, Set<CheckName> run) {
    List<CheckResult> judged =
        result.checks().stream()
            .filter(check -> checks.contains(check.name()) && run.contains(check.name()))
            .toList();
    if (judged.isEmpty()) {
      return Answer.NOT_TESTED;
    }
    if (judged.stream().allMatch(check -> check.state() == CheckState.PASS)) {
      return Answer.NOT_CONFIRMED;
    }
    boolean failed =
        judged.stream().anyMatch(check -> check.state() == CheckState.FAIL && varies(check.name()));
    return failed && agrees(result.deciding().verdict()) ? Answer.CONFIRMED : Answer.INSUFFICIENT;
  }

  private boolean varies(CheckName check) {
    return check != CheckName.P99_UNDER_LOAD || cause.equals("scheduling") || cause.equals("load");
  }

  private boolean agrees(DecidingSentence.Verdict verdict) {
    return switch (cause) {
      case "model" -> verdict == DecidingSentence.Verdict.MODEL;
      case "node", "config_change" -> verdict == DecidingSentence.Verdict.SERVING_LAYER;
      default -> !causeless();
    };
  }

  private boolean causeless() {
    return cause.equals("inconclusive") || cause.equals("unexplained");
  }

  /** The answer as a sentence. */
  public String sentence(Answer answer) {
    if (causeless() && answer == Answer.INSUFFICIENT) {
      return "The finding names no cause to confirm: the deciding sentence says what was found.";
    }
    String subject = "The finding's cause, " + (cause.isEmpty() ? "none" : cause) + ", ";
    return subject
        + switch (answer) {
          case CONFIRMED -> "is confirmed.";
          case NOT_CONFIRMED -> "is not confirmed: the test found nothing beyond the margin.";
          case INSUFFICIENT -> "is neither confirmed nor ruled out: insufficient.";
          case NOT_TESTED -> "is not decided by what was run.";
        };
  }

  /** Request ids of a finding's exemplars, whose prompt hashes recorded traffic can tell. */
  public static Set<String> requests(JsonNode finding) {
    Set<String> ids = new LinkedHashSet<>();
    exemplars(finding).forEach(one -> ids.add(one.path("request_id").asText()));
    return ids;
  }

  private static List<JsonNode> exemplars(JsonNode finding) {
    List<JsonNode> blamed = new ArrayList<>();
    List<JsonNode> others = new ArrayList<>();
    for (JsonNode one : finding.path("exemplars")) {
      (one.path("role").asText().equals("blamed") ? blamed : others).add(one);
    }
    blamed.addAll(others);
    return blamed;
  }

  /** Which checks vary what the cause names, and hold the rest. */
  private static Set<CheckName> checks(String cause, String metric) {
    Set<CheckName> checks =
        switch (cause) {
          case "cache" -> EnumSet.of(CheckName.CACHE_PARITY);
          case "batching" -> EnumSet.of(CheckName.BATCH_COMPOSITION);
          case "scheduling", "load" -> EnumSet.of(CheckName.P99_UNDER_LOAD);
          case "node", "config_change", "model", "unexplained" ->
              EnumSet.of(CheckName.SEED_PARITY, CheckName.PROXY_DRIFT);
          case "inconclusive" ->
              EnumSet.of(
                  CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY);
          default -> EnumSet.noneOf(CheckName.class);
        };
    boolean ofTime = QUALITY_FREE.contains(metric) || metric.startsWith(STAGE);
    if (ofTime && !checks.isEmpty()) {
      checks.add(CheckName.P99_UNDER_LOAD);
    }
    return checks;
  }
}

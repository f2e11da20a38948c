package io.servedrift.monitors.gate.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.AaControl;
import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.AnswerStatus;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.ArmCost;
import io.servedrift.monitors.gate.ArmTail;
import io.servedrift.monitors.gate.BarSentence;
import io.servedrift.monitors.gate.ChangedAxes;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.CheckState;
import io.servedrift.monitors.gate.DecidingSentence;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.GateOutcome;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import io.servedrift.monitors.gate.MeasureState;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.RegimeCell;
import io.servedrift.monitors.gate.RegimeCoverage;
import io.servedrift.monitors.gate.RunSettings;
import io.servedrift.monitors.gate.Side;
import io.servedrift.monitors.stats.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Results of every kind, with numbers chosen by hand. */
final class SampleResults {
  /** Tries to be markup of a page, of XML and of Markdown at once. */
  static final String MARKUP =
      "</title></section><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
          + "\"]]>|`**x**`@someone [a](javascript:1)\u0000\u2028";

  private SampleResults() {}

  static GateResult passed() {
    return result(
        GateOutcome.PASS, CheckState.PASS, "the new side is no worse than the old one", "x");
  }

  static GateResult failed() {
    return result(
        GateOutcome.FAIL, CheckState.FAIL, "batching or caching moved it", "clip-scenes@ab12");
  }

  static GateResult insufficient() {
    return result(GateOutcome.INSUFFICIENT, CheckState.INSUFFICIENT, "cannot tell", "x");
  }

  /** Every text that can come from outside tries to be markup. */
  static GateResult hostile() {
    return result(GateOutcome.FAIL, CheckState.FAIL, MARKUP, MARKUP);
  }

  private static GateResult result(
      GateOutcome outcome, CheckState decided, String sentence, String name) {
    MeasureState state =
        switch (decided) {
          case PASS -> MeasureState.PASS;
          case FAIL -> MeasureState.FAIL;
          default -> MeasureState.INSUFFICIENT;
        };
    Long needed = decided == CheckState.INSUFFICIENT ? 481L : null;
    List<CheckResult> checks = new ArrayList<>();
    for (CheckName check : CheckName.values()) {
      checks.add(
          switch (check) {
            case SEED_PARITY ->
                new CheckResult(
                    check,
                    CheckState.PASS,
                    "equal outputs at batch 1",
                    List.of(
                        new Measure(
                            "identical outputs",
                            "old/single - new/single",
                            1.0,
                            .9876,
                            1.0,
                            .95,
                            299,
                            .98,
                            "share",
                            MeasureState.PASS,
                            null,
                            "Clopper-Pearson")),
                    null);
            case CACHE_PARITY ->
                new CheckResult(
                    check, CheckState.NOT_APPLICABLE, "the old side has no cache", List.of(), null);
            case BATCH_COMPOSITION ->
                new CheckResult(
                    check,
                    decided,
                    sentence,
                    List.of(
                        new Measure(
                            "clip: mean difference",
                            name,
                            -.0215,
                            -.0243,
                            -.0187,
                            .9,
                            320,
                            -.003,
                            "score",
                            state,
                            needed,
                            "paired t"),
                        new Measure(
                            "distance ratio",
                            "class " + name,
                            1.31,
                            null,
                            Double.POSITIVE_INFINITY,
                            .9,
                            12,
                            1.25,
                            "ratio",
                            MeasureState.INSUFFICIENT,
                            100L,
                            "Wilcoxon")),
                    needed);
            default ->
                new CheckResult(
                    check,
                    CheckState.PASS,
                    "within the margin",
                    List.of(
                        new Measure(
                            "p99 ratio",
                            "load 1.0",
                            1.02,
                            .97,
                            1.08,
                            .9,
                            1200,
                            1.1,
                            "ratio",
                            MeasureState.PASS,
                            null,
                            "order statistics")),
                    null);
          });
    }
    Measure floor =
        new Measure(
            "noise floor",
            "old/production - old/production_again",
            34.2,
            31.0,
            37.5,
            .95,
            320,
            null,
            "dB",
            MeasureState.REPORTED,
            null,
            "mean");
    return new GateResult(
        outcome,
        sentence,
        Modality.IMAGE,
        facts(Side.OLD, name),
        facts(Side.NEW, name),
        settings(name),
        "p0l1cy",
        decided == CheckState.PASS ? List.of() : List.of(sentence),
        List.of(),
        new AaControl(CheckState.PASS, "each side agrees with itself", List.of(floor)),
        checks,
        new DecidingSentence(
            decided == CheckState.FAIL
                ? DecidingSentence.Verdict.BATCHING_OR_CACHING
                : DecidingSentence.Verdict.NO_GAP,
            sentence,
            List.of("at batch 1 nothing moved", sentence)),
        decided == CheckState.PASS
            ? new BarSentence(BarSentence.Advice.NEITHER, "neither is needed", List.of(floor))
            : null,
        new RegimeCoverage(
            name,
            1000,
            .874,
            List.of(
                new RegimeCoverage.Cell(new RegimeCell("8-15", "hit", "8-15"), 874, 320, true),
                new RegimeCoverage.Cell(new RegimeCell("16+", "miss", name), 126, 0, false))),
        List.of(
            new ArmCost(Arm.old(Regime.PRODUCTION), null, 320, 4.25, .41, "told by the endpoint"),
            new ArmCost(Arm.fresh(Regime.OPEN_LOOP), 1.2, 320, null, null, "devices x time")),
        List.of(
            new ArmTail(
                Arm.old(Regime.OPEN_LOOP),
                1.0,
                1210,
                10,
                1200,
                .5,
                .9,
                1.4,
                new Interval(1.31, 1.62),
                2.25),
            new ArmTail(Arm.fresh(Regime.SINGLE), null, 20, 0, 20, .2, .3, null, null, .4)),
        new ChangedAxes(
            ChangedAxes.Weights.EQUAL,
            List.of("batching", "cache"),
            List.of("batching.mode: single -> continuous", name),
            List.of("first batching, then cache", name)),
        new Readiness(List.of(new Readiness.Item(name, Readiness.State.MISSING, sentence))));
  }

  private static EndpointFacts facts(Side side, String name) {
    ObjectNode config = JsonNodeFactory.instance.objectNode().put("extra", name);
    ObjectNode model = JsonNodeFactory.instance.objectNode().put("weights_digest", "sha256:cd2b");
    return new EndpointFacts(
        side,
        "http://127.0.0.1:8000/" + name,
        side.label() + "-config",
        config,
        "m-1",
        model,
        new EndpointProfile(Modality.IMAGE, true, true, true, true, true, true, true, 1),
        List.of());
  }

  static RunSettings settings(String name) {
    return new RunSettings(
        "run-" + name,
        "2026-11-30T12:00:00Z",
        7,
        40,
        16,
        4.5,
        List.of(.8, 1.0, 1.2),
        8,
        600,
        120,
        null);
  }

  /** Evidence that holds nothing but these answers. */
  static Evidence evidence(Modality modality, List<Answer> answers) {
    return new Evidence(
        modality,
        facts(Side.OLD, "x"),
        facts(Side.NEW, "x"),
        null,
        null,
        settings("x"),
        answers,
        List.of(),
        null,
        null,
        Readiness.notLookedAt());
  }

  /** A good answer whose output lies in a file. */
  static Answer answer(Side side, int prompt, String digest, @Nullable String file) {
    return new Answer(
        new Arm(side, Regime.PRODUCTION),
        0,
        null,
        new Answer.Prompt(prompt, null, "one", 100 + prompt),
        AnswerStatus.OK,
        null,
        new Answer.Timing(0, 0, .5, .5, null),
        new Answer.Output(digest, file, null),
        Map.of(),
        Map.of(),
        Answer.Served.unknown());
  }
}

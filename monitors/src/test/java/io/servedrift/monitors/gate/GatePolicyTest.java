package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.policy.PolicyException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatePolicyTest {
  @Test
  void hasTheDefaultsOfTheDesign() {
    GatePolicy policy = GatePolicy.defaults();

    assertThat(policy.alpha()).isEqualTo(0.05);
    assertThat(policy.level()).isEqualTo(0.9);
    assertThat(policy.minimumPairs()).isEqualTo(100);
    assertThat(policy.outputs())
        .isEqualTo(new GatePolicy.Outputs(1.25, 0.98, 0.95, GatePolicy.Identical.REPORTED, 0.99));
    assertThat(policy.load())
        .isEqualTo(new GatePolicy.Load(0.1, List.of(0.8, 1.0, 1.2), 1000, 8, 600, 120, null));
    assertThat(policy.score("clip"))
        .isEqualTo(new ScoreRule(false, ScoreRule.Worse.BOTH, null, 0.1, null, 0.2, null));
    for (String ratio : List.of("json_valid", "answer_correct")) {
      assertThat(policy.score(ratio))
          .isEqualTo(new ScoreRule(true, ScoreRule.Worse.DOWN, 0.005, 0.1, 0.01, 0.2, null));
    }
  }

  @Test
  void readsWhatIsWritten() {
    GatePolicy policy =
        GatePolicy.parse(
            """
            alpha: 0.1
            minimum_pairs: 24
            max_error_share: 0.05
            outputs: {distance_ratio: 2, identical: promised}
            load:
              p99_margin: 0.5
              levels: 1.2, 1 1
              block: 30s
              warm_up: 2s
              slo: 2500ms
            scores:
              clip: {margin: 0.003, worse: down, quality_bar: 0.3}
              follows: {kind: ratio}
              json_valid: {margin_sd: 0.3}
            """,
            "p.yaml");

    assertThat(policy.minimumPairs()).isEqualTo(24);
    assertThat(policy.outputs().identical()).isEqualTo(GatePolicy.Identical.PROMISED);
    assertThat(policy.load().loads()).containsExactly(1.0, 1.2);
    assertThat(policy.load().blockSeconds()).isEqualTo(30);
    assertThat(policy.load().sloSeconds()).isEqualTo(2.5);
    assertThat(policy.score("clip"))
        .isEqualTo(new ScoreRule(false, ScoreRule.Worse.DOWN, 0.003, 0.1, null, 0.2, 0.3));
    assertThat(policy.score("follows").ratio()).isTrue();
    assertThat(policy.score("follows").margin()).isEqualTo(0.005);
    assertThat(policy.score("json_valid").margin()).isNull();
    assertThat(policy.score("json_valid").marginSd()).isEqualTo(0.3);
  }

  @Test
  void namesEveryProblemAtOnce() {
    assertThatThrownBy(
            () ->
                GatePolicy.parse(
                    """
                    alpah: 0.05
                    minimum_pairs: 2
                    load:
                      levels: fast
                      block: 1m
                      warm_up: 2m
                    strata: 3
                    scores:
                      clip: {margin: -1}
                    """,
                    "p.yaml"))
        .isInstanceOfSatisfying(
            PolicyException.class,
            e ->
                assertThat(e.problems())
                    .containsExactly(
                        "p.yaml:1: alpah: unknown field; did you mean alpha?",
                        "p.yaml:7: strata: must be a map (key: value)",
                        "p.yaml:2: minimum_pairs=2: must be a whole number from 5 to 1000000",
                        "p.yaml:6: load.warm_up=2m: must be shorter than the block, 1m",
                        "p.yaml:4: load.levels=fast: must be 1 to 10 numbers from 0.05 to 10 in one"
                            + " line, e.g. 0.8 1 1.2",
                        "p.yaml:9: scores.clip.margin=-1: must be a number above 0 and at most"
                            + " 1000000"));
  }

  @Test
  void hasOneHashForWhatSaysTheSame() {
    String hash = GatePolicy.defaults().hash();

    assertThat(hash).matches("[0-9a-f]{16}");
    assertThat(
            GatePolicy.parse("load: {levels: 1.2 0.8 1.0}\nscores: {clip: {margin_sd: 0.10}}", "x")
                .hash())
        .isEqualTo(hash);
    assertThat(GatePolicy.parse("alpha: 0.01", "x").hash()).isNotEqualTo(hash);
    assertThat(GatePolicy.parse("scores: {clip: {quality_bar: 0.3}}", "x").hash())
        .isNotEqualTo(hash);
  }

  /** The example names every field; without its rules for scores it says what holds anyway. */
  @Test
  void agreesWithTheExample() throws IOException {
    String text = Files.readString(Path.of("examples/gate-policy.yaml"));

    GatePolicy example = GatePolicy.parse(text, "example");

    for (GateField<?> field : GateField.all()) {
      assertThat(text).contains(field.key() + ":");
    }
    assertThat(example.score("clip").bar()).isEqualTo(0.3);
    GatePolicy defaults = GatePolicy.defaults();
    assertThat(example.load().sloSeconds()).isEqualTo(20.0);
    assertThat(example.outputs()).isEqualTo(defaults.outputs());
    assertThat(example.strata()).isEqualTo(defaults.strata());
    assertThat(example.load().loads()).isEqualTo(defaults.load().loads());
    assertThat(example.alpha()).isEqualTo(defaults.alpha());
    assertThat(example.maxErrorShare()).isEqualTo(defaults.maxErrorShare());
  }

  @Test
  void documentsEveryField() {
    String table = GatePolicy.table();
    for (GateField<?> field : GateField.all()) {
      assertThat(table).contains("| `" + field.path() + "` | " + field.shownDefault() + " |");
    }
  }

  @Test
  void refusesATextThatIsTooLong() {
    assertThatThrownBy(() -> GatePolicy.parse("#".repeat(GatePolicy.LONGEST + 1), "p"))
        .isInstanceOf(PolicyException.class)
        .hasMessage("p:1: the policy must have at most 1048576 characters");
  }
}

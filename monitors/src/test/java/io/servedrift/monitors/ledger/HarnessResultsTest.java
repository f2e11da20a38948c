package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HarnessResultsTest {
  /** The shape that lm-evaluation-harness 0.4 writes, cut to what matters and what misleads. */
  private static final JsonNode RESULTS =
      Entries.json(
          """
          {'results':{
            'arc_easy':{'alias':'arc_easy','acc,none':0.31,'acc_stderr,none':0.0095,
                        'acc_norm,none':0.29,'acc_norm_stderr,none':0.0093},
            'gsm8k':{'alias':'gsm8k','exact_match,strict-match':0.61,
                     'exact_match_stderr,strict-match':0.0134,
                     'exact_match,flexible-extract':0.64,
                     'exact_match_stderr,flexible-extract':'N/A'}},
           'group_subtasks':{'arc_easy':[]},
           'configs':{'arc_easy':{'task':'arc_easy','dataset_path':'allenai/ai2_arc'}},
           'versions':{'arc_easy':1.0,'gsm8k':3},
           'n-shot':{'arc_easy':0,'gsm8k':5},
           'higher_is_better':{'arc_easy':{'acc':true,'acc_norm':true},'gsm8k':{'exact_match':true}},
           'n-samples':{'arc_easy':{'original':2376,'effective':2376},
                        'gsm8k':{'original':1319,'effective':100}},
           'config':{'model':'local-completions','model_args':'api_key=sk-0123456789abcdef01',
                     'limit':100,'gen_kwargs':{'temperature':0},'random_seed':0},
           'git_hash':'8e1bd48','date':1764496800.25,'lm_eval_version':'0.4.9',
           'task_hashes':{'arc_easy':'ab12'},'chat_template_sha':null,
           'total_evaluation_time_seconds':'12.5'}
          """);

  private static Score score(String name, String metric) {
    return HarnessResults.read(RESULTS).scores().stream()
        .filter(score -> score.name().equals(name) && score.metric().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void readsEveryMetricWithItsErrorAndNumber() {
    assertThat(HarnessResults.isLike(RESULTS)).isTrue();
    assertThat(HarnessResults.read(RESULTS).scores())
        .extracting(score -> score.name() + "/" + score.metric())
        .containsExactly(
            "arc_easy/acc",
            "arc_easy/acc_norm",
            "gsm8k/exact_match,strict-match",
            "gsm8k/exact_match,flexible-extract");
    Score acc = score("arc_easy", "acc");
    assertThat(acc.value()).isEqualTo(0.31);
    assertThat(acc.standardError()).isEqualTo(0.0095);
    assertThat(acc.n()).isEqualTo(2376);
    assertThat(acc.higherIsBetter()).isTrue();
    assertThat(acc.dataset()).isEqualTo("arc_easy@1.0");
    assertThat(acc.datasetDigest()).isEqualTo("sha256:ab12");
  }

  @Test
  void takesTheErrorOfTheSameFilter_andNoneForAText() {
    assertThat(score("gsm8k", "exact_match,strict-match").standardError()).isEqualTo(0.0134);
    assertThat(score("gsm8k", "exact_match,flexible-extract").standardError()).isNull();
    assertThat(score("gsm8k", "exact_match,strict-match").n()).isEqualTo(100);
  }

  @Test
  void keepsTheSettingsThatMoveAScore_andNothingElse() {
    assertThat(score("gsm8k", "exact_match,strict-match").settings())
        .isEqualTo(Map.of("n_shot", "5", "limit", "100", "gen_kwargs", "{\"temperature\":0}"));
  }

  @Test
  void saysWhoMeasuredAndWhen() {
    Measurement all = HarnessResults.read(RESULTS);
    assertThat(all.harness()).isEqualTo("lm-evaluation-harness");
    assertThat(all.version()).isEqualTo("0.4.9");
    assertThat(all.from()).isEqualTo(Instant.parse("2025-11-30T10:00:00.250Z"));
    assertThat(all.to()).isEqualTo(Instant.parse("2025-11-30T10:00:12.750Z"));
  }

  @Test
  void readsResultsWithoutFilters() {
    Measurement old =
        HarnessResults.read(
            Entries.json(
                "{'results':{'copa':{'acc':0.8,'acc_stderr':0.04,'sample_len':100}},"
                    + "'versions':{'copa':0},'config':{'limit':null}}"));
    assertThat(old.scores()).hasSize(1);
    Score acc = old.scores().get(0);
    assertThat(acc.metric()).isEqualTo("acc");
    assertThat(acc.standardError()).isEqualTo(0.04);
    assertThat(acc.n()).isEqualTo(100);
    assertThat(acc.settings()).isEmpty();
    assertThat(acc.higherIsBetter()).isNull();
    assertThat(old.from()).isNull();
  }

  @Test
  void passesOverWhatIsNotANumber_andSaysSo() {
    JsonNode broken =
        Entries.json("{'results':{'a':{'ppl,none':1.0,'acc,none':0.5}},'versions':{'a':1}}");
    ((com.fasterxml.jackson.databind.node.ObjectNode) broken.at("/results/a"))
        .put("ppl,none", Double.NaN);
    Measurement read = HarnessResults.read(broken);
    assertThat(read.scores()).extracting(Score::metric).containsExactly("acc");
    assertThat(read.skipped()).containsExactly("a/ppl,none: not a number");
  }

  @Test
  void isNotLikeAnyOtherFileWithResults() {
    assertThat(HarnessResults.isLike(Entries.json("{'results':{'geneval':{'overall':0.7}}}")))
        .isFalse();
    assertThat(HarnessResults.isLike(Entries.json("[]"))).isFalse();
  }

  @Test
  void keepsNoSecretOfTheSettings_andSaysSo() {
    for (String kwargs :
        List.of("'temperature=0,api_key=hunter2'", "{'api_key':'hunter2','temperature':0}")) {
      Measurement read =
          HarnessResults.read(
              Entries.json(
                  "{'results':{'a':{'acc':1},'b':{'acc':1}},'versions':{},"
                      + "'config':{'limit':4,'gen_kwargs':"
                      + kwargs
                      + "}}"));
      assertThat(read.scores())
          .hasSize(2)
          .allMatch(score -> score.settings().equals(Map.of("limit", "4")));
      assertThat(read.skipped()).containsExactly("gen_kwargs: may hold a secret, and is not kept");
    }
  }

  @Test
  void tellsLongSettingsApartByTheirEnd() {
    List<String> kept = new ArrayList<>();
    for (String end : List.of("1", "2")) {
      String text = "stop=" + "x".repeat(600) + end;
      kept.add(
          HarnessResults.read(
                  Entries.json(
                      "{'results':{'a':{'acc':1}},'versions':{},'config':{'gen_kwargs':'"
                          + text
                          + "'}}"))
              .scores()
              .get(0)
              .settings()
              .get("gen_kwargs"));
    }
    assertThat(kept).doesNotHaveDuplicates().allMatch(text -> text.length() <= 512);
  }
}

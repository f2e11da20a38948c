package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Fingerprint CONFIG = Entries.config("{'batching':{'max_batch_size':8}}");
  private static final Fingerprint OTHER = Entries.config("{'batching':{'max_batch_size':1}}");

  private static Comparison under(LedgerEntry... entries) {
    return Comparison.under(CONFIG.id(), CONFIG, List.of(entries), entry -> true);
  }

  private static LedgerEntry of(String model, double value, Double error) {
    return Entries.entry(CONFIG, Entries.model(model), value, error);
  }

  private static List<String> ranks(Comparison comparison) {
    List<String> ranks = new ArrayList<>();
    for (Ranking.Row row : comparison.rankings().get(0).rows()) {
      ranks.add(row.entry().modelName() + " " + row.rank() + (row.tied() ? " tie" : ""));
    }
    return ranks;
  }

  /**
   * Three pairs at 5 % together: z = 2.3940 (the normal quantile of 1 - .05/6). Error of a
   * difference .01 * sqrt 2, so .033856 is noise and .034 is not.
   */
  @Test
  void ranksBeyondNoise_andTiesWithinIt() {
    assertThat(ranks(under(of("a", .700, .01), of("b", .734, .01), of("c", .7005, .01))))
        .containsExactly("b 1 tie", "c 1 tie", "a 2 tie");
    assertThat(ranks(under(of("a", .700, .01), of("b", .7338, .01), of("c", .70, .01))))
        .startsWith("b 1 tie")
        .allMatch(rank -> rank.contains(" 1 tie"));
  }

  /** Two models: z = 1.959964 for one pair. */
  @Test
  void givesIntervals_andRanksTwoModelsApart() {
    Comparison comparison = under(of("a", .70, .01), of("b", .73, .01));
    assertThat(ranks(comparison)).containsExactly("b 1", "a 2");
    Ranking.Row best = comparison.rankings().get(0).rows().get(0);
    assertThat(best.low()).isCloseTo(.73 - .01959964, within(1e-7));
    assertThat(best.high()).isCloseTo(.73 + .01959964, within(1e-7));
    assertThat(comparison.isConclusive()).isTrue();
    assertThat(ranks(under(of("a", .70, .01), of("b", .7277, .01))))
        .containsExactly("b 1 tie", "a 1 tie");
  }

  @Test
  void ranksTheOtherWayRound_whenLowerIsBetter() {
    LedgerEntry slow = latency("a", 3.0, 4.0);
    LedgerEntry fast = latency("b", 2.0, 4.0);
    Ranking ranking = under(slow, fast).rankings().get(0);
    assertThat(ranking.higherIsBetter()).isFalse();
    assertThat(ranking.rows().get(0).entry().modelName()).isEqualTo("b");
  }

  @Test
  void comparesLatenciesOnlyAtOneConcurrency() {
    Comparison comparison = under(latency("a", 3.0, 4.0), latency("b", 2.0, 16.0));
    assertThat(comparison.rankings()).hasSize(2);
    assertThat(comparison.isConclusive()).isFalse();
  }

  private static LedgerEntry latency(String model, double value, double concurrency) {
    Provenance plain = Entries.provenance(CONFIG, Entries.model(model));
    Provenance loaded =
        new Provenance(
            null,
            plain.config(),
            plain.model(),
            null,
            null,
            null,
            null,
            concurrency,
            plain.command(),
            Map.of(),
            null,
            "ana",
            null);
    return EvidenceRecord.of(Entries.score("latency_p99", value, .01), loaded, Entries.NOW);
  }

  @Test
  void comparesOnlyWhatWasMeasuredOnTheSameDataAndSettings() {
    Score fiveShot =
        new Score(
            "geneval", "overall", .8, 553L, .01, true, "geneval@2", null, Map.of("n_shot", "5"));
    LedgerEntry elsewise =
        EvidenceRecord.of(fiveShot, Entries.provenance(CONFIG, Entries.model("b")), Entries.NOW);
    Comparison comparison = under(of("a", .70, .01), elsewise);
    assertThat(comparison.rankings())
        .extracting(Ranking::what)
        .containsExactly("geneval/overall on geneval@1", "geneval/overall on geneval@2, n_shot=5");
    assertThat(comparison.isConclusive()).isFalse();
  }

  @Test
  void ranksNothingWithoutAStandardError() {
    Comparison comparison = under(of("a", .70, .01), of("b", .9, null));
    assertThat(ranks(comparison)).containsExactly("b null", "a 1");
    assertThat(comparison.isConclusive()).isFalse();
  }

  @Test
  void listsTheOthersWithTheirAxes() {
    Comparison comparison =
        under(
            of("a", .70, .01),
            Entries.entry(OTHER, Entries.model("b"), .9, .01),
            Entries.entry(null, Entries.model("c"), .9, .01),
            Entries.entry(CONFIG, null, .9, .01));
    assertThat(comparison.others())
        .extracting(Comparison.Other::why)
        .containsExactly(
            "measured on another configuration",
            "no configuration was recorded",
            "no model was recorded");
    assertThat(comparison.others().get(0).axes())
        .containsExactly("batching.max_batch_size: 8 -> 1");
  }

  @Test
  void countsTheLatestScoreOfAModel() {
    LedgerEntry later =
        EvidenceRecord.of(
            Entries.score(.75, .01),
            Entries.provenance(CONFIG, Entries.model("a")),
            Entries.NOW.plusSeconds(60));
    Comparison comparison = under(later, of("a", .70, .01), of("b", .70, .01));
    assertThat(ranks(comparison)).containsExactly("a 1", "b 2");
  }

  private static LedgerEntry said(
      String model, String metric, double value, Long n, Double error, Boolean higher) {
    return EvidenceRecord.of(
        Entries.score("wikitext", metric, value, n, error, higher),
        Entries.provenance(CONFIG, Entries.model(model)),
        Entries.NOW);
  }

  @Test
  void ranksNothing_whenNobodySaidWhichDirectionIsBetter_orRecordsDiffer() {
    Comparison unsaid =
        under(
            said("a", "word_perplexity", 12, 99L, .01, null),
            said("b", "word_perplexity", 9, 99L, .01, null));
    assertThat(unsaid.rankings().get(0).higherIsBetter()).isNull();
    assertThat(ranks(unsaid)).allMatch(rank -> rank.endsWith("null"));
    assertThat(unsaid.isConclusive()).isFalse();
    Comparison apart =
        under(
            said("a", "word_perplexity", 12, 99L, .01, true),
            said("b", "word_perplexity", 9, 99L, .01, false));
    assertThat(apart.isConclusive()).isFalse();
    Comparison one =
        under(
            said("a", "word_perplexity", 12, 99L, .01, false),
            said("b", "word_perplexity", 9, 99L, .01, null));
    assertThat(ranks(one)).containsExactly("b 1", "a 2");
  }

  @Test
  void ranksNothing_fromAHandfulOfSamples_orAnErrorOfZero() {
    for (LedgerEntry few :
        List.of(
            said("b", "acc", .9, 29L, .01, true),
            said("b", "acc", .9, null, .01, true),
            said("b", "acc", .9, 553L, 0.0, true))) {
      Comparison comparison = under(said("a", "acc", .7, 30L, .01, true), few);
      assertThat(ranks(comparison)).containsExactly("b null", "a 1");
      assertThat(comparison.isConclusive()).isFalse();
    }
  }

  @Test
  void knowsATimeByItsMetric() {
    assertThat(LatencyScore.is(said("a", "ttft", 1, 1L, null, null).result())).isTrue();
    assertThat(LatencyScore.is(said("a", "queue_seconds", 1, 1L, null, null).result())).isTrue();
    assertThat(LatencyScore.is(said("a", "images_per_seconds", 1, 1L, null, null).result()))
        .isFalse();
    for (String metric : List.of("throughput", "p99")) {
      LedgerEntry bench =
          EvidenceRecord.of(
              Entries.score("latency_bench", metric, 1, 1L, null, null),
              Entries.provenance(CONFIG, null),
              Entries.NOW);
      assertThat(LatencyScore.is(bench.result())).isEqualTo(metric.equals("p99"));
    }
  }

  @Test
  void ranksNoAlteredRecord() {
    Comparison comparison = under(of("a", .70, .01), Entries.altered(of("b", .7, .01), .99));
    assertThat(ranks(comparison)).containsExactly("a 1");
    assertThat(comparison.others())
        .extracting(Comparison.Other::why)
        .containsExactly("altered: its digest does not fit");
  }

  @Test
  void keepsAScoreThatWasMeasuredAgainOnAnotherConfiguration() {
    LedgerEntry old = of("a", .70, .01);
    LedgerEntry elsewhere = Entries.superseding(old, OTHER, .6);
    LedgerEntry again = Entries.superseding(old, CONFIG, .71);
    assertThat(ledger(old, elsewhere).standing()).containsExactly(elsewhere);
    assertThat(ledger(old, elsewhere).standingUnder(CONFIG.id())).containsExactly(old, elsewhere);
    assertThat(ledger(old, elsewhere).standingUnder(OTHER.id())).containsExactly(elsewhere);
    assertThat(ledger(old, again).standingUnder(CONFIG.id())).containsExactly(again);
  }

  @Test
  void letsARecordTakeThePlaceOfItsOwnKindOnly() {
    LedgerEntry old = of("a", .70, .01);
    LedgerEntry other =
        Entries.superseding(
            old, CONFIG, old.model(), Entries.score("gsm8k", "acc", .5, 99L, .01, true));
    assertThat(ledger(old, other).standing()).containsExactly(old, other);
  }

  private static Ledger ledger(LedgerEntry... entries) {
    return new Ledger(List.of(entries), new Dictionary(), List.of());
  }
}

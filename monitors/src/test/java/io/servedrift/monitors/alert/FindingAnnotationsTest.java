package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingAnnotationsTest {
  private static final TestFinding FINDING = TestFinding.of("f1");

  @Test
  void saysValueIntervalNThresholdBaselineAndCause() {
    assertThat(FINDING.view().annotations())
        .isEqualTo(
            Map.ofEntries(
                Map.entry("summary", "image-gen: tail of latency got worse"),
                Map.entry(
                    "description",
                    "image-gen: latency tail worse, requests beyond the old p99.9 +0.11 share of"
                        + " requests (95 % interval +0.08 to +0.15, n=3657) against the learned"
                        + " baseline (n=28566); p99 was 4.9, is 14.4 (13.7 to 14.9); e-value"
                        + " 1.02e8, threshold 366000; cause cache (effect, 93 % of the shift):"
                        + " hits moved by +0.114, misses by -0.0004."),
                Map.entry(
                    "effect",
                    "requests beyond the old p99.9 +0.11 share of requests (95 % interval +0.08 to"
                        + " +0.15, n=3657)"),
                Map.entry("cause", "cache"),
                Map.entry("where", "batch=8-15, cache=hit"),
                Map.entry("share", "93 %"),
                Map.entry("next_test", "same requests, cache off"),
                Map.entry("finding_id", "f1"),
                Map.entry("incident_id", "inc-f1"),
                Map.entry(
                    "explain",
                    "./servedrift explain f1 --bootstrap-servers kafka:9092 --topic-prefix servedrift"),
                Map.entry("runbook_url", "https://wiki.example/RUNBOOK#servedriftlatencytailshift"),
                Map.entry(
                    "dashboard_url",
                    "http://grafana.example/d/drift?var-deployment=image-gen&var-config_id=c1"
                        + "&var-metric=latency")));
  }

  @Test
  void showsDurationsInPercent() {
    TestFinding mean = FINDING.about("latency", "mean");
    ObjectNode body = mean.body();
    ((ObjectNode) body.path("effect")).put("unit", "relative").remove("beyond");
    Map<String, String> said = FindingAnnotations.of(body, mean.view().key(), TestFinding.LINKS);
    assertThat(said)
        .containsEntry("effect", "+11 % (95 % interval +8 % to +15 %, n=3657)")
        .containsEntry("summary", "image-gen: mean of latency got worse");
    assertThat(said.get("description")).contains("; mean was 2.5, is 3.29; ");
  }

  @Test
  void leavesOutWhatIsNotKnown() {
    Finding bare = FINDING.record();
    bare.setBody("{\"finding_id\":\"f1\"}");
    Map<String, String> said =
        FindingView.of(bare, new AlertLinks(URI.create("http://drift.example/"), null, null, ""))
            .annotations();
    assertThat(said)
        .containsOnlyKeys(
            "summary", "description", "effect", "finding_id", "explain", "runbook_url");
    assertThat(said.get("description")).contains("size not known yet", "cause not known yet");
  }

  @Test
  void staysShort_andOnOneLine_whateverTheNames() {
    TestFinding hostile =
        FINDING.at("x".repeat(5000) + "\n\u0007\ud800").because("c".repeat(9000), 1);
    FindingView view = hostile.view();
    assertThat(view.annotations().values())
        .allMatch(text -> text.length() <= 1000)
        .allMatch(text -> text.chars().noneMatch(Character::isISOControl));
    assertThat(view.key().toString().chars()).noneMatch(Character::isISOControl);
    assertThat(URI.create(TestFinding.LINKS.finding("a b&c\"")).getQuery()).isEqualTo("id=a+b&c\"");
  }

  @Test
  void keepsTheNameOfADeployment_whichDecidesWhoAnswersForIt() {
    String name = " image-gen ";
    assertThat(FINDING.at(name).view().key().deployment()).isEqualTo(name);
    assertThat(FINDING.at("").view().key().deployment()).isEqualTo("none");
  }

  @Test
  void writesNumbersAsPeopleDo() {
    assertThat(AnnotationText.number(0)).isEqualTo("0");
    assertThat(AnnotationText.number(-1234.5)).isEqualTo("-1230");
    assertThat(AnnotationText.number(0.000123456)).isEqualTo("0.000123");
    assertThat(AnnotationText.number(4.2e12)).isEqualTo("4.2e12");
    assertThat(AnnotationText.number(4.2e-9)).isEqualTo("4.2e-9");
    assertThat(AnnotationText.signed(0.5)).isEqualTo("+0.5");
    assertThat(AnnotationText.percent(0.125)).isEqualTo("12.5 %");
  }

  @Test
  void refusesWhatIsNoFinding() {
    Finding array = FINDING.record();
    array.setBody("[]");
    assertThatThrownBy(() -> FindingView.of(array, TestFinding.LINKS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("finding f1: body must be a JSON object");
    Finding broken = FINDING.record();
    broken.setBody("{");
    assertThatThrownBy(() -> FindingView.of(broken, TestFinding.LINKS))
        .hasMessage("finding f1: body must be JSON");
    Finding unknown = FINDING.now(FindingState.UNKNOWN).record();
    assertThatThrownBy(() -> FindingView.of(unknown, TestFinding.LINKS))
        .hasMessageContaining("state must be");
  }

  @ParameterizedTest
  @CsvSource({
    "latency, tail, ServedriftLatencyTailShift",
    "stage:decode, tail, ServedriftLatencyTailShift",
    "time_to_first_token, mean, ServedriftLatencyShift",
    "clip, mean, ServedriftScoreShift",
    "clip, tail, ServedriftScoreShift",
    "error_ratio, ratio, ServedriftErrorRatioShift",
    "json_valid, ratio, ServedriftErrorRatioShift"
  })
  void namesTheAlertByMetricAndStatistic(String metric, String statistic, String name) {
    assertThat(AlertName.of(metric, statistic).label()).isEqualTo(name);
  }

  @Test
  void readsAKeyBack_andRefusesOthers() {
    AlertKey key = FINDING.view().key();
    assertThat(AlertKey.parse(key.canonical())).isEqualTo(key);
    assertThatThrownBy(() -> AlertKey.parse("{\"alertname\":\"X\"}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be [alertname, config_id");
    assertThatThrownBy(() -> AlertKey.parse(key.canonical().replace("\"c1\"", "\"\"")))
        .hasMessageContaining("none of them empty");
    assertThatThrownBy(() -> AlertKey.parse("nothing")).hasMessageContaining("JSON object");
  }
}

package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingNumbersTest {
  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.0, 0",
    "460, 460",
    "28566, 28566",
    "0.3135, 0.3135",
    "0.31349999, 0.3135",
    "23.2777, 23.28",
    "4650123.5, 4650000",
    "1.2345e7, 1.234e+7",
    "-0.00031666, -0.0003167",
    "0.000012345, 0.00001234",
    "-1.0, -1",
  })
  void hasOneForm(String given, String shown) throws IOException {
    assertThat(FindingNumbers.number(json(given))).isEqualTo(shown);
  }

  @Test
  void saysWhatTheSizeCounts() throws IOException {
    assertThat(
            FindingNumbers.size(
                json(
                    "{'metric':'latency','baseline':{'p99':88.61},'current':{'p99':147.02},"
                        + "'effect':{'value':0.0193,'interval':[0.012,0.026],'n':460,"
                        + "'unit':'share of requests','beyond':'p99'}}")))
        .isEqualTo(
            "+1.93 % (1.2..2.6) of the requests beyond what was p99 (88.61 s then, 147 s now),"
                + " n=460");
    assertThat(
            FindingNumbers.size(
                json(
                    "{'metric':'clip','effect':{'value':-0.0064,'interval':[-0.0081,-0.0047],"
                        + "'unit':'score','n':1180}}")))
        .isEqualTo("-0.0064 (-0.0081..-0.0047), n=1180");
    assertThat(
            FindingNumbers.size(
                json("{'metric':'latency','effect':{'value':0.215,'unit':'relative','n':9}}")))
        .isEqualTo("+21.5 % of what the baseline expects, n=9");
    assertThat(
            FindingNumbers.size(
                json("{'metric':'error_ratio','effect':{'value':0.02,'unit':'ratio','n':9}}")))
        .isEqualTo("+2 % of the requests, n=9");
    assertThat(FindingNumbers.size(json("{'effect':{'value':null}}"))).isEqualTo("-");
  }

  @Test
  void saysWhereTheEvidenceIsStrongest() throws IOException {
    assertThat(
            FindingNumbers.strongest(
                json(
                    "{'metric':'latency','effect':{'value':0.02,'unit':'share of requests',"
                        + "'beyond':'p90','n':90,'strongest':{'in':'hit','value':0.1,"
                        + "'unit':'share of requests','beyond':'p90','n':30}}}")))
        .isEqualTo("in hit +10 % of the requests beyond what was p90, n=30");
    assertThat(FindingNumbers.strongest(json("{'effect':{'value':0.02}}"))).isEmpty();
  }
}

package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReportPageTest {
  private static ObjectNode document() throws IOException {
    return Report.of(HostileRun.recorded(), RecordedRun.facts(OutputLinks.NONE, Map.of()))
        .document();
  }

  private static String data(String page) {
    Matcher block =
        Pattern.compile(
                "<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL)
            .matcher(page);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void carriesTheDocument_whateverNamesItHolds() throws IOException {
    ObjectNode document = document();
    String data = data(ReportPage.of(document));
    assertThat(data).doesNotContain("<", ">", "&", "\u2028");
    assertThat(new ObjectMapper().readTree(data)).hasToString(document.toString());
  }

  @Test
  void opensNoMarkup_ofAnyName() throws IOException {
    assertThat(ReportPage.of(document())).doesNotContain("<img", "<script>window.hacked");
  }

  @Test
  void needsNoNetwork() throws IOException {
    String page = ReportPage.of(document());
    assertThat(page)
        .contains("default-src 'none'")
        .doesNotContain("<link", "<script src", "@import");
    assertThat(page).doesNotContainPattern("url\\((?!#)");
  }

  @Test
  void keepsTheLicenceOfTheCharts() throws IOException {
    assertThat(ReportPage.of(document()))
        .contains("Charts: D3 7", "Copyright 2010-2023 Mike Bostock");
  }
}

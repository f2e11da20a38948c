package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Grafana is given: every query against what the monitor really exports. */
class DashboardTest {
  private static final Path PROVISIONING = Path.of("observability/grafana/provisioning");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?([a-z_]+)");
  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), ([a-z_]+)\\)");

  private static JsonNode yaml(String file) throws IOException {
    return new YAMLMapper().readTree(PROVISIONING.resolve(file).toFile());
  }

  @Test
  void everyMetricAndLabelOfAQueryIsInTheScrape() throws IOException {
    Map<String, Set<String>> scrape = PromQl.labelsOf(FullScrape.text());
    for (JsonNode dashboard : Dashboards.all()) {
      List<String> queries = Dashboards.queries(dashboard);
      assertThat(queries).hasSizeGreaterThan(10);
      for (String query : queries) {
        assertThat(PromQl.metrics(query)).as(query).isNotEmpty();
        assertThat(PromQl.missing(query, scrape)).as(query).isEmpty();
      }
    }
  }

  @Test
  void everyVariableComesFromTheScrape() throws IOException {
    Map<String, Set<String>> scrape = PromQl.labelsOf(FullScrape.text());
    for (JsonNode dashboard : Dashboards.all()) {
      for (JsonNode variable : dashboard.at("/templating/list")) {
        if (variable.path("type").asText().equals("query")) {
          String query = variable.at("/query/query").asText();
          Matcher values = LABEL_VALUES.matcher(query);
          assertThat(values.matches()).as(query).isTrue();
          assertThat(PromQl.missing(values.group(1), scrape)).as(query).isEmpty();
          assertThat(scrape.get(PromQl.metrics(query).iterator().next()))
              .as(query)
              .contains(values.group(2));
        }
      }
    }
  }

  @Test
  void checkFindsWhatIsNotThere() throws IOException {
    Map<String, Set<String>> scrape = PromQl.labelsOf(FullScrape.text());
    assertThat(PromQl.missing("sum by (kind) (servedrift_nothing)", scrape))
        .containsExactly("label kind of a grouping", "metric servedrift_nothing");
    assertThat(PromQl.missing("servedrift_score_mean{topic=\"a\", job=\"b\"}", scrape))
        .containsExactly("label topic of servedrift_score_mean");
    assertThat(PromQl.missing("sum by (le) (servedrift_latency_seconds_bucket)", scrape)).isEmpty();
  }

  @Test
  void showsEveryNumberOfASeries() throws IOException {
    Set<String> shown = new TreeSet<>();
    for (JsonNode dashboard : Dashboards.all()) {
      Dashboards.queries(dashboard).forEach(query -> shown.addAll(PromQl.metrics(query)));
    }
    assertThat(shown)
        .containsAll(SeriesMetrics.families().stream().map(MonitorMetrics.Family::name).toList());
  }

  @Test
  void hasFixedIdsAndNoHardDataSource() throws IOException {
    Set<String> uids = new TreeSet<>();
    for (JsonNode dashboard : Dashboards.all()) {
      uids.add(dashboard.path("uid").asText());
      assertThat(dashboard.has("id")).as("a database id").isFalse();
      assertThat(dashboard.path("editable").asBoolean(true)).isFalse();
      assertThat(dashboard.findValues("datasource"))
          .filteredOn(JsonNode::isObject)
          .isNotEmpty()
          .allSatisfy(
              source ->
                  assertThat(source.path("uid").asText()).isIn("${datasource}", "-- Grafana --"));
    }
    assertThat(uids).containsExactly("servedrift-configuration", "servedrift-overview");
  }

  @Test
  void definesEveryVariableThatItUses() throws IOException {
    for (JsonNode dashboard : Dashboards.all()) {
      Set<String> defined = new HashSet<>(Set.of("__all", "__rate_interval", "__url_time_range"));
      dashboard
          .at("/templating/list")
          .forEach(variable -> defined.add(variable.path("name").asText()));
      Matcher used = VARIABLE.matcher(dashboard.toString());
      List<String> names = new ArrayList<>();
      while (used.find()) {
        names.add(used.group(1));
      }
      assertThat(names).contains("datasource", "deployment").allMatch(defined::contains);
      assertThat(Dashboards.queries(dashboard))
          .filteredOn(query -> query.contains("rate(") || query.contains("increase("))
          .isNotEmpty()
          .allMatch(query -> query.contains("[$__rate_interval]"));
    }
    assertThat(names(Dashboards.all().get(0))).contains("config_id", "metric");
  }

  /** A rate over less than two panes has gaps: what grows once a pane needs longer steps. */
  @Test
  void drawsWhatGrowsOnceAPaneOverTwoMinutes() throws IOException {
    List<String> slow = new ArrayList<>();
    for (JsonNode dashboard : Dashboards.all()) {
      for (JsonNode panel : dashboard.path("panels")) {
        String queries = panel.path("targets").toString();
        if (queries.contains("servedrift_latency_seconds_bucket")
            || queries.contains("servedrift_panes_closed_total")) {
          slow.add(panel.path("title").asText());
          assertThat(panel.path("interval").asText())
              .as(panel.path("title").asText())
              .isEqualTo("2m");
        }
      }
    }
    assertThat(slow)
        .containsExactly("Latency as requests finish", "Latency distribution", "Panes and windows");
  }

  private static List<String> names(JsonNode dashboard) {
    return dashboard.at("/templating/list").findValuesAsText("name");
  }

  @Test
  void marksServingEventsAtTheTimeTheyHappened() throws IOException {
    for (JsonNode dashboard : Dashboards.all()) {
      JsonNode events = dashboard.at("/annotations/list/1");
      assertThat(events.path("expr").asText())
          .contains("servedrift_serving_event_timestamp_seconds")
          .as("milliseconds")
          .endsWith("* 1000");
      assertThat(events.path("useValueForTime").asBoolean()).isTrue();
    }
  }

  @Test
  void panelsDoNotOverlap() throws IOException {
    for (JsonNode dashboard : Dashboards.all()) {
      Set<String> taken = new HashSet<>();
      Set<Integer> ids = new HashSet<>();
      for (JsonNode panel : dashboard.path("panels")) {
        assertThat(ids.add(panel.path("id").asInt())).isTrue();
        assertThat(panel.path("title").asText()).isNotEmpty();
        JsonNode at = panel.path("gridPos");
        assertThat(at.path("x").asInt() + at.path("w").asInt()).isLessThanOrEqualTo(24);
        for (int x = 0; x < at.path("w").asInt(); x++) {
          for (int y = 0; y < at.path("h").asInt(); y++) {
            String cell = (at.path("x").asInt() + x) + ":" + (at.path("y").asInt() + y);
            assertThat(taken.add(cell)).as(panel.path("title").asText() + " at " + cell).isTrue();
          }
        }
      }
    }
  }

  @Test
  void provisionsOneDataSourceThatLinksExemplars_andReadOnlyDashboards() throws IOException {
    JsonNode source = yaml("datasources/prometheus.yaml").at("/datasources/0");
    assertThat(source.path("uid").asText()).isEqualTo("servedrift-prometheus");
    assertThat(source.path("editable").asBoolean(true)).isFalse();
    assertThat(source.at("/jsonData/exemplarTraceIdDestinations/0/name").asText())
        .isEqualTo("request_id");
    assertThat(source.at("/jsonData/exemplarTraceIdDestinations/0/url").asText())
        .as("$$ is a dollar for Grafana")
        .endsWith("$${__value.raw}");
    JsonNode provider = yaml("dashboards/servedrift.yaml").at("/providers/0");
    assertThat(provider.path("allowUiUpdates").asBoolean(true)).isFalse();
    assertThat(provider.path("type").asText()).isEqualTo("file");
  }
}

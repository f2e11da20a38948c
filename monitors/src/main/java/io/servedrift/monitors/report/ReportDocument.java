package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricKind;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.ServingEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The report as one JSON document ({@code report.json}); the page shows it and nothing else. Pure
 * function of what was recorded and the facts of the run.
 */
final class ReportDocument {
  private static final int SCHEMA_VERSION = 1;

  /** Charts of whole deployments; further series have a chart only where a finding is. */
  private static final int MOST_OVERVIEW = 40;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final List<String> SEVERITIES = List.of("page", "ticket", "info");

  private ReportDocument() {}

  static ObjectNode of(RunRecorder run, RunFacts facts) {
    ObjectNode document = JSON.objectNode();
    document.put("schema_version", SCHEMA_VERSION);
    document.put("made_at", facts.madeAt().toString());
    document.put("partial", facts.partial());
    range(document, run);
    List<FindingRecord> findings = sorted(run.findings());
    findings(document.putArray("findings"), findings, run, facts);
    Map<String, Long> leftOut = new HashMap<>(run.leftOut());
    timelines(document.putArray("timelines"), run, findings, leftOut);
    events(document.putArray("serving_events"), run);
    names(document, facts);
    ObjectNode reproduce = document.putObject("run");
    reproduce.put("command", facts.command());
    texts(reproduce.putObject("versions"), facts.versions());
    texts(reproduce.putObject("settings"), facts.settings());
    reproduce.put("policy_hash", facts.policy().hash());
    reproduce.put("policy", facts.policy().toYaml());
    reproduce.set("summary", facts.summary());
    ObjectNode missing = document.putObject("left_out");
    leftOut.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(one -> missing.put(one.getKey(), one.getValue()));
    return document;
  }

  private static void range(ObjectNode document, RunRecorder run) {
    ObjectNode range = document.putObject("range");
    if (run.start().isAfter(run.end())) {
      range.putNull("from").putNull("to");
    } else {
      range.put("from", run.start().toString()).put("to", run.end().toString());
    }
  }

  private static void texts(ObjectNode into, Map<String, String> texts) {
    texts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(one -> into.put(one.getKey(), one.getValue()));
  }

  /** Most urgent first, then in the order of their beginning. */
  private static List<FindingRecord> sorted(Map<String, FindingRecord> findings) {
    List<FindingRecord> sorted = new ArrayList<>(findings.values());
    sorted.sort(
        Comparator.comparingInt(
                (FindingRecord one) -> SEVERITIES.indexOf(one.body().path("severity").asText()))
            .thenComparing(one -> one.body().path("onset_at").asText()));
    return sorted;
  }

  private static void findings(
      ArrayNode into, List<FindingRecord> findings, RunRecorder run, RunFacts facts) {
    for (FindingRecord one : findings) {
      ObjectNode node = one.describe(facts.links());
      SeriesKey key = key(one.body());
      node.put("kind", kind(run, key.metric()));
      onsetView(node, one, run);
      node.put(
          "worse",
          facts
              .policy()
              .metric(key.deployment(), key.metric(), run.layouts())
              .worse()
              .name()
              .toLowerCase(Locale.ROOT));
      into.add(node);
    }
  }

  private static void onsetView(ObjectNode node, FindingRecord finding, RunRecorder run) {
    OnsetView view = finding.onsetView();
    if (view != null) {
      String metric = key(finding.body()).metric();
      ObjectNode shown = node.putObject("onset_view").put("metric", metric);
      view.describe(shown.put("kind", kind(run, metric)));
    }
  }

  /** The deployment-wide series, and those that findings are about. */
  private static void timelines(
      ArrayNode into, RunRecorder run, List<FindingRecord> findings, Map<String, Long> leftOut) {
    Set<SeriesKey> wanted = new HashSet<>();
    findings.forEach(one -> wanted.add(key(one.body())));
    long overview = 0;
    for (Map.Entry<SeriesKey, SeriesWindows> one : run.windows().entrySet()) {
      SeriesKey key = one.getKey();
      boolean everything = key.configId().equals(SeriesKey.ALL);
      if (everything && ++overview > MOST_OVERVIEW && !wanted.contains(key)) {
        leftOut.merge("overview_charts", 1L, Long::sum);
      } else if (everything || wanted.contains(key)) {
        ObjectNode node = into.addObject();
        node.put("deployment", key.deployment());
        node.put("model_id", key.modelId());
        node.put("config_id", key.configId());
        node.put("metric", key.metric());
        node.put("kind", kind(run, key.metric()));
        long thinned = one.getValue().describe(node);
        if (thinned > 0) {
          leftOut.merge("windows_of_long_charts", thinned, Long::sum);
        }
      }
    }
  }

  private static SeriesKey key(JsonNode finding) {
    return new SeriesKey(
        finding.path("deployment").asText(),
        finding.path("model_id").asText(),
        finding.path("config_id").asText(),
        finding.path("metric").asText());
  }

  private static String kind(RunRecorder run, String metric) {
    return MetricKind.of(metric, run.layouts()).name().toLowerCase(Locale.ROOT);
  }

  /** Events of the time that is shown: before it the judge only warms up. */
  private static void events(ArrayNode into, RunRecorder run) {
    for (ServingEvent event : run.events()) {
      Instant at = event.getAt();
      if (!at.isBefore(run.start()) && !at.isAfter(run.end())) {
        ObjectNode node = EventJson.toJson(event);
        node.remove("type");
        into.add(node);
      }
    }
  }

  /** What the ids in this document mean. */
  private static void names(ObjectNode document, RunFacts facts) {
    Set<String> ids = new TreeSet<>();
    for (String field : List.of("timelines", "findings")) {
      for (JsonNode one : document.path(field)) {
        JsonNode series = field.equals("findings") ? one.path("finding") : one;
        ids.add(series.path("config_id").asText());
        ids.add(series.path("model_id").asText());
        ids.add(series.at("/baseline/config_id").asText());
        ids.add(series.at("/baseline/model_id").asText());
      }
    }
    ObjectNode names = document.putObject("names");
    for (String id : ids) {
      String name = facts.names().apply(id);
      if (!id.isEmpty() && !name.equals(id)) {
        names.put(id, name);
      }
    }
  }
}

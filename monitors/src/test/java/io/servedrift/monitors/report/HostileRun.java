package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.TailSketch;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.pane.WindowStatistics;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A run in which every name that comes from outside tries to be markup, or is far too long. */
final class HostileRun {
  static final String MARKUP =
      "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>&lt;\u2028";
  static final String LONG = "x".repeat(250);

  private HostileRun() {}

  static RunRecorder recorded() throws IOException {
    RunRecorder run = new RunRecorder(new MetricLayouts(), any -> true);
    SeriesKey key = new SeriesKey(MARKUP, "m1", "c1", "clip");
    for (int minute = 0; minute < 20; minute++) {
      run.pane(
          Panes.pane(
              key,
              minute,
              Map.of(
                  List.of("batch=8-15", "cache=hit", "prompt_class=" + MARKUP),
                  Panes.around(minute < 10 ? 0.3 : 0.28, 0.01, 20),
                  List.of("batch=1", "cache=miss", "prompt_class=" + LONG),
                  Panes.around(0.3, 0.01, 20))));
      for (String config : List.of("c1", SeriesKey.ALL)) {
        run.window(
            WindowStatistics.summary(
                    ValueDistribution.of(
                        new MetricLayouts().layoutOf("clip"), new double[] {0.2, 0.3, 0.31}),
                    TailSketch.merge(List.of()),
                    0.95)
                .setDeployment(MARKUP)
                .setModelId(config.equals("c1") ? "m1" : SeriesKey.ALL)
                .setConfigId(config)
                .setMetric("clip")
                .setStart(Instant.ofEpochSecond(minute * 60L))
                .setEnd(Instant.ofEpochSecond(minute * 60L + 60))
                .build());
      }
    }
    run.finding(finding(), Instant.ofEpochSecond(1200));
    return run;
  }

  private static JsonNode finding() throws IOException {
    String name = new ObjectMapper().writeValueAsString(MARKUP);
    String longName = new ObjectMapper().writeValueAsString(LONG);
    return new ObjectMapper()
        .readTree(
            """
            {"finding_id":"f-1","deployment":NAME,"model_id":"m1","config_id":"c1","metric":"clip",
             "statistic":"mean","direction":"worse","onset_at":"1970-01-01T00:10:00Z",
             "detected_at":"1970-01-01T00:20:10Z","state":"open","severity":"page",
             "incident_id":NAME,"policy_hash":"p",
             "baseline":{"kind":"learned","model_id":"m1","config_id":"c1",
               "from":"1970-01-01T00:00:00Z","to":"1970-01-01T00:10:00Z","n":400,"mean":0.3},
             "current":{"from":"1970-01-01T00:10:00Z","to":"1970-01-01T00:20:00Z","n":400,"mean":0.29},
             "effect":{"statistic":"mean","value":-0.01,"interval":[-0.012,-0.008],"unit":"score","n":400},
             "verdict":{"cause":"cache","confidence":1,"share":1,"where":{NAME:NAME},"why":NAME,
               "correlated_events":[{"event_id":NAME,"kind":LONG,"lag_seconds":3,"p_value":0.5}],
               "ruled_out":[{"cause":"model","because":LONG}],
               "contributing":[{"cause":NAME,"share":0.1}],
               "decomposition":{"total":-0.01,"parts":[{"cause":"cache","value":-0.01}],
                 "by_class":[{"class":LONG,"n_reference":1,"n":1,"value":0.1}]}},
             "exemplars":[{"request_id":NAME,"value":0.2,"role":"blamed","cell":{"cache":NAME}},
               {"request_id":LONG,"value":0.2,"role":"healthy","cell":{"cache":"miss"}}],
             "next_test":{"what":NAME,"command":NAME}}
            """
                .replace("NAME", name)
                .replace("LONG", longName));
  }
}

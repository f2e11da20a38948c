package io.servedrift.monitors.page;

import static io.servedrift.monitors.page.Fixtures.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.ops.LatestServingEvent;
import io.servedrift.monitors.ops.OpenFindings;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Severity;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadModelSummaryTest {
  private final ReadModel model = new ReadModel(ReadModelLimits.defaults());
  private final ReadModelSummary summary = new ReadModelSummary(model);

  private void finding(String id, String deployment, Severity severity, FindingState state) {
    model.apply(
        Finding.newBuilder()
            .setFindingId(id)
            .setDeployment(deployment)
            .setModelId("m")
            .setConfigId("c")
            .setMetric("clip")
            .setStatistic("mean")
            .setDirection("worse")
            .setOnsetAt(T0)
            .setDetectedAt(T0)
            .setState(state)
            .setSeverity(severity)
            .setIncidentId(id)
            .setPolicyHash("p")
            .setBody("{}")
            .build());
  }

  private void event(String id, ServingEventKind kind, Instant at) {
    model.apply(
        ServingEvent.newBuilder()
            .setEventId(id)
            .setAt(at)
            .setDeployment("d")
            .setKind(kind)
            .setAttributes(Map.of())
            .build());
  }

  @Test
  void countsWhatIsOpen_inItsLatestState() {
    finding("1", "d", Severity.PAGE, FindingState.OPEN);
    finding("2", "d", Severity.PAGE, FindingState.OPEN);
    finding("3", "d", Severity.TICKET, FindingState.OPEN);
    finding("1", "d", Severity.PAGE, FindingState.CLOSED);
    finding("4", "d", Severity.INFO, FindingState.ACCEPTED);
    assertThat(summary.openFindings())
        .containsExactly(
            new OpenFindings("d", "info", 0),
            new OpenFindings("d", "page", 1),
            new OpenFindings("d", "ticket", 1));
  }

  @Test
  void saysZero_whenADeploymentIsWatchedAndNothingIsOpen() {
    assertThat(summary.openFindings()).isEmpty();
    model.apply(Fixtures.window(new SeriesKey("quiet", "m", "c", "latency"), T0, 20));
    assertThat(summary.openFindings())
        .containsExactly(
            new OpenFindings("quiet", "info", 0),
            new OpenFindings("quiet", "page", 0),
            new OpenFindings("quiet", "ticket", 0));
  }

  @Test
  void keepsTheLatestEventOfEachKind_whateverTheOrder() {
    event("1", ServingEventKind.DEPLOY, T0.plusSeconds(60));
    event("2", ServingEventKind.DEPLOY, T0);
    event("3", ServingEventKind.CACHE_FLUSH, T0.plusSeconds(5));
    assertThat(summary.servingEvents())
        .containsExactly(
            new LatestServingEvent("d", "cache_flush", T0.plusSeconds(5)),
            new LatestServingEvent("d", "deploy", T0.plusSeconds(60)));
  }
}

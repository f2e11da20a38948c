package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.DemoPolicy;
import io.servedrift.monitors.demo.StorySimulator;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** The story of padding in mixed batches, simulated, and judged in the order that it is told. */
class PaddingStoryTest {
  private static final DemoFault FAULT = DemoFault.PADDING_IN_MIXED_BATCHES;
  private static final int SEEDS = 5;

  /** Assumed, of one object in a batch of sixteen. */
  private static final double LOSS = .5;

  private static StorySimulator story(long seed, double loss) {
    return new StorySimulator(
        new StorySimulator.Settings(
            seed,
            105,
            90,
            6,
            FAULT.quietClients(),
            .008,
            .011,
            StorySimulator.Harm.SHORTER_PROMPTS,
            loss));
  }

  /** What the demonstration ends with, and the causes of all pages and tickets about scores. */
  private record Told(String settled, Set<String> alerts) {}

  private static Told told(List<SpecificRecord> events) {
    JudgedRun run =
        new JudgedRun(
            Policy.parse(DemoPolicy.yaml(), "demo"), StorySimulator.PANES, new MetricLayouts());
    events.forEach(run::accept);
    DemoVerdict verdict = new DemoVerdict(FAULT);
    Instant since = switched(events).minus(StorySimulator.PANES.pane());
    Map<String, Finding> latest = new LinkedHashMap<>();
    Set<String> alerts = new TreeSet<>();
    for (Finding finding : run.finish()) {
      latest.put(finding.getFindingId(), finding);
      if (!verdict.settled()) {
        verdict.news(List.copyOf(latest.values()), since);
      }
      if (finding.getMetric().equals(FAULT.metric()) && FindingLog.alerts(finding.getSeverity())) {
        alerts.add(cause(finding));
      }
    }
    Finding last = verdict.told();
    return new Told(last == null ? "nothing" : cause(last), alerts);
  }

  private static Instant switched(List<SpecificRecord> events) {
    return events.stream()
        .filter(ServingEvent.class::isInstance)
        .map(event -> ((ServingEvent) event).getAt())
        .findFirst()
        .orElseThrow();
  }

  private static String cause(Finding finding) {
    return JsonOutput.parse(finding.getBody()).at("/verdict/cause").asText();
  }

  /** Only requests that ran alone tell the batch from the configuration that brought it. */
  @Test
  void endsWithTheBatch_andNoOtherCauseAlerts() {
    List<Told> told = new ArrayList<>();
    for (int seed = 1; seed <= SEEDS; seed++) {
      told.add(told(story(seed, LOSS).events()));
    }

    assertThat(told).extracting(Told::settled).containsOnly(Cause.BATCHING.label());
    assertThat(told)
        .allSatisfy(
            one ->
                assertThat(one.alerts())
                    .isSubsetOf(
                        Cause.BATCHING.label(),
                        Cause.UNEXPLAINED.label(),
                        Cause.INCONCLUSIVE.label()));
  }

  @Test
  void endsWithoutAVerdict_whenNothingIsLost() {
    Told told = told(story(1, 0).events());

    assertThat(told.settled()).isEqualTo("nothing");
    assertThat(told.alerts()).isEmpty();
  }
}

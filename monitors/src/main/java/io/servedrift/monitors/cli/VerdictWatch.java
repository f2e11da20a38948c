package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.alert.AlertPreview;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.demo.LoadNumbers;
import io.servedrift.schemas.avro.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the finding that a story is about, and tells it when it comes, when it becomes more and
 * when its cause is another one. Not thread-safe.
 */
final class VerdictWatch {
  private static final Duration TABLE = Duration.ofSeconds(10);

  /** A verdict that takes longer does not come. */
  static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  private final DemoSession session;
  private final DemoLinks links;
  private final DemoVerdict verdict;
  private final Instant began;
  private Instant faultBegan;

  /**
   * What clients saw in act one.
   *
   * @param all of them
   * @param busy those of busy times; all of them where the load was even
   */
  record Before(LoadNumbers all, LoadNumbers busy) {}

  /** From now on. */
  VerdictWatch(DemoSession session, DemoLinks links) {
    this.session = session;
    this.links = links;
    verdict = new DemoVerdict(session.options().fault());
    began = session.clock().instant();
    faultBegan = began;
  }

  /** The fault begins now; what began before is about something else. */
  void faultBegins() {
    // An onset is the start of a pane.
    faultBegan = session.clock().instant().minus(session.options().pane());
  }

  /** The finding as it was told last, null while there is none. */
  @Nullable Finding told() {
    return verdict.told();
  }

  /** Whether a script waits no longer: a cause is there, or none comes in this time. */
  boolean waitedFor(DemoSession.Act act) {
    return verdict.settled() || act.elapsed().compareTo(LONGEST_WAIT) >= 0;
  }

  /** What to exit with at the end of a story that waits for a verdict. */
  ExitCode exit() {
    boolean wanted = session.options().exitAfterVerdict();
    if (wanted && verdict.told() == null) {
      session.printer().say("no verdict within " + LONGEST_WAIT.toMinutes() + " minutes");
    }
    return verdict.exit(wanted);
  }

  /**
   * Tells what is new.
   *
   * @param act that is played
   * @param before what clients saw in act one
   * @param weights digest of those that serve
   */
  void look(DemoSession.Act act, Before before, String weights) {
    List<Finding> findings = session.monitor().readModel().findings();
    verdict
        .news(findings, faultBegan)
        .ifPresent(
            finding -> {
              tell(finding, act, before, weights);
              tellOthers(findings, finding);
            });
  }

  private void tell(Finding finding, DemoSession.Act act, Before before, String weights) {
    LoadNumbers now = act.numbers();
    Instant instant = session.clock().instant();
    DemoPrinter printer = session.printer();
    printer.table(session.monitor().readModel(), TABLE);
    printer.tell(
        "What clients saw, act one -> act two",
        List.of(
            DemoPrinter.moved("mean latency", before.all().mean(), now.mean()),
            DemoPrinter.moved("p99 latency", before.all().p99(), now.p99()),
            DemoPrinter.moved("p99 when busy", before.busy().p99(), act.whenBusy().p99())));
    printer.finding(finding, act.elapsed(), weights);
    String right = session.options().fault().rightCause().map(Cause::label).orElse("none");
    printer.tell(
        "Is it the right cause", List.of(verdict.right() ? "yes" : "no, the fault is " + right));
    printer.tell(
        "The alert, as Alertmanager gets it",
        AlertPreview.of(List.of(finding), links.ofAlert(), instant).lines().toList());
    printer.tell("Where to look", links.lines(finding.getFindingId(), began, instant));
  }

  /** A verdict beside five wrong ones is worth little, so they are shown. */
  private void tellOthers(List<Finding> findings, Finding told) {
    List<JsonNode> others =
        findings.stream()
            .filter(one -> FindingLog.alerts(one.getSeverity()))
            .filter(one -> !one.getFindingId().equals(told.getFindingId()))
            .filter(one -> !DemoVerdict.latestOnset(one).isBefore(faultBegan))
            .map(one -> JsonOutput.parse(one.getBody()))
            .filter(Objects::nonNull)
            .toList();
    session
        .printer()
        .tell(
            "Other pages and tickets since the fault began",
            others.isEmpty() ? List.of("none") : FindingTable.lines(others));
  }
}

package io.servedrift.monitors.cli;

import io.servedrift.monitors.alert.AlertPreview;
import io.servedrift.monitors.demo.LoadNumbers;
import io.servedrift.schemas.avro.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the finding that a story is about, and tells it when it comes and when it becomes more.
 * Not thread-safe.
 */
final class VerdictWatch {
  private static final Duration TABLE = Duration.ofSeconds(10);

  private final DemoSession session;
  private final DemoLinks links;
  private final Instant began;
  private Instant faultBegan;
  private @Nullable Finding told;

  /** From now on. */
  VerdictWatch(DemoSession session, DemoLinks links) {
    this.session = session;
    this.links = links;
    began = session.clock().instant();
    faultBegan = began;
  }

  /** The fault begins now; what was found before is about something else. */
  void faultBegins() {
    faultBegan = session.clock().instant();
  }

  /** The finding as it was told last, null while there is none. */
  @Nullable Finding told() {
    return told;
  }

  /**
   * Tells what is new.
   *
   * @param act that is played
   * @param before what clients saw in act one
   * @param weights digest of those that serve
   */
  void look(DemoSession.Act act, LoadNumbers before, String weights) {
    Optional<Finding> found =
        DemoVerdict.of(
            session.monitor().readModel().findings(), session.options().fault(), faultBegan);
    if (found.isPresent() && (told == null || found.get().getSeverity() != told.getSeverity())) {
      told = found.get();
      tell(told, act, before, weights);
    }
  }

  private void tell(Finding finding, DemoSession.Act act, LoadNumbers before, String weights) {
    LoadNumbers now = act.numbers();
    Instant instant = session.clock().instant();
    DemoPrinter printer = session.printer();
    printer.table(session.monitor().readModel(), TABLE);
    printer.tell(
        "What clients saw, act one -> act two",
        List.of(
            DemoPrinter.moved("mean latency", before.mean(), now.mean()),
            DemoPrinter.moved("p99 latency", before.p99(), now.p99()),
            DemoPrinter.moved("p99 when busy", before.p99(), act.whenBusy().p99())));
    printer.finding(finding, act.elapsed(), weights);
    printer.tell(
        "The alert, as Alertmanager gets it",
        AlertPreview.of(List.of(finding), links.ofAlert(), instant).lines().toList());
    printer.tell("Where to look", links.lines(finding.getFindingId(), began, instant));
  }
}

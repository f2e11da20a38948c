package io.servedrift.monitors.cli;

import static io.servedrift.monitors.cli.DemoFindings.START;
import static io.servedrift.monitors.cli.DemoFindings.finding;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DemoVerdictTest {
  private static Finding clip(Severity severity, String cause) {
    return finding("1", "clip", severity, cause, 5).build();
  }

  private static Finding latency(String id, String cause, int second) {
    return finding(id, "latency", Severity.TICKET, cause, second).build();
  }

  @Test
  void waitsForADecidedFindingAboutWhatUsersGet() {
    Finding waits = latency("1", "batching", 1);
    Finding better = finding("2", "clip", Severity.INFO, "cache", 2).setDirection("better").build();
    Finding open = finding("3", "clip", Severity.TICKET, "inconclusive", 3).build();
    Finding later = finding("5", "clip", Severity.PAGE, "cache", 5).build();
    Finding first = finding("4", "clip", Severity.TICKET, "cache", 4).build();
    Finding over =
        finding("6", "clip", Severity.PAGE, "cache", 1).setState(FindingState.CLOSED).build();
    Finding failing = finding("7", "error_ratio", Severity.PAGE, "batching", 1).build();

    DemoFault wrong = DemoFault.CACHED_CONDITIONING_PRECISION;
    assertThat(DemoVerdict.of(List.of(waits, better, open, over, failing), wrong, START)).isEmpty();
    assertThat(DemoVerdict.of(List.of(waits, later, first), wrong, START)).contains(first);
    assertThat(DemoVerdict.of(List.of(waits, first, failing), DemoFault.SLOW_NODE, START))
        .contains(waits);
  }

  /** Wrong weights were live before the rollback, and are found out after it. */
  @Test
  void isNotWhatBeganBeforeTheFault_howeverLateItIsFound() {
    DemoFault stale = DemoFault.STALE_CACHE_AFTER_WEIGHTS;
    Finding wrongWeights =
        finding("1", "clip", Severity.PAGE, "model", 4)
            .setDetectedAt(START.plusSeconds(23))
            .build();
    Finding hits =
        finding("2", "clip", Severity.PAGE, "cache", 20)
            .setDetectedAt(START.plusSeconds(36))
            .build();
    assertThat(DemoVerdict.of(List.of(wrongWeights, hits), stale, START.plusSeconds(20)))
        .contains(hits);
  }

  /** An onset is an estimate: what may have begun with the fault is not thrown away. */
  @Test
  void goesByTheEndOfTheIntervalOfTheOnset() {
    Finding slow =
        finding("1", "latency", Severity.TICKET, "node", 16)
            .setDetectedAt(START.plusSeconds(40))
            .setBody(
                "{\"onset_interval\":[\"2026-03-01T00:00:10Z\",\"2026-03-01T00:00:22Z\"],"
                    + "\"verdict\":{\"cause\":\"node\"}}")
            .build();
    assertThat(DemoVerdict.of(List.of(slow), DemoFault.SLOW_NODE, START.plusSeconds(20)))
        .contains(slow);
    assertThat(DemoVerdict.of(List.of(slow), DemoFault.SLOW_NODE, START.plusSeconds(24))).isEmpty();
  }

  @Test
  void tellsAgain_whenTheSeverityOrTheCauseIsAnother_andOnlyThen() {
    DemoVerdict verdict = new DemoVerdict(DemoFault.PADDING_IN_MIXED_BATCHES);
    Finding ticket = clip(Severity.TICKET, "config_change");
    assertThat(verdict.news(List.of(ticket), START)).contains(ticket);
    assertThat(verdict.news(List.of(ticket), START)).isEmpty();
    Finding page = clip(Severity.PAGE, "config_change");
    assertThat(verdict.news(List.of(page), START)).contains(page);
    assertThat(verdict.exit(true)).isEqualTo(ExitCode.CHECK_FAILED);
    Finding other = clip(Severity.PAGE, "batching");
    assertThat(verdict.news(List.of(other), START)).contains(other);
    assertThat(verdict.news(List.of(other), START)).isEmpty();
    assertThat(verdict.exit(true)).isEqualTo(ExitCode.DONE);
  }

  @Test
  void isNotSettledByWhatIsUnexplained_andTakesTheCauseThatComes() {
    DemoVerdict verdict = new DemoVerdict(DemoFault.SLOW_NODE);
    assertThat(verdict.settled()).isFalse();
    Finding unexplained = latency("1", "unexplained", 1);
    assertThat(verdict.news(List.of(unexplained), START)).contains(unexplained);
    assertThat(verdict.settled()).isFalse();
    assertThat(verdict.exit(true)).isEqualTo(ExitCode.CHECK_FAILED);
    Finding node = latency("2", "node", 9);
    assertThat(verdict.news(List.of(unexplained, node), START)).contains(node);
    assertThat(verdict.settled()).isTrue();
    assertThat(verdict.exit(true)).isEqualTo(ExitCode.DONE);
  }

  @Test
  void aWrongCauseFails_andNoVerdictIsInsufficientWhereOneIsWanted() {
    DemoVerdict verdict = new DemoVerdict(DemoFault.STALE_CACHE_AFTER_WEIGHTS);
    assertThat(verdict.exit(true)).isEqualTo(ExitCode.INSUFFICIENT);
    assertThat(verdict.exit(false)).isEqualTo(ExitCode.DONE);
    Finding model = clip(Severity.PAGE, "model");
    assertThat(verdict.news(List.of(model), START)).contains(model);
    assertThat(verdict.settled()).isTrue();
    assertThat(verdict.right()).isFalse();
    assertThat(verdict.exit(true)).isEqualTo(ExitCode.CHECK_FAILED);
    assertThat(verdict.exit(false)).isEqualTo(ExitCode.CHECK_FAILED);
  }

  /** The table that readers see and the one that the demonstration judges by. */
  @Test
  void theRightCausesAreThoseOfTheDocumentation() {
    Map<String, String> documented = new TreeMap<>();
    Matcher row =
        Pattern.compile("(?m)^\\| `([a-z-]+)` \\|[^|]*\\| `([a-z_]+)`[^|]*\\|$")
            .matcher(Documents.read("serving/README.md"));
    while (row.find()) {
      documented.put(row.group(1), row.group(2));
    }
    for (DemoFault fault : DemoFault.values()) {
      if (fault != DemoFault.NONE) {
        assertThat(documented)
            .containsEntry(
                fault.word(), fault.rightCause().map(Cause::label).orElse("no right cause"));
      }
    }
    assertThat(DemoFault.NONE.rightCause()).isEmpty();
  }
}

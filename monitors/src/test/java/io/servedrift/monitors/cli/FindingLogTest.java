package io.servedrift.monitors.cli;

import static io.servedrift.monitors.cli.DemoFindings.finding;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingLogTest {
  private final FindingLog log = new FindingLog();

  private static Finding of(String id, Severity severity) {
    return finding(id, "clip", severity, "cache", 1).build();
  }

  @Test
  void silenceIsWhatIsWanted_ofATimeThatWasLongEnough() {
    assertThat(log.exit(true)).isEqualTo(ExitCode.DONE);
    assertThat(log.exit(false)).isEqualTo(ExitCode.INSUFFICIENT);
    assertThat(log.see(List.of(of("1", Severity.INFO)))).isEmpty();
    assertThat(log.exit(true)).isEqualTo(ExitCode.DONE);
  }

  @Test
  void anAlertFails_alsoOneOfAnotherMetricOrOfAShortTime() {
    Finding ticket = finding("1", "latency", Severity.TICKET, "batching", 1).build();
    assertThat(log.see(List.of(ticket))).containsExactly(ticket);
    assertThat(log.see(List.of(ticket))).isEmpty();
    assertThat(log.exit(true)).isEqualTo(ExitCode.CHECK_FAILED);
    assertThat(log.exit(false)).isEqualTo(ExitCode.CHECK_FAILED);
  }

  @Test
  void countsTheMostThatAFindingWas_alsoWhenItIsGone() {
    log.see(List.of(of("1", Severity.TICKET), of("2", Severity.INFO)));
    assertThat(log.see(List.of(of("1", Severity.PAGE)))).hasSize(1);
    log.see(List.of(of("1", Severity.INFO)));
    log.see(List.of());

    assertThat(log.count(Severity.PAGE)).isEqualTo(1);
    assertThat(log.count(Severity.TICKET)).isZero();
    assertThat(log.count(Severity.INFO)).isEqualTo(1);
    assertThat(log.latest()).extracting(Finding::getFindingId).containsExactly("1", "2");
    assertThat(log.exit(true)).isEqualTo(ExitCode.CHECK_FAILED);
  }
}

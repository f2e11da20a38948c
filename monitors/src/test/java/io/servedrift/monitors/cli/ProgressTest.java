package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private final StringWriter err = new StringWriter();
  private Instant now = Instant.EPOCH;
  private final InstantSource source = () -> now;
  private final Clock clock = source.withZone(ZoneOffset.UTC);

  @Test
  void saysCountRateShareAndTimeLeft() {
    try (Progress progress = new Progress("import", new PrintWriter(err), clock, true)) {
      now = now.plusSeconds(10);
      progress.update(25_000, 100_000);
    }

    assertThat(err.toString()).contains("import: 25,000, 2,500/s, 25 %, 0:30 left");
    assertThat(err.toString()).endsWith("\r\u001B[K");
  }

  @Test
  void saysNoShare_whenTheTotalIsUnknown() {
    Progress progress = new Progress("import", new PrintWriter(err), clock, true);
    now = now.plusSeconds(1);
    progress.update(10, 0);

    assertThat(err.toString()).endsWith("import: 10, 10/s");
  }

  @Test
  void saysWhatIsLeft_ofWorkThatComesAndGoes() {
    Progress progress = new Progress("records read", new PrintWriter(err), clock, true);
    now = now.plus(Duration.ofHours(10));
    progress.updateLeft(1_000, 10_000);
    assertThat(err.toString()).endsWith("records read: 1,000, 10,000 left to read");
    now = now.plusSeconds(1);
    progress.updateLeft(11_000, 0);
    assertThat(err.toString()).endsWith("\r\u001B[Krecords read: 11,000");
  }

  @Test
  void writesRarely() {
    Progress progress = new Progress("import", new PrintWriter(err), clock, true);
    for (int i = 1; i <= 1000; i++) {
      now = now.plus(Duration.ofMillis(1));
      progress.update(i, 1000);
    }

    assertThat(err.toString().split("import")).hasSize(6);
  }

  @Test
  void isSilent_whenNobodyWatches() {
    try (Progress progress = new Progress("import", new PrintWriter(err), clock, false)) {
      now = now.plusSeconds(10);
      progress.update(1, 2);
    }

    assertThat(err.toString()).isEmpty();
  }
}

package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.RollbackEvidence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RollbackTest {
  @TempDir private Path folder;
  private FakeEndpoint old;
  private FakeEndpoint fresh;

  /** What a proxy would be: it is what the file says. */
  private FakeEndpoint switched;

  private Path flag;

  @BeforeEach
  void start() throws IOException {
    old = new FakeEndpoint();
    fresh = new FakeEndpoint();
    switched = new FakeEndpoint();
    flag = folder.resolve("flag");
    Files.writeString(flag, "old");
    fresh.info = () -> FakeEndpoint.info("int8", "sha256:aa");
    switched.info = () -> FakeEndpoint.info(flagged().equals("new") ? "int8" : "fp32", "sha256:aa");
  }

  @AfterEach
  void stop() {
    old.close();
    fresh.close();
    switched.close();
  }

  private String flagged() {
    try {
      return Files.readString(flag).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private RollbackEvidence run(String command, java.time.Duration limit) throws Exception {
    RunOptions base = Given.options(CheckName.ROLLBACK);
    RunOptions options =
        new RunOptions(
            base.seed(),
            base.samples(),
            base.concurrency(),
            0,
            50.0,
            base.loads(),
            base.blocks(),
            base.block(),
            base.warmUp(),
            5,
            limit,
            base.checks());
    RunInput input =
        new RunInput(
            Given.access(old.url()),
            Given.access(fresh.url()),
            Declaration.none(Modality.IMAGE),
            Declaration.none(Modality.IMAGE),
            Given.prompts(4),
            null,
            null,
            Given.access(switched.url()),
            command,
            facts -> Readiness.notLookedAt(),
            options);
    RunListener silent =
        new RunListener() {
          @Override
          public void said(String line) {}

          @Override
          public void progress(long done, long total) {}

          @Override
          public void estimated(RunEstimate estimate) {}
        };
    Timeline timeline = Timeline.of(Clock.systemUTC());
    var evidence =
        new GateRunner(input, folder.resolve("run"), timeline, silent, () -> false)
            .run()
            .evidence();
    RollbackEvidence rollback = evidence.rollback();
    assertThat(rollback).isNotNull();
    assertThat(rollback.before()).isEqualTo(evidence.oldBefore());
    return rollback;
  }

  @Test
  void goesBackByTheOperatorsCommand() throws Exception {
    RollbackEvidence done =
        run("echo $SERVEDRIFT_FLIP_TO > " + flag, java.time.Duration.ofSeconds(20));

    assertThat(done.how()).isEqualTo("flip command");
    assertThat(done.problems()).isEmpty();
    assertThat(done.inFlight()).isPositive();
    assertThat(done.inFlightLost()).isZero();
    assertThat(done.after()).isNotNull();
    assertThat(done.after().configId()).isEqualTo(done.before().configId());
    assertThat(flagged()).isEqualTo("old");
  }

  @Test
  void saysWhatServes_whenTheWayBackEndsElsewhere() throws Exception {
    // The new side stays, whatever is asked for.
    RollbackEvidence done = run("echo new > " + flag, java.time.Duration.ofMillis(500));

    assertThat(done.problems())
        .containsExactly("the switched address did not serve the old configuration in time");
    assertThat(done.after()).isNotNull();
    assertThat(done.after().configId()).isNotEqualTo(done.before().configId());
  }

  @Test
  void countsRequestsThatTheFlipLost() throws Exception {
    switched.beforeAnswer =
        () -> {
          // From the moment of the way back on, requests fail.
          switched.way = flagged().equals("old") ? FakeEndpoint.Way.BROKEN : FakeEndpoint.Way.GOOD;
        };
    RollbackEvidence done =
        run(
            "echo $SERVEDRIFT_FLIP_TO > " + flag + "; [ $SERVEDRIFT_FLIP_TO = new ] || sleep 0.5",
            java.time.Duration.ofSeconds(20));

    assertThat(done.inFlightLost()).isPositive();
    assertThat(done.inFlight()).isGreaterThanOrEqualTo(done.inFlightLost());
  }

  @Test
  void saysThatTheCommandFailed() throws Exception {
    RollbackEvidence done = run("exit 3", java.time.Duration.ofSeconds(20));

    assertThat(done.after()).isNull();
    assertThat(done.problems())
        .containsExactly(
            "the flip to new ended with exit code 3", "the flip to old ended with exit code 3");
  }

  @Test
  void endsACommandThatHangs() throws Exception {
    RollbackEvidence done = run("sleep 600", java.time.Duration.ofMillis(300));

    assertThat(done.problems()).first().asString().contains("took longer than");
  }
}

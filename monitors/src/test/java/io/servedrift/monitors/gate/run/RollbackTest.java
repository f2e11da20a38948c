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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
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
  private final List<String> said = new CopyOnWriteArrayList<>();

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
    RollbackEvidence rollback = ended(command, limit, () -> false).evidence().rollback();
    assertThat(rollback).isNotNull();
    return rollback;
  }

  /** A command whose first way back ends as Ctrl-C ends it; tells by a file that it was run. */
  private String backFailsOnce() {
    String once = flag + ".1";
    return "[ $SERVEDRIFT_FLIP_TO = new ] || [ -e "
        + once
        + " ] || { touch "
        + once
        + "; exit 130; }; echo $SERVEDRIFT_FLIP_TO > "
        + flag
        + "; touch "
        + flag
        + ".$SERVEDRIFT_FLIP_TO";
  }

  private GateRunner.Ended ended(String command, java.time.Duration limit, BooleanSupplier stopped)
      throws Exception {
    return ended(Given.options(CheckName.ROLLBACK), command, limit, stopped);
  }

  private GateRunner.Ended ended(
      RunOptions base, String command, java.time.Duration limit, BooleanSupplier stopped)
      throws Exception {
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
          public void said(String line) {
            said.add(line);
          }

          @Override
          public void progress(long done, long total) {}

          @Override
          public void estimated(RunEstimate estimate) {}
        };
    Timeline timeline = Timeline.of(Clock.systemUTC());
    return new GateRunner(input, folder.resolve("run"), timeline, silent, stopped).run();
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
        .containsExactly("the switched address did not serve the old side in time");
    assertThat(said).anyMatch(line -> line.startsWith("WARNING: clients may still be sent"));
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

    assertThat(done.attempted()).isFalse();
    assertThat(done.problems())
        .containsExactly(
            "the flip to new ended with exit code 3", "the flip to old ended with exit code 3");
  }

  @Test
  void isNotTried_whenTheFlipCannotBeSeen() throws Exception {
    fresh.info = () -> FakeEndpoint.info("fp32", "sha256:aa");

    RollbackEvidence done = run("touch " + flag + ".ran", java.time.Duration.ofSeconds(20));

    assertThat(done.attempted()).isFalse();
    assertThat(done.problems())
        .containsExactly(
            "old and new have the same configuration and model: a flip between them is not seen");
    assertThat(Path.of(flag + ".ran")).doesNotExist();
  }

  @Test
  void isNotTaken_forASwitchByTheConfigurationAlone() throws Exception {
    // Only the weights differ, and the command does nothing.
    fresh.info = () -> FakeEndpoint.info("fp32", "sha256:bb");

    RollbackEvidence done = run("true", java.time.Duration.ofMillis(300));

    assertThat(done.attempted()).isFalse();
    assertThat(done.problems())
        .containsExactly("the switched address did not serve the new side in time");
  }

  @Test
  void triesTheWayBackAgain_andTellsThatItFailedOnce() throws Exception {
    RollbackEvidence done = run(backFailsOnce(), java.time.Duration.ofSeconds(20));

    assertThat(flagged()).isEqualTo("old");
    assertThat(done.attempted()).isTrue();
    assertThat(done.problems()).containsExactly("the flip to old ended with exit code 130");
  }

  @Test
  void bringsTheOldSideBack_whenStoppedInTheMiddle() throws Exception {
    // The stop comes when the new side serves; like a Ctrl-C it ends the first command back.
    Path began = Path.of(flag + ".new");

    GateRunner.Ended ended =
        ended(backFailsOnce(), java.time.Duration.ofSeconds(20), () -> Files.exists(began));

    assertThat(ended.whole()).isFalse();
    assertThat(flagged()).isEqualTo("old");
    assertThat(Files.readString(folder.resolve("run").resolve(Journal.NAME)))
        .contains("{\"kind\":\"flip\",\"begun\":true}")
        .contains("{\"kind\":\"flip\",\"begun\":false}");
  }

  @Test
  void isToldOf_whenTheJournalEndsInTheMiddleOfAFlip() throws Exception {
    run("echo $SERVEDRIFT_FLIP_TO > " + flag, java.time.Duration.ofSeconds(20));
    Path journal = folder.resolve("run").resolve(Journal.NAME);
    String text = Files.readString(journal);
    int begun = text.indexOf("{\"kind\":\"flip\",\"begun\":true}");
    Files.writeString(journal, text.substring(0, text.indexOf('\n', begun) + 1));

    RollbackEvidence rollback = GateRunner.recorded(folder.resolve("run")).rollback();

    assertThat(rollback).isNotNull();
    assertThat(rollback.attempted()).isFalse();
    assertThat(rollback.problems()).containsExactly(RunRecord.FLIP_OPEN);
  }

  @Test
  void isNotTried_whenTheNewSideAnswersWithErrors() throws Exception {
    fresh.way = FakeEndpoint.Way.BROKEN;

    RollbackEvidence done =
        ended(
                Given.options(CheckName.ROLLBACK, CheckName.PROXY_DRIFT),
                "echo $SERVEDRIFT_FLIP_TO > " + flag,
                java.time.Duration.ofSeconds(20),
                () -> false)
            .evidence()
            .rollback();

    assertThat(done).isNotNull();
    assertThat(done.attempted()).isFalse();
    assertThat(done.problems())
        .containsExactly("most answers of the new side are errors: clients are not switched to it");
    assertThat(folder.resolve("run").resolve("flip.log")).doesNotExist();
  }

  @Test
  void countsAnAnswerWithoutAnImageAsLost() throws Exception {
    switched.beforeAnswer =
        () ->
            switched.way =
                flagged().equals("old") ? FakeEndpoint.Way.NO_IMAGE : FakeEndpoint.Way.GOOD;
    RollbackEvidence done =
        run(
            "echo $SERVEDRIFT_FLIP_TO > " + flag + "; [ $SERVEDRIFT_FLIP_TO = new ] || sleep 0.5",
            java.time.Duration.ofSeconds(20));

    assertThat(done.inFlightLost()).isPositive();
  }

  @Test
  void endsACommandThatHangs() throws Exception {
    RollbackEvidence done = run("sleep 600", java.time.Duration.ofMillis(300));

    assertThat(done.problems()).first().asString().contains("took longer than");
  }
}

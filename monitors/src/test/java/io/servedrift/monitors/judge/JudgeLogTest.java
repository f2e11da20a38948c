package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A judge that dies goes on as if it had not; a checkpoint is a place to start from. */
class JudgeLogTest {
  private static final Duration EVERY = Duration.ofMinutes(10);

  /** The one deployment of the reading with which something is wrong. */
  private static final String FRAGILE = "a";

  /** A sequencer, a log and a judge, with what came out of them. */
  private static final class Run implements JudgeSequencer.Output, JudgeLog.Output {
    final List<String> findings;
    final List<String> checkpoints;
    final List<String> failures = new ArrayList<>();
    final Tally tally = new Tally();
    final JudgeSequencer sequencer;
    final JudgeLog log;

    Run(StateJournal journal, List<String> findings, List<String> checkpoints) {
      this(ChainJudge.MAKER, journal, findings, checkpoints);
    }

    Run(
        StepTaker.Maker judges,
        StateJournal journal,
        List<String> findings,
        List<String> checkpoints) {
      this.findings = findings;
      this.checkpoints = checkpoints;
      this.sequencer = new JudgeSequencer(1, PaneSettings.defaults(), this, journal, tally);
      this.log = new JudgeLog(judges, EVERY, this, journal, tally);
    }

    @Override
    public void finding(Finding finding, long micros) {
      findings.add(finding.getDeployment() + " " + micros + " " + finding.getFindingId());
    }

    @Override
    public void failed(String deployment, long micros, RuntimeException why) {
      failures.add(deployment + " " + micros);
    }

    void restore(SortedMap<String, byte[]> journal) {
      journal.forEach(
          (key, value) -> {
            if (key.startsWith(JudgeLog.PREFIX)) {
              log.restore(key, value);
            } else {
              sequencer.restore(key, value);
            }
          });
      log.repeat(sequencer.restored());
    }

    @Override
    public void step(JudgeLog.Logged step) {
      log.take(step);
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
      throw new AssertionError(why.detail());
    }

    @Override
    public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
      checkpoints.add(deployment + " " + micros + " " + new String(state.get(), UTF_8));
    }
  }

  private static final Charset UTF_8 = StandardCharsets.UTF_8;

  private static List<Consumer<JudgeSequencer>> reading(long seed, SplittableRandom random) {
    return JudgeSequencerTest.interleaved(JudgeSequencerTest.lanes(seed, 1, random), random);
  }

  @Property(tries = 40)
  void findingsAndCheckpointsAreExact_whereverItDies(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Consumer<JudgeSequencer>> reading = reading(seed, random);
    Run undisturbed = new Run(StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    reading.forEach(call -> call.accept(undisturbed.sequencer));

    MemoryJournal journal = new MemoryJournal();
    Run current = new Run(journal, new ArrayList<>(), new ArrayList<>());
    for (Consumer<JudgeSequencer> call : reading) {
      if (random.nextInt(25) == 0) {
        current = new Run(journal, current.findings, current.checkpoints);
        current.restore(new TreeMap<>(journal.records));
      }
      call.accept(current.sequencer);
    }
    assertThat(current.findings).isEqualTo(undisturbed.findings).hasSizeGreaterThan(100);
    assertThat(current.checkpoints).isEqualTo(undisturbed.checkpoints).hasSizeGreaterThan(5);
    assertThat(journal.records).as("steps before a checkpoint are gone").hasSizeLessThan(120);
  }

  @Property(tries = 20)
  void checkpointIsAPlaceToStartFrom(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Consumer<JudgeSequencer>> reading = reading(seed, random);
    Run whole = new Run(StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    reading.forEach(call -> call.accept(whole.sequencer));

    Run later = new Run(StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    long start =
        Long.parseLong(whole.checkpoints.get(whole.checkpoints.size() / 2).split(" ", -1)[1]);
    later.log.startAt(start);
    for (String checkpoint : whole.checkpoints) {
      String[] parts = checkpoint.split(" ", -1);
      if (Long.parseLong(parts[1]) == start) {
        later.log.startWith(parts[0], start, parts[2].getBytes(UTF_8));
      }
    }
    reading.forEach(call -> call.accept(later.sequencer));
    assertThat(later.findings)
        .isEqualTo(
            whole.findings.stream()
                .filter(finding -> Long.parseLong(finding.split(" ", -1)[1]) >= start)
                .toList())
        .isNotEmpty();
  }

  /**
   * Fails in the midst of steps: about every fifth of one deployment, each time the same, as they
   * are chosen by all that the judge took before.
   */
  private static final StepTaker.Maker FAILING =
      (findings, tally) ->
          new ChainJudge(
              finding -> {
                findings.accept(finding);
                if (finding.getDeployment().equals(FRAGILE)
                    && Integer.parseInt(finding.getFindingId().substring(0, 4), 16) % 5 == 0) {
                  throw new IllegalArgumentException("fails on " + finding.getFindingId());
                }
              });

  private static List<String> sturdy(List<String> lines) {
    return lines.stream().filter(line -> !line.startsWith(FRAGILE + " ")).toList();
  }

  @Property(tries = 40)
  void failureOfTheJudgeCostsOneStep_andIsRepeatedExactly_whereverItDies(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Consumer<JudgeSequencer>> reading = reading(seed, random);
    Run sound = new Run(StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    reading.forEach(call -> call.accept(sound.sequencer));
    Run undisturbed = new Run(FAILING, StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    reading.forEach(call -> call.accept(undisturbed.sequencer));

    MemoryJournal journal = new MemoryJournal();
    Run current = new Run(FAILING, journal, new ArrayList<>(), new ArrayList<>());
    List<String> failures = new ArrayList<>();
    for (Consumer<JudgeSequencer> call : reading) {
      if (random.nextInt(25) == 0) {
        failures.addAll(current.failures);
        current = new Run(FAILING, journal, current.findings, current.checkpoints);
        current.restore(new TreeMap<>(journal.records));
      }
      call.accept(current.sequencer);
    }
    failures.addAll(current.failures);

    assertThat(undisturbed.failures).isNotEmpty();
    assertThat(undisturbed.tally.get("judge_failures")).isEqualTo(undisturbed.failures.size());
    assertThat(undisturbed.findings).hasSize(sound.findings.size() - undisturbed.failures.size());
    assertThat(sturdy(undisturbed.findings)).isEqualTo(sturdy(sound.findings)).isNotEmpty();
    assertThat(sturdy(undisturbed.checkpoints)).isEqualTo(sturdy(sound.checkpoints)).isNotEmpty();
    assertThat(failures).as("each told once").isEqualTo(undisturbed.failures);
    assertThat(current.findings).isEqualTo(undisturbed.findings);
    assertThat(current.checkpoints).isEqualTo(undisturbed.checkpoints);
  }

  @Test
  void errorOfTheOutputIsNoFailureOfTheJudge() {
    List<Consumer<JudgeSequencer>> reading = reading(3, new SplittableRandom(3));
    JudgeLog.Output broken =
        new JudgeLog.Output() {
          @Override
          public void finding(Finding finding, long micros) {
            throw new IllegalStateException("the producer was fenced");
          }

          @Override
          public void failed(String deployment, long micros, RuntimeException why) {
            throw new AssertionError(why);
          }

          @Override
          public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {}
        };
    Tally tally = new Tally();
    JudgeLog log = new JudgeLog(ChainJudge.MAKER, EVERY, broken, StateJournal.NONE, tally);
    JudgeSequencer sequencer =
        new JudgeSequencer(
            1,
            PaneSettings.defaults(),
            new JudgeSequencer.Output() {
              @Override
              public void step(JudgeLog.Logged step) {
                log.take(step);
              }

              @Override
              public void rejected(
                  Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
                throw new AssertionError(why.detail());
              }
            },
            StateJournal.NONE,
            tally);
    assertThatThrownBy(() -> reading.forEach(call -> call.accept(sequencer)))
        .hasMessage("the producer was fenced");
    assertThat(tally.get("judge_failures")).isZero();
  }

  /** Reads no checkpoint of one deployment, as after an upgrade; half of it may be in place. */
  private static class Upgraded implements StepTaker {
    private final ChainJudge judge;

    Upgraded(Consumer<Finding> findings) {
      this.judge = new ChainJudge(findings);
    }

    @Override
    public void pane(MergedPane pane) {
      judge.pane(pane);
    }

    @Override
    public void event(ServingEvent event) {
      judge.event(event);
    }

    @Override
    public void decision(Decision decision) {
      judge.decision(decision);
    }

    @Override
    public void eval(EvalResult eval) {
      judge.eval(eval);
    }

    @Override
    public byte[] checkpoint(String deployment) {
      return judge.checkpoint(deployment);
    }

    @Override
    public void restore(String deployment, byte[] checkpoint) {
      judge.restore(deployment, checkpoint);
      if (deployment.equals(FRAGILE)) {
        throw new IndexOutOfBoundsException("ends too early");
      }
    }

    @Override
    public void forget(String deployment) {
      judge.forget(deployment);
    }
  }

  @Test
  void deploymentBeginsAnew_whenItsCheckpointCannotBeRead() {
    List<Consumer<JudgeSequencer>> reading = reading(4, new SplittableRandom(4));
    int half = reading.size() / 2;
    MemoryJournal journal = new MemoryJournal();
    Run before = new Run(journal, new ArrayList<>(), new ArrayList<>());
    reading.subList(0, half).forEach(call -> call.accept(before.sequencer));
    long stored = checkpoints(journal);
    assertThat(stored).isGreaterThan(1);

    Run after =
        new Run((f, tally) -> new Upgraded(f), journal, new ArrayList<>(), new ArrayList<>());
    after.restore(new TreeMap<>(journal.records));
    assertThat(after.tally.get("journal_dropped")).isEqualTo(1);
    assertThat(checkpoints(journal)).isEqualTo(stored - 1);
    reading.subList(half, reading.size()).forEach(call -> call.accept(after.sequencer));

    Run sound = new Run(StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    reading.forEach(call -> call.accept(sound.sequencer));
    List<String> both = new ArrayList<>(before.findings);
    both.addAll(after.findings);
    assertThat(both).hasSameSizeAs(sound.findings).isNotEqualTo(sound.findings);
    assertThat(sturdy(both)).isEqualTo(sturdy(sound.findings));
    assertThat(after.failures).isEmpty();
  }

  @Test
  void letsTheJudgeForgetEveryDeployment_whenItCloses() {
    List<String> forgotten = new ArrayList<>();
    StepTaker.Maker judges =
        (findings, tally) ->
            new Upgraded(findings) {
              @Override
              public void forget(String deployment) {
                forgotten.add(deployment);
                super.forget(deployment);
              }
            };
    Run run = new Run(judges, StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    reading(4, new SplittableRandom(4)).forEach(call -> call.accept(run.sequencer));
    assertThat(forgotten).isEmpty();
    run.log.close();
    assertThat(forgotten)
        .contains(FRAGILE)
        .containsExactlyElementsOf(
            run.findings.stream().map(line -> line.split(" ", 2)[0]).distinct().sorted().toList());
  }

  private static long checkpoints(MemoryJournal journal) {
    return journal.records.keySet().stream().filter(k -> k.startsWith(JudgeLog.PREFIX)).count();
  }

  /** A judge of which a checkpoint is read, and then no step of that deployment comes. */
  @Test
  void checkpointsWhatIsKnown_whenTheOneThatCannotBeReadIsSilent() {
    List<Consumer<JudgeSequencer>> reading = reading(4, new SplittableRandom(4));
    MemoryJournal journal = new MemoryJournal();
    Run before = new Run(journal, new ArrayList<>(), new ArrayList<>());
    reading.forEach(call -> call.accept(before.sequencer));
    // Only its checkpoint is left of it.
    TreeMap<String, byte[]> left = new TreeMap<>(journal.records);
    left.keySet().removeIf(key -> !key.startsWith(JudgeLog.PREFIX));

    Run after =
        new Run((f, tally) -> new Upgraded(f), journal, new ArrayList<>(), new ArrayList<>());
    after.restore(left);
    JudgeStep step =
        new JudgeStep.Happening(
            EventLane.micros(Instant.parse("2030-01-01T00:00:00Z")),
            Decision.newBuilder()
                .setDecisionId("d-1")
                .setAt(Instant.parse("2030-01-01T00:00:00Z"))
                .setDeployment("another")
                .setKind(DecisionKind.ACCEPT)
                .build());
    journal.put("step", () -> new byte[0]);
    after.log.take(new JudgeLog.Logged("step", step));
    assertThat(after.checkpoints).isNotEmpty().noneMatch(c -> c.startsWith(FRAGILE + " "));
    assertThat(after.findings).hasSize(1);
  }

  @Test
  void startsNoDeploymentWithWhatCannotBeRead() {
    Run run =
        new Run(
            (f, tally) -> new Upgraded(f), StateJournal.NONE, new ArrayList<>(), new ArrayList<>());
    assertThatThrownBy(() -> run.log.startWith(FRAGILE, 0, new byte[] {1}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(FRAGILE);
    assertThatThrownBy(() -> run.log.startWith("b", 0, new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void checkpointIsWholeAgain_whenItsPiecesAreJoined() {
    byte[] state = new byte[2 * CheckpointPart.LARGEST + 17];
    new SplittableRandom(5).nextBytes(state);
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    List<CheckpointPart> parts = CheckpointPart.cut("image-gen", 3_600_000_000L, state);
    assertThat(parts).hasSize(3);
    for (CheckpointPart part : parts) {
      byte[] record = part.encode();
      assertThat(record).hasSizeLessThan(1_000_000);
      CheckpointPart read = CheckpointPart.decode(record);
      assertThat(read.deployment()).isEqualTo("image-gen");
      assertThat(read.micros()).isEqualTo(3_600_000_000L);
      assertThat(read.parts()).isEqualTo(3);
      assertThat(new String(read.key(), UTF_8))
          .isEqualTo("image-gen/1970-01-01T01:00:00Z/" + read.part());
      joined.writeBytes(read.bytes());
    }
    assertThat(joined.toByteArray()).isEqualTo(state);
    assertThat(CheckpointPart.cut("d", 0, new byte[0])).hasSize(1);
    assertThatThrownBy(() -> CheckpointPart.decode(new byte[] {1, 2, 3, 4, 5}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Finding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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

  /** A sequencer, a log and a judge, with what came out of them. */
  private static final class Run implements JudgeSequencer.Output, JudgeLog.Checkpoints {
    final List<String> findings;
    final List<String> checkpoints;
    final JudgeSequencer sequencer;
    final JudgeLog log;

    Run(StateJournal journal, List<String> findings, List<String> checkpoints) {
      this.findings = findings;
      this.checkpoints = checkpoints;
      Tally tally = new Tally();
      this.sequencer = new JudgeSequencer(1, PaneSettings.defaults(), this, journal, tally);
      this.log = new JudgeLog(new ChainJudge(this::found), EVERY, this, journal, tally);
    }

    private void found(Finding finding) {
      if (!log.isSilent()) {
        findings.add(finding.getDeployment() + " " + log.now() + " " + finding.getFindingId());
      }
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

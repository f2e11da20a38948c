package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SchedulerLimitsTest {

  @Test
  void saysWhatIsAllowed_whenValueIsOutOfRange() {
    assertThatThrownBy(() -> new SchedulerLimits(BatchingMode.CONTINUOUS, 65, 16, 64, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("max_batch_size=65: must be between 1 and 64");
    assertThatThrownBy(() -> new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 0, 64, 2))
        .hasMessage("max_running=0: must be between 1 and 1024");
    assertThatThrownBy(() -> new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 16, 100_001, 2))
        .hasMessage("max_waiting=100001: must be between 1 and 100000");
    assertThatThrownBy(() -> new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 16, 64, -1))
        .hasMessage("max_preemptions=-1: must be between 0 and 100");
  }

  @Test
  void runsOne_whenModeIsSingle() {
    SchedulerLimits limits = new SchedulerLimits(BatchingMode.SINGLE, 8, 16, 64, 2);

    assertThat(limits.batchSize()).isEqualTo(1);
    assertThat(limits.running()).isEqualTo(1);
    assertThat(limits.preemptions()).isZero();
  }

  @Test
  void findsMode_whenWordIsKnown() {
    assertThat(BatchingMode.ofWord("single")).isEqualTo(BatchingMode.SINGLE);
    assertThat(BatchingMode.ofWord("continuous")).isEqualTo(BatchingMode.CONTINUOUS);
    assertThatThrownBy(() -> BatchingMode.ofWord("static"))
        .hasMessage("mode=static: must be single or continuous");
  }
}

package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StopSignalTest {
  private final StopSignal signal = StopSignal.install();

  @AfterEach
  void restore() {
    signal.restore();
  }

  @Test
  void letsWorkGoOn_untilASignalCame() {
    assertThatCode(signal::check).doesNotThrowAnyException();
    assertThat(signal.completes(signal::check)).isTrue();
    signal.stop(ExitCode.DONE);
    assertThat(signal.completes(signal::check)).isFalse();
  }

  @Test
  void doesNotHideWhyWorkFailed() {
    assertThatThrownBy(
            () ->
                signal.completes(
                    () -> {
                      throw CommandFailure.usage("wrong");
                    }))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("wrong");
  }
}

package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResolvedConfigurationTest {

  private static ResolvedConfiguration with(@Nullable Integer threads, int preemptions) {
    return new ResolvedConfiguration(
        "1.0",
        new FakeEngine().model(),
        new EngineCard("2.7.1", "cpu", 1, threads, "fp32", "fp32", null, "euler", 1024, 0),
        new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 16, 64, preemptions));
  }

  @Test
  void countsTheThreadsOfAnOperation_andThePreemptionsOfARequest() {
    JsonNode config = with(4, 2).config();

    assertThat(config.at("/hardware/parallelism/threads").asInt()).isEqualTo(4);
    assertThat(config.at("/extra/max_preemptions").asInt()).isEqualTo(2);
    assertThat(with(8, 2).configId()).isNotEqualTo(with(4, 2).configId());
    assertThat(with(4, 3).configId()).isNotEqualTo(with(4, 2).configId());
    assertThat(with(null, 2).config().at("/hardware/parallelism").isMissingNode()).isTrue();
  }

  /** The same service on another GPU of the machine has the same configuration. */
  @ParameterizedTest
  @CsvSource({"cpu,cpu", "gpu,gpu", "gpu:0,gpu", "gpu:3,gpu"})
  void namesWhatComputes_notWhichOfThem(String device, String hardware) {
    assertThat(TorchEngine.hardware(device)).isEqualTo(hardware);
  }
}

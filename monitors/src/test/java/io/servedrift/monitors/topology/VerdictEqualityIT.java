package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Tag;

/** The verdicts of the product: hits lose CLIP after a learned baseline, and recover. */
@Tag("alone")
class VerdictEqualityIT extends LiveReplayEquality {
  VerdictEqualityIT() {
    super(Judged.VERDICTS, traffic());
  }

  private static List<SpecificRecord> traffic() {
    SteadyTraffic.Shape worse = new SteadyTraffic.Shape();
    worse.hitScore = -.03;
    return new ArrayList<>(
        new SteadyTraffic(3, 40)
            .run(Duration.ofMinutes(90))
            .run(Duration.ofMinutes(40), worse)
            .run(Duration.ofMinutes(100))
            .take());
  }

  @Override
  void isWorthComparing(List<Finding> findings) {
    assertThat(findings)
        .extracting(Finding::getState)
        .contains(FindingState.OPEN, FindingState.CLOSED);
  }

  @Override
  Range afterTheCheckpoint() {
    return new Range(
        SteadyTraffic.START.plus(Duration.ofMinutes(65)),
        SteadyTraffic.START.plus(Duration.ofMinutes(225)));
  }
}

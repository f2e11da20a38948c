package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Regime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BlockLevelsTest {
  private static List<Integer> shares(int ones, int eights) {
    List<Integer> levels = new ArrayList<>(Collections.nCopies(ones, 1));
    levels.addAll(Collections.nCopies(eights, 8));
    return levels;
  }

  /** 7 blocks at 10:5 are 4.67 and 2.33; the larger remainder is that of level 1. */
  @Test
  void givesEachLevelItsShareOfTheBlocks() {
    assertThat(BlockLevels.of(shares(10, 5), 7)).hasSize(7).containsOnly(1, 8);
    assertThat(Collections.frequency(BlockLevels.of(shares(10, 5), 7), 8)).isEqualTo(2);
    assertThat(BlockLevels.of(shares(1, 1), 4).subList(0, 2)).containsExactlyInAnyOrder(1, 8);
  }

  @Test
  void runsEveryLevelOnce_howeverSmallItsShare() {
    assertThat(BlockLevels.of(shares(99, 1), 3)).containsExactlyInAnyOrder(1, 1, 8);
    assertThat(BlockLevels.of(shares(1, 99), 1)).containsExactly(8);
  }

  @Test
  void makesSmallerBlocks_whenThereAreMoreLevels() {
    RunOptions given = Given.options(CheckName.PROXY_DRIFT);
    RunOptions options =
        new RunOptions(
            given.seed(),
            given.samples(),
            shares(10, 5),
            0,
            given.peakPerSecond(),
            given.loads(),
            given.blocks(),
            given.block(),
            given.warmUp(),
            given.afterFlip(),
            given.flipLimit(),
            given.checks());
    GatePlan plan = new GatePlan(options, Given.prompts(20), side -> Given.imageNode().profile());

    assertThat(
            plan.steps().stream()
                .filter(step -> step.regime() == Regime.PRODUCTION)
                .map(Step::concurrency)
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(1, 8);
  }
}

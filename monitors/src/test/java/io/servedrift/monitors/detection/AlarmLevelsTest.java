package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.detection.AlarmLevels.Level;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AlarmLevelsTest {
  private static Level level(AlarmLevels levels, double statistic) {
    return levels.levelOf(new FamilyDetector.Reading(0, statistic, false), 1);
  }

  @Test
  void derivesLevels_fromOneFalseAlarmPerMonth() {
    AlarmLevels levels = AlarmLevels.of(1, 1);
    assertThat(levels.alert()).isEqualTo(43_200);
    assertThat(levels.page()).isEqualTo(432_000);
    assertThat(levels.watch()).isEqualTo(Math.sqrt(43_200));
    assertThat(AlarmLevels.of(1, 1.0 / 23).alert()).isCloseTo(993_600, within(1e-6));
  }

  @Test
  void ranksEvidence_byLevel() {
    AlarmLevels levels = AlarmLevels.of(1, 1);
    assertThat(level(levels, 207)).isEqualTo(Level.QUIET);
    assertThat(level(levels, 208)).isEqualTo(Level.WATCH);
    assertThat(level(levels, 43_200)).isEqualTo(Level.ALERT);
    assertThat(level(levels, 432_000)).isEqualTo(Level.PAGE);
    // M counts panes: of half a minute, it takes twice as many.
    assertThat(levels.levelOf(new FamilyDetector.Reading(0, 43_200, false), 0.5))
        .isEqualTo(Level.WATCH);
  }

  @Test
  void refusesBudgets_outOfRange() {
    assertThatThrownBy(() -> AlarmLevels.of(0, 1)).hasMessageContaining("false_alarms_per_month=0");
    assertThatThrownBy(() -> AlarmLevels.of(1, 0)).hasMessageContaining("share=0");
    assertThatThrownBy(() -> AlarmLevels.of(1, 1.1)).hasMessageContaining("share=1.1");
  }

  @Property
  void spendsNoMoreThanTheBudget_howeverManyFamilies(
      @ForAll @IntRange(min = 1, max = 300) int families,
      @ForAll @DoubleRange(min = 0.1, max = 20) double perMonth) {
    SortedMap<Integer, Double> traffic = new TreeMap<>();
    for (int i = 0; i < families; i++) {
      traffic.put(i, i * 10.0);
    }
    double expected = 0;
    for (double share : BudgetShares.of(traffic).values()) {
      expected += 43_200 / AlarmLevels.of(perMonth, share).alert();
    }
    assertThat(expected).isLessThanOrEqualTo(perMonth * (1 + 1e-6));
  }

  @Test
  void keepsItsShare_whenAFloodOfSmallFamiliesArrives() {
    SortedMap<String, Double> traffic = new TreeMap<>();
    traffic.put("large", 100_000.0);
    for (int i = 0; i < 1000; i++) {
      traffic.put("flood" + i, 10.0);
    }
    assertThat(BudgetShares.of(traffic).get("large")).isGreaterThan(0.4);
    assertThat(BudgetShares.of(traffic).get("flood999")).isPositive();
  }
}

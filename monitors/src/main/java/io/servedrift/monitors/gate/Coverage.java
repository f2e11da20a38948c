package io.servedrift.monitors.gate;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which live traffic the gate has seen the like of. */
final class Coverage {
  private Coverage() {}

  /** Null when no live traffic was given, or it is empty. */
  static @Nullable RegimeCoverage of(GateCase gate) {
    TrafficProfile traffic = gate.evidence().traffic();
    if (traffic == null) {
      return null;
    }
    long live = traffic.requests().values().stream().mapToLong(Long::longValue).sum();
    if (live == 0) {
      return null;
    }
    Map<RegimeCell, Long> exercised = exercised(gate);
    List<RegimeCoverage.Cell> cells =
        traffic.requests().entrySet().stream()
            .map(e -> cell(gate, e.getKey(), e.getValue(), exercised))
            .sorted(
                Comparator.comparingLong(RegimeCoverage.Cell::live)
                    .reversed()
                    .thenComparing(c -> c.cell().toString()))
            .toList();
    long covered =
        cells.stream()
            .filter(RegimeCoverage.Cell::covered)
            .mapToLong(RegimeCoverage.Cell::live)
            .sum();
    return new RegimeCoverage(traffic.source(), live, (double) covered / live, cells);
  }

  private static RegimeCoverage.Cell cell(
      GateCase gate, RegimeCell cell, long live, Map<RegimeCell, Long> exercised) {
    long answers = exercised.getOrDefault(cell, 0L);
    boolean known = !cell.batch().equals("unknown") || !cell.cache().equals("unknown");
    return new RegimeCoverage.Cell(
        cell, live, answers, known && answers >= gate.policy().coverageAnswers());
  }

  private static Map<RegimeCell, Long> exercised(GateCase gate) {
    Map<RegimeCell, Long> counts = new HashMap<>();
    for (Arm arm : gate.answers().arms()) {
      if (arm.side() == Side.NEW && arm.regime() != Regime.AFTER_FLIP) {
        for (Answer answer : gate.answers().good(arm)) {
          Answer.Served served = answer.served();
          counts.merge(
              RegimeCell.of(served.batchSize(), served.cacheHit(), served.inFlight()),
              1L,
              Long::sum);
        }
      }
    }
    return counts;
  }
}

package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.stats.ProportionInterval;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A small part of {@link GateErrorRates}: rates that would show a wrong test, not the exact ones.
 * Were a true rate what is said, the limits would be passed once in a million.
 */
class GateErrorRatesTest {
  private static final double SURE = 1 - 1e-6;
  private static final int RUNS = 40;

  private static List<GateErrorRates.Row> rows(String check, GateErrorRates.Truth truth) {
    List<GateErrorRates.Row> rows =
        GateErrorRates.rows().stream()
            .filter(r -> r.what().startsWith(check) && r.truth() == truth)
            .toList();
    assertThat(rows).isNotEmpty();
    return rows;
  }

  @Test
  void passesAtTheMargin_notMoreOftenThanAlpha() {
    for (String check :
        List.of("`proxy_drift`, CLIP", "`batch", "`seed", "`cache", "error", "A/A")) {
      for (GateErrorRates.Row row : rows(check, GateErrorRates.Truth.AT_THE_MARGIN)) {
        GateErrorRates.Rates rates = GateErrorRates.simulate(row, RUNS, 1000);
        assertThat(ProportionInterval.lowerLimit(rates.passed(), RUNS, SURE))
            .as("%s passes %s of %d", row.what(), rates.passed(), RUNS)
            .isLessThan(0.05);
      }
    }
  }

  @Test
  void hardlyEverFails_whenBothAreAlike() {
    for (String check :
        List.of("`proxy_drift`, CLIP", "`batch", "`seed", "`cache", "error", "A/A")) {
      for (GateErrorRates.Row row : rows(check, GateErrorRates.Truth.ALIKE)) {
        GateErrorRates.Rates rates = GateErrorRates.simulate(row, RUNS, 2000);
        assertThat(ProportionInterval.lowerLimit(rates.failed(), RUNS, SURE))
            .as("%s fails %s of %d", row.what(), rates.failed(), RUNS)
            .isLessThan(0.001);
      }
    }
  }

  /** The number of pairs of the design has a power of .9. */
  @Test
  void passesAsOftenAsPlanned_whenBothAreAlike() {
    GateErrorRates.Row row = rows("`proxy_drift`, CLIP", GateErrorRates.Truth.ALIKE).get(0);
    GateErrorRates.Rates rates = GateErrorRates.simulate(row, RUNS, 3000);
    assertThat(ProportionInterval.upperLimit(rates.passed(), RUNS, SURE)).isGreaterThan(0.9);
    assertThat(ProportionInterval.lowerLimit(rates.passed(), RUNS, SURE)).isLessThan(0.9);
  }

  @Test
  void judgesTheTailAtItsLevel() {
    GateErrorRates.Rates margin =
        GateErrorRates.simulate(
            rows("`p99", GateErrorRates.Truth.AT_THE_MARGIN).get(0), RUNS, 4000);
    assertThat(ProportionInterval.lowerLimit(margin.passed(), RUNS, SURE)).isLessThan(0.05);
    GateErrorRates.Rates alike =
        GateErrorRates.simulate(rows("`p99", GateErrorRates.Truth.ALIKE).get(0), RUNS, 5000);
    assertThat(alike.failed()).isZero();
    assertThat(ProportionInterval.upperLimit(alike.passed(), RUNS, SURE)).isGreaterThan(0.85);
  }
}

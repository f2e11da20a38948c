package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.attribution.EventWeights.Correlated;
import io.servedrift.monitors.attribution.EventWeights.History;
import io.servedrift.monitors.attribution.EventWeights.Near;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventWeightsTest {
  private static final double WINDOW = 35;

  private static History flushes(int count, Near... near) {
    return new History("cache_flush", count, 14, List.of(near));
  }

  @Test
  void weighsRareEventsMore_whenPresent() {
    Near near = new Near("e-1", 20);
    // six a day, one a day: STATISTICS C.6
    assertThat(factor(flushes(6 * 14, near))).isCloseTo(1.5, within(.05));
    assertThat(factor(flushes(14, near))).isCloseTo(3.2, within(.05));
  }

  @Test
  void supportsNothing_whenEventComesEveryTwoMinutes() {
    assertThat(factor(flushes(720 * 14, new Near("e-1", 20)))).isEqualTo(-.5);
  }

  @Test
  void capsTheWeight_whenEventIsFirstOfItsKind() {
    assertThat(factor(flushes(0, new Near("e-1", 20)))).isLessThanOrEqualTo(5).isGreaterThan(4);
  }

  @Test
  void weighsAbsenceLittle_whenNothingWasLogged() {
    assertThat(factor(flushes(3))).isEqualTo(-.5);
  }

  @Test
  void saysNothing_whenKindSupportsNoCause() {
    EventWeights weights =
        new EventWeights(
            List.of(new History("deploy", 2, 14, List.of(new Near("e-2", -60)))), WINDOW);
    assertThat(weights.logBayesFactors()).isEmpty();
    assertThat(weights.correlated()).hasSize(1);
  }

  @Test
  void supportsWhatAllRequestsShare_whenTheSwitchBroughtAnotherModel() {
    List<History> histories =
        List.of(new History("config_changed", 14, 14, List.of(new Near("e-3", 5))));
    // one a day, as of updated weights
    assertThat(new EventWeights(histories, WINDOW, true).logBayesFactors())
        .containsOnlyKeys(Cause.UNEXPLAINED)
        .hasEntrySatisfying(
            Cause.UNEXPLAINED, nats -> assertThat(nats).isCloseTo(3.2, within(.05)));
    assertThat(new EventWeights(histories, WINDOW).logBayesFactors()).isEmpty();
  }

  /** One switch brought both: what a cache that was turned on did is as likely to be its doing. */
  @Test
  void knowsNoModelAlone_whenTheConfigurationCameWithIt() {
    assertThat(new Changes(true, false, false).onlyModel()).isTrue();
    assertThat(new Changes(true, true, false).onlyModel()).isFalse();
    assertThat(new Changes(false, true, false).onlyModel()).isFalse();
  }

  @Test
  void saysNothing_whenAnotherModelCameAndNoSwitchWasReported() {
    List<History> histories = List.of(new History("config_changed", 14, 14, List.of()));
    assertThat(new EventWeights(histories, WINDOW, true).logBayesFactors()).isEmpty();
  }

  @Test
  void listsTheLeastExpectedFirst_whenSeveralAreNear() {
    EventWeights weights =
        new EventWeights(
            List.of(
                flushes(140, new Near("flush", 10)),
                new History("batch_limit_changed", 1, 14, List.of(new Near("limit", 30)))),
            WINDOW);
    assertThat(weights.correlated())
        .extracting(Correlated::eventId)
        .containsExactly("limit", "flush");
    assertThat(weights.correlated().get(0).probabilityByChance())
        .isCloseTo(1 - Math.exp(-35.0 / 1440 / 14), within(1e-12));
  }

  @Test
  void rejectsHistory_whenDaysAreZero() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new History("cache_flush", 1, 0, List.of()))
        .withMessageContaining("days=0");
  }

  private static double factor(History history) {
    return new EventWeights(List.of(history), WINDOW).logBayesFactors().get(Cause.CACHE);
  }
}

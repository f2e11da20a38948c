package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

/** {@link EventEvidence} and {@link PoissonTail}. */
class EventEvidenceTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("event_base_rate");
    JsonNode in = reference.inputs();
    for (int i = 0; i < reference.expected().size(); i++) {
      EventEvidence evidence =
          EventEvidence.of(
              in.get("rate_per_day").get(i).doubleValue(),
              in.get("window_min").doubleValue(),
              in.get("p_given_cause").doubleValue());
      JsonNode expected = reference.expected().get(i);
      reference.check(evidence.baseProbability(), expected.get("p0"));
      reference.check(evidence.present(), expected.get("present"));
      reference.check(evidence.absent(), expected.get("absent"));
    }
  }

  @Test
  void weighsAbsenceLittle_whenTheEventMayNotBeLogged() {
    EventEvidence seldom = EventEvidence.of(1 / 7.0, 35, 0.6);
    assertThat(seldom.nats(true)).isCloseTo(5.15, within(0.01));
    assertThat(seldom.nats(false)).isEqualTo(-0.5);
    // Every few minutes: seeing one says nothing, seeing none speaks for a cause of its own.
    EventEvidence often = EventEvidence.of(500, 35, 0.6);
    assertThat(often.nats(true)).isNegative();
    assertThat(often.nats(false)).isPositive();
  }

  @Test
  void countsTheTail_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("poisson_tail");
    reference.check(
        PoissonTail.atLeast(
            reference.inputs().get("k").longValue(), reference.inputs().get("mu").doubleValue()),
        reference.expected());
  }

  @Property(tries = 200)
  void isOneLessTheTermsBelow_whenTheyAreSummed(
      @ForAll @IntRange(min = 0, max = 60) int k,
      @ForAll @Scale(4) @DoubleRange(min = 0.01, max = 40) double mu) {
    double term = Math.exp(-mu);
    double below = 0;
    for (int i = 0; i < k; i++) {
      below += term;
      term *= mu / (i + 1);
    }
    assertThat(PoissonTail.atLeast(k, mu)).isCloseTo(1 - below, within(1e-12));
  }

  @Test
  void staysExact_whenTheTailIsFarOrTheMeanLarge() {
    // The first term dominates: e^-1/20! (1 + 1/21 + 1/462 + ...).
    double far = Math.exp(-1) / 2432902008176640000.0 * (1 + 1 / 21.0 + 1 / 462.0 + 1 / 10626.0);
    assertThat(PoissonTail.atLeast(20, 1)).isCloseTo(far, within(1e-5 * far));
    assertThat(PoissonTail.atLeast(10_000, 10_000)).isCloseTo(0.5013, within(1e-4));
    assertThat(PoissonTail.atLeast(9_000, 10_000)).isEqualTo(1, within(1e-12));
    assertThat(PoissonTail.atLeast(0, 3)).isEqualTo(1);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventEvidence.of(0, 35, 0.6))
        .withMessage("ratePerDay=0.0: must be finite and above 0.0");
    assertThatIllegalArgumentException().isThrownBy(() -> EventEvidence.of(1, 0, 0.6));
    assertThatIllegalArgumentException().isThrownBy(() -> EventEvidence.of(1, 35, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> PoissonTail.atLeast(-1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> PoissonTail.atLeast(1, 0));
  }
}

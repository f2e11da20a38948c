package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class OverlapTest {
  private static double phi(double onlyFirst, double onlySecond, double both, double neither) {
    double first = onlyFirst + both;
    double second = onlySecond + both;
    return (both * neither - onlyFirst * onlySecond)
        / Math.sqrt(first * (onlySecond + neither) * second * (onlyFirst + neither));
  }

  private static Overlap overlap(double onlyFirst, double onlySecond, double both, double neither) {
    return new Overlap(
        0,
        1,
        phi(onlyFirst, onlySecond, both, neither),
        onlyFirst + onlySecond + both + neither,
        onlyFirst,
        onlySecond,
        both);
  }

  @Test
  void asksForTheTextbookNumber_whenNoRequestDiscriminates() {
    // 6.2 s^2/shift^2 = 349 in each of the two cells
    Overlap overlap = overlap(0, 0, 200, 800);
    assertThat(overlap.discriminating()).isZero();
    assertThat(overlap.coincidence()).isEqualTo(1);
    assertThat(overlap.missing(.03 * .03, .004, .8)).isEqualTo(698);
  }

  @Test
  void countsRequestsWithBothOrNeither_whenIndicatorsExcludeEachOther() {
    Overlap overlap = overlap(500, 490, 4, 6);
    assertThat(overlap.phi()).isLessThan(-.9);
    assertThat(overlap.discriminating()).isEqualTo(10);
  }

  @Property(tries = 200)
  void bringsPhiBelowTheLimit_whenTheMissingRequestsCame(
      @ForAll @IntRange(min = 0, max = 20) int onlyFirst,
      @ForAll @IntRange(min = 0, max = 20) int onlySecond,
      @ForAll @IntRange(min = 50, max = 500) int both,
      @ForAll @IntRange(min = 50, max = 500) int neither) {
    long missing = overlap(onlyFirst, onlySecond, both, neither).missing(1, 1e9, .8);
    double half = missing / 2.0;
    assertThat(phi(onlyFirst + half, onlySecond + half, both, neither)).isLessThanOrEqualTo(.8);
    if (missing > 1) {
      double less = (missing - 1) / 2.0;
      assertThat(phi(onlyFirst + less, onlySecond + less, both, neither)).isGreaterThan(.79);
    }
    assertThat(phi(0, 0, both, neither)).isCloseTo(1, within(1e-12));
  }
}

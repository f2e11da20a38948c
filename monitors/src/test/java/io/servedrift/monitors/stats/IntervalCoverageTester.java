package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Counts in how many simulated samples an interval holds the truth, and checks the count against
 * the exact binomial law of that count: were the coverage what is claimed, a count outside the
 * accepted range would come up with probability {@value #FALSE_ALARM} on either side. With 4,000
 * samples and a coverage of 95 % the range is 3,731 to 3,862, that is 93.3 % to 96.6 %.
 */
final class IntervalCoverageTester {
  static final double FALSE_ALARM = 1e-6;

  private final long seed;
  private final int samples;

  IntervalCoverageTester(long seed, int samples) {
    this.seed = seed;
    this.samples = samples;
  }

  /** Fails unless the coverage is what is said. */
  void assertCoverage(double coverage, Predicate<RandomGenerator> holdsTruth) {
    long held = count(holdsTruth);
    long most = BinomialTails.quantile(1 - FALSE_ALARM, samples, coverage);
    assertThat(held).as("held of %d, seed %d", samples, seed).isBetween(least(coverage), most);
  }

  /** Fails when the coverage is below what is said. */
  void assertCoverageAtLeast(double coverage, Predicate<RandomGenerator> holdsTruth) {
    assertThat(count(holdsTruth))
        .as("held of %d, seed %d", samples, seed)
        .isGreaterThanOrEqualTo(least(coverage));
  }

  long least(double coverage) {
    return BinomialTails.quantile(FALSE_ALARM, samples, coverage);
  }

  private long count(Predicate<RandomGenerator> holdsTruth) {
    RandomGenerator random = new SplittableRandom(seed);
    long held = 0;
    for (int i = 0; i < samples; i++) {
      held += holdsTruth.test(random) ? 1 : 0;
    }
    return held;
  }
}

package io.servedrift.monitors.attribution;

/**
 * Uniform and normal draws from a seed, the same on every machine and Java version: SplitMix64
 * (Steele, Lea and Flood, OOPSLA 2014) and Box-Muller with {@code StrictMath}. Not thread-safe.
 */
final class SeededDraws {
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private long state;

  SeededDraws(long seed) {
    state = seed;
  }

  private long next() {
    state += GAMMA;
    long z = state;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** Uniform in [0, 1). */
  double uniform() {
    return (next() >>> 11) * 0x1p-53;
  }

  /** Uniform among 0 .. bound - 1. */
  int below(int bound) {
    return (int) (uniform() * bound);
  }

  /** Standard normal. */
  double normal() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - uniform()));
    return radius * StrictMath.cos(2 * StrictMath.PI * uniform());
  }
}

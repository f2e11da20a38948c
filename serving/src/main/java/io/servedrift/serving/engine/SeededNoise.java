package io.servedrift.serving.engine;

/**
 * A request's own noise: standard normal values that depend on its seed and their position alone,
 * equal on every device and whatever the request is batched with.
 *
 * <p>Philox4x32-10 (Salmon et al. 2011, section 3.3) with the seed as key and the block number as
 * counter gives four 32-bit words for each four values; each pair of words {@code a, b} gives two
 * normal values by the transform of Box and Muller (1958): {@code sqrt(-2 ln u) cos(2 pi v)} and
 * {@code ... sin(2 pi v)} with {@code u = (a + 1/2) / 2^32}, {@code v = (b + 1/2) / 2^32}. Computed
 * with {@link StrictMath} and rounded to float once.
 */
final class SeededNoise {

  private static final int ROUNDS = 10;
  private static final long MULTIPLIER_0 = 0xD2511F53L;
  private static final long MULTIPLIER_1 = 0xCD9E8D57L;
  private static final int WEYL_0 = 0x9E3779B9;
  private static final int WEYL_1 = 0xBB67AE85;
  private static final long WORD = 0xFFFFFFFFL;
  private static final double TWO_POW_32 = 0x1p32;

  private SeededNoise() {}

  /** The first {@code count} values of a seed. */
  static float[] normal(long seed, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i += 4) {
      int[] words = philox(new int[] {i / 4, 0, 0, 0}, (int) seed, (int) (seed >>> 32));
      for (int pair = 0; pair < 4; pair += 2) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(unit(words[pair])));
        double angle = 2 * Math.PI * unit(words[pair + 1]);
        put(values, i + pair, radius * StrictMath.cos(angle));
        put(values, i + pair + 1, radius * StrictMath.sin(angle));
      }
    }
    return values;
  }

  /** Ten rounds of Philox on a counter of four words, least significant first. */
  static int[] philox(int[] counter, int key0, int key1) {
    int[] x = counter.clone();
    int k0 = key0;
    int k1 = key1;
    for (int round = 0; round < ROUNDS; round++) {
      long product0 = MULTIPLIER_0 * (x[0] & WORD);
      long product1 = MULTIPLIER_1 * (x[2] & WORD);
      x =
          new int[] {
            (int) (product1 >>> 32) ^ x[1] ^ k0,
            (int) product1,
            (int) (product0 >>> 32) ^ x[3] ^ k1,
            (int) product0
          };
      k0 += WEYL_0;
      k1 += WEYL_1;
    }
    return x;
  }

  private static double unit(int word) {
    return ((word & WORD) + 0.5) / TWO_POW_32;
  }

  private static void put(float[] values, int index, double value) {
    if (index < values.length) {
      values[index] = (float) value;
    }
  }
}
